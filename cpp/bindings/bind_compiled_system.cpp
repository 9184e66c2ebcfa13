#include <cstdint>

#include "bindings/bindings.hpp"
#include "bindings/compiled_functions.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/system/compiled_system.hpp"

namespace {

using nsmb::Vector;

// Return functions from addresses, by the names of CompiledFunctions.
nsmb::CompiledFunctions functions_at(const std::map<std::string, std::uintptr_t>& addresses) {
  nsmb::CompiledFunctions functions;
  const FunctionPlaces places = {
      {"mass_matrix", &functions.mass_matrix},
      {"forces", &functions.forces},
      {"contacts", &functions.contacts},
      {"constraints", &functions.constraints},
      {"elements", &functions.elements},
      {"watch", &functions.watch},
      {"bounds", &functions.bounds},
      {"state_energy", &functions.state_energy},
      {"limits", &functions.limits},
      {"parts", &functions.parts},
      {"coordinate_rates", &functions.coordinate_rates},
      {"state_rates", &functions.state_rates},
      {"potential_energy", &functions.potential_energy},
      {"jacobians", &functions.jacobians},
  };
  set_functions(places, addresses);
  return functions;
}

}  // namespace

void bind_compiled_system(py::module_& m) {
  using nsmb::CompiledSystem;

  py::class_<CompiledSystem, nsmb::System, std::shared_ptr<CompiledSystem>>(m, "CompiledSystem")
      .def(py::init([](nsmb::SystemDescription description,
                       const std::map<std::string, std::uintptr_t>& addresses, Vector parameters,
                       py::object code, bool constant_mass_matrix, bool constant_directions,
                       std::vector<std::string> limits, std::vector<std::string> parts) {
             return std::make_shared<CompiledSystem>(
                 std::move(description), functions_at(addresses), std::move(parameters),
                 keep_alive(std::move(code)), constant_mass_matrix, constant_directions,
                 std::move(limits), std::move(parts));
           }),
           "description"_a, "addresses"_a, "parameters"_a, "code"_a, "constant_mass_matrix"_a,
           "constant_directions"_a, "limits"_a = std::vector<std::string>{},
           "parts"_a = std::vector<std::string>{})
      .def_property_readonly("constant_mass_matrix", &CompiledSystem::constant_mass_matrix)
      .def_property_readonly("constant_directions", &CompiledSystem::constant_directions);
}
