#include "nsmb/system/compiled_system.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

using Inputs = std::array<const double*, kCompiledInputs>;

/// The inputs that every function receives. Others are added by name.
class Arguments {
 public:
  Arguments(const double& t, const Vector& parameters, const SystemWorkspace& work) {
    set(CompiledInput::t, &t);
    set(CompiledInput::parameters, parameters.data());
    set(CompiledInput::inputs, work.inputs().data());
  }
  Arguments& set(CompiledInput input, const double* data) {
    in_[static_cast<std::size_t>(input)] = data;
    return *this;
  }
  template <class... Outputs>
  void call(CompiledFunction function, Outputs*... outputs) const {
    const std::array<double*, sizeof...(Outputs)> out{outputs...};
    function(in_.data(), out.data());
  }

 private:
  Inputs in_{};
};

void check_part(std::string_view argument, CompiledFunction function, bool needed,
                std::string_view why) {
  if (!function && needed) reject(argument, "a function, because " + std::string(why), "none");
}

}  // namespace

CompiledSystem::CompiledSystem(SystemDescription description, CompiledFunctions functions,
                               Vector parameters, std::shared_ptr<const void> code,
                               bool constant_mass_matrix, bool constant_directions,
                               std::vector<std::string> limits, std::vector<std::string> parts)
    : System(
          description,
          {.coordinate_map = functions.coordinate_rates || description.needs_map() ? this : nullptr,
           .internal_states = this,
           .element_set = this,
           .watched_functions = this,
           .constraint_set = this,
           .state_bounds = functions.bounds ? this : nullptr,
           .derivatives = functions.jacobians ? this : nullptr}),
      functions_(functions),
      parameters_(std::move(parameters)),
      code_(std::move(code)),
      constant_mass_matrix_(constant_mass_matrix),
      constant_directions_(constant_directions),
      limits_(std::move(limits)),
      parts_(std::move(parts)) {
  check_part("mass_matrix", functions_.mass_matrix, true, "every system has masses");
  check_part("forces", functions_.forces, true, "every system has h");
  check_part("contacts", functions_.contacts, nc() > 0, "there are contacts");
  check_part("constraints", functions_.constraints, nb() > 0, "there are constraints");
  for (const ForceElementDescription& element : elements()) {
    if (element.law == ElementLaw::Watched) break;
    ++first_watched_;
  }
  for (std::size_t e = static_cast<std::size_t>(first_watched_); e < elements().size(); ++e) {
    if (elements()[e].law == ElementLaw::Watched) continue;
    reject("elements", "watched functions after all other elements",
           "'" + elements()[e].name + "' after them");
  }
  check_part("elements", functions_.elements, first_watched_ > 0, "there are force elements");
  check_part("watch", functions_.watch, ne() > first_watched_, "there are watched functions");
  check_part("coordinate_rates", functions_.coordinate_rates, nq() != nu(), "nq != nu");
  check_part("limits", functions_.limits, !limits_.empty(), "there are limits");
  check_part("parts", functions_.parts, !parts_.empty(), "there are machine elements");
  check_part("state_rates", functions_.state_rates, nx_own() > 0, "there are states");
  check_finite("parameters", parameters_);
}

void CompiledSystem::mass_matrix(double t, const ConstVectorRef& q, MatrixRef M,
                                 SystemWorkspace& work) const {
  Arguments arguments(t, parameters_, work);
  arguments.set(CompiledInput::q, q.data());
  if (M.outerStride() == M.rows()) return arguments.call(functions_.mass_matrix, M.data());
  Matrix block(nu(), nu());
  arguments.call(functions_.mass_matrix, block.data());
  M = block;
}

void CompiledSystem::forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                            const ConstVectorRef& x, VectorRef h, SystemWorkspace& work) const {
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .set(CompiledInput::u, u.data())
      .set(CompiledInput::x, x.data())
      .call(functions_.forces, h.data());
  if (limits_.empty()) return;
  if ((values(functions_.limits, limits_, t, q, u, x, work).array() > 0.0).all()) return;
  h.setConstant(std::numeric_limits<double>::quiet_NaN());
}

Vector CompiledSystem::values(CompiledFunction function, const std::vector<std::string>& names,
                              double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x, SystemWorkspace& work) const {
  Vector found(static_cast<Index>(names.size()));
  if (names.empty()) return found;
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .set(CompiledInput::u, u.data())
      .set(CompiledInput::x, x.data())
      .call(function, found.data());
  return found;
}

std::string CompiledSystem::trouble(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                    const ConstVectorRef& x, SystemWorkspace& work) const {
  const Vector left = values(functions_.limits, limits_, t, q, u, x, work);
  for (Index k = 0; k < left.size(); ++k) {
    if (!(left(k) > 0.0)) return below_limit(limits_[static_cast<std::size_t>(k)], left(k));
  }
  const Vector acting = values(functions_.parts, parts_, t, q, u, x, work);
  for (Index k = 0; k < acting.size(); ++k) {
    if (std::isfinite(acting(k))) continue;
    return parts_[static_cast<std::size_t>(k)] + ": its force is not finite";
  }
  Vector h(nu()), xdot(nx_own());
  forces(t, q, u, x, h, work);
  for (Index i = 0; i < nu(); ++i) {
    if (!std::isfinite(h(i))) return "the force on " + name_of_velocity(i) + " is not finite";
  }
  if (nx_own() > 0) state_rates(t, q, u, x, xdot, work);
  for (Index i = 0; i < nx_own(); ++i) {
    const std::string& name = states()[static_cast<std::size_t>(i)];
    if (!std::isfinite(xdot(i))) return "the rate of the state '" + name + "' is not finite";
  }
  return {};
}

void CompiledSystem::contact_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                        ContactKinematics& c, SystemWorkspace& work) const {
  if (nc() == 0) return;
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .set(CompiledInput::u, u.data())
      .call(functions_.contacts, c.g_N.data(), c.W_N.data(), c.W_T.data(), c.w_tilde_N.data(),
            c.w_tilde_T.data(), c.w_bar_N.data(), c.w_bar_T.data(), c.bound.data());
}

void CompiledSystem::constraint_kinematics(double t, const ConstVectorRef& q,
                                           const ConstVectorRef& u, ConstraintKinematics& c,
                                           SystemWorkspace& work) const {
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .set(CompiledInput::u, u.data())
      .call(functions_.constraints, c.g.data(), c.W.data(), c.w_tilde.data(), c.w_bar.data());
}

void CompiledSystem::coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                      VectorRef qdot, SystemWorkspace& work) const {
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .set(CompiledInput::u, u.data())
      .call(functions_.coordinate_rates, qdot.data());
}

void CompiledSystem::state_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 const ConstVectorRef& x, VectorRef xdot,
                                 SystemWorkspace& work) const {
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .set(CompiledInput::u, u.data())
      .set(CompiledInput::x, x.data())
      .call(functions_.state_rates, xdot.data());
}

void CompiledSystem::element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                                        SystemWorkspace& work) const {
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .call(functions_.elements, e.gamma.data(), e.W.data(), e.w_tilde.data());
}

void CompiledSystem::watch(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                           const ConstVectorRef& x, VectorRef values, SystemWorkspace& work) const {
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .set(CompiledInput::u, u.data())
      .set(CompiledInput::x, x.data())
      .call(functions_.watch, values.data() + first_watched_);
}

void CompiledSystem::friction_bounds(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                     const ConstVectorRef& x, VectorRef bound,
                                     SystemWorkspace& work) const {
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .set(CompiledInput::u, u.data())
      .set(CompiledInput::x, x.data())
      .call(functions_.bounds, bound.data());
}

double CompiledSystem::state_energy(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                    const ConstVectorRef& x, SystemWorkspace& work) const {
  double stored = 0.0;
  if (!functions_.state_energy) return stored;
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .set(CompiledInput::u, u.data())
      .set(CompiledInput::x, x.data())
      .call(functions_.state_energy, &stored);
  return stored;
}

double CompiledSystem::potential_energy(double t, const ConstVectorRef& q,
                                        SystemWorkspace& work) const {
  if (!functions_.potential_energy) return System::potential_energy(t, q, work);
  double V = 0.0;
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .call(functions_.potential_energy, &V);
  return V;
}

void CompiledSystem::jacobians(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                               const ConstVectorRef& x, const GivenForces& forces, Jacobians& J,
                               SystemWorkspace& work) const {
  Arguments(t, parameters_, work)
      .set(CompiledInput::q, q.data())
      .set(CompiledInput::u, u.data())
      .set(CompiledInput::x, x.data())
      .set(CompiledInput::udot, forces.udot.data())
      .set(CompiledInput::lambda_N, forces.lambda_N.data())
      .set(CompiledInput::lambda_T, forces.lambda_T.data())
      .set(CompiledInput::zeta, forces.zeta.data())
      .set(CompiledInput::lambda, forces.lambda_B.data())
      .call(functions_.jacobians, J.residual.data(), J.gammadot.data(), J.element.data(),
            J.qdot.data(), J.xdot.data());
}

}  // namespace nsmb
