#include "nsmb/system/callback_system.hpp"

#include <stdexcept>

#include "nsmb/core/check.hpp"
#include "nsmb/core/no_value.hpp"

namespace nsmb {

CallbackSystem::CallbackSystem(SystemDescription description, SystemFunctions functions,
                               bool constant_mass_matrix)
    : System(
          description,
          {.coordinate_map = functions.coordinate_rates || description.needs_map() ? this : nullptr,
           .internal_states = this,
           .element_set = this,
           .constraint_set = this}),
      functions_(std::move(functions)),
      constant_mass_matrix_(constant_mass_matrix) {
  if (!functions_.mass_matrix) reject("mass_matrix", "a function of (t, q)", "none");
  if (!functions_.forces) reject("forces", "a function of (t, q, u, x, v)", "none");
  if (!functions_.contacts && nc() > 0) reject("contacts", "a function of (t, q, u)", "none");
  if (!functions_.elements && ne() > 0) reject("elements", "a function of (t, q)", "none");
  if (!functions_.constraints && nb() > 0) {
    reject("constraints", "a function of (t, q, u)", "none");
  }
  if (!functions_.state_rates && nx_own() > 0) {
    reject("state_rates", "a function of (t, q, u, x, v), because there are states", "none");
  }
  if (!functions_.coordinate_rates && nq() != nu()) {
    reject("coordinate_rates", "a function of (t, q, u), because nq != nu", "none");
  }
}

void CallbackSystem::mass_matrix(double t, const ConstVectorRef& q, MatrixRef M,
                                 SystemWorkspace& /*work*/) const {
  const Matrix value = functions_.mass_matrix(t, q);
  check_shape("mass_matrix(t, q)", value, nu(), nu());
  try {
    check_mass_matrix("mass_matrix(t, q)", value);
  } catch (const std::invalid_argument& error) {
    throw NoValue(error.what());  // M may be valid elsewhere
  }
  M = value;
}

void CallbackSystem::forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                            const ConstVectorRef& x, VectorRef h, SystemWorkspace& work) const {
  const Vector value = functions_.forces(t, q, u, x, work.inputs());
  check_size("forces(t, q, u)", value, nu());
  h = value;
}

void CallbackSystem::state_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 const ConstVectorRef& x, VectorRef xdot,
                                 SystemWorkspace& work) const {
  const Vector value = functions_.state_rates(t, q, u, x, work.inputs());
  check_size("state_rates(t, q, u, x)", value, nx_own());
  xdot = value;
}

void CallbackSystem::element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                                        SystemWorkspace& /*work*/) const {
  functions_.elements(t, q, e);
}

void CallbackSystem::contact_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                        ContactKinematics& contacts,
                                        SystemWorkspace& /*work*/) const {
  if (nc() > 0) functions_.contacts(t, q, u, contacts);
}

void CallbackSystem::constraint_kinematics(double t, const ConstVectorRef& q,
                                           const ConstVectorRef& u,
                                           ConstraintKinematics& constraints,
                                           SystemWorkspace& /*work*/) const {
  functions_.constraints(t, q, u, constraints);
}

void CallbackSystem::coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                      VectorRef qdot, SystemWorkspace& /*work*/) const {
  const Vector value = functions_.coordinate_rates(t, q, u);
  check_size("coordinate_rates(t, q, u)", value, nq());
  qdot = value;
}

double CallbackSystem::potential_energy(double t, const ConstVectorRef& q,
                                        SystemWorkspace& work) const {
  if (!functions_.potential_energy) return System::potential_energy(t, q, work);
  return functions_.potential_energy(t, q);
}

}  // namespace nsmb
