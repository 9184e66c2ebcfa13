#include <cstdint>

#include "bindings/bindings.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/system/compiled_system.hpp"

namespace {

using nsmb::Vector;

// Kept by systems that may die in a thread without the interpreter's lock.
std::shared_ptr<const void> keep(py::object code) {
  return {new py::object(std::move(code)), [](const void* kept) {
            const py::gil_scoped_acquire gil;
            delete static_cast<const py::object*>(kept);
          }};
}

// Addresses by the names of CompiledFunctions.
nsmb::CompiledFunctions functions_at(const std::map<std::string, std::uintptr_t>& addresses) {
  nsmb::CompiledFunctions functions;
  const std::map<std::string, nsmb::CompiledFunction*> places = {
      {"mass_matrix", &functions.mass_matrix}, {"forces", &functions.forces},
      {"contacts", &functions.contacts},       {"constraints", &functions.constraints},
      {"elements", &functions.elements},       {"coordinate_rates", &functions.coordinate_rates},
      {"state_rates", &functions.state_rates}, {"potential_energy", &functions.potential_energy},
      {"jacobians", &functions.jacobians},
  };
  for (const auto& [name, address] : addresses) {
    const auto place = places.find(name);
    if (place == places.end()) nsmb::reject("addresses", "names of functions", "'" + name + "'");
    *place->second = reinterpret_cast<nsmb::CompiledFunction>(address);
  }
  return functions;
}

}  // namespace

void bind_compiled_system(py::module_& m) {
  using nsmb::CompiledSystem;

  py::class_<CompiledSystem, nsmb::System, std::shared_ptr<CompiledSystem>>(m, "CompiledSystem")
      .def(py::init([](nsmb::SystemDescription description,
                       const std::map<std::string, std::uintptr_t>& addresses, Vector parameters,
                       py::object code, bool constant_mass_matrix, bool constant_directions) {
             return std::make_shared<CompiledSystem>(
                 std::move(description), functions_at(addresses), std::move(parameters),
                 keep(std::move(code)), constant_mass_matrix, constant_directions);
           }),
           "description"_a, "addresses"_a, "parameters"_a, "code"_a, "constant_mass_matrix"_a,
           "constant_directions"_a)
      .def_property_readonly("constant_mass_matrix", &CompiledSystem::constant_mass_matrix)
      .def_property_readonly("constant_directions", &CompiledSystem::constant_directions)
      .def(
          "jacobians",
          [](const CompiledSystem& s, double t, const Vector& q, const Vector& u, const Vector& x,
             const Vector& udot, const Vector& lambda_N, const Vector& lambda_T, const Vector& zeta,
             const Vector& lambda_B) {
            if (!s.has_jacobians()) nsmb::reject("jacobians", "a system that has them", "none");
            nsmb::check_size("q", q, s.nq());
            nsmb::check_size("u", u, s.nu());
            nsmb::check_size("x", x, s.nx_own());
            nsmb::check_size("udot", udot, s.nu());
            nsmb::check_size("lambda_N", lambda_N, s.nc());
            nsmb::check_size("lambda_T", lambda_T, s.nt());
            nsmb::check_size("zeta", zeta, s.ne());
            nsmb::check_size("lambda_B", lambda_B, s.nb());
            nsmb::Jacobians J(s);
            nsmb::GivenForces forces(s);
            forces.udot = udot;
            forces.lambda_N = lambda_N;
            forces.lambda_T = lambda_T;
            forces.zeta = zeta;
            forces.lambda_B = lambda_B;
            s.jacobians(t, q, u, x, forces, J, *s.make_workspace());
            return py::dict("residual"_a = J.residual, "gammadot"_a = J.gammadot,
                            "element"_a = J.element, "qdot"_a = J.qdot, "xdot"_a = J.xdot);
          },
          "t"_a, "q"_a, "u"_a, "x"_a, "udot"_a, "lambda_N"_a, "lambda_T"_a, "zeta"_a, "lambda_B"_a);
}
