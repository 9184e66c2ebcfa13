#include "bindings/bindings.hpp"

PYBIND11_MODULE(_core, m) {
  m.doc() = "Compiled core of nsmb; use the public package nsmb instead.";
  auto complementarity = m.def_submodule("complementarity");
  auto geometry = m.def_submodule("geometry");
  auto integration = m.def_submodule("integration");
  auto system = m.def_submodule("system");
  auto contact_laws = m.def_submodule("contact_laws");
  auto simulation = m.def_submodule("simulation");
  auto stepping = m.def_submodule("stepping");
  auto multibody = m.def_submodule("multibody");
  auto gears = m.def_submodule("gears");
  auto areal = m.def_submodule("areal");
  bind_complementarity(complementarity);
  bind_geometry(geometry);
  bind_integration(integration);
  bind_system(system);
  bind_contact_laws(contact_laws);
  bind_simulation(simulation);
  bind_stepping(stepping);
  bind_multibody(multibody);
  bind_model(multibody);
  bind_gears(gears);
  bind_elastic_foundation(areal);
}
