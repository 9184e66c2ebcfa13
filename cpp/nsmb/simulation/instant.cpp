#include "nsmb/simulation/instant.hpp"

#include <cmath>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

// Return I_N and I_H of (5.5). `friction` receives that of sliding contacts.
std::vector<ContactRole> roles_at(const Mechanics& m, const TransitionOptions& options,
                                  Vector& friction) {
  const ContactRows& rows = m.rows();
  std::vector<ContactRole> roles(static_cast<std::size_t>(rows.nc), ContactRole::Absent);
  for (Index i = 0; i < rows.nc; ++i) {
    const bool touches = m.contacts.is_valid(i) && m.contacts.g_N(i) <= options.gap_tolerance &&
                         std::abs(m.gamma_N(i)) <= m.velocity_resolution(i, options.rest_velocity);
    if (rows.is_unilateral(i) && !touches) continue;
    roles[static_cast<std::size_t>(i)] =
        m.role(i, options.rest_velocity, friction.segment(rows.tangent(i), rows.dim(i)));
  }
  return roles;
}

InstantSolution with_acceleration(const Mechanics& m, AccelerationSolution law) {
  Vector udot = m.Minv_h;
  udot += m.delassus.Minv_W.leftCols(m.nc()) * law.lambda_N;
  udot += m.delassus.Minv_W.rightCols(m.nt()) * law.lambda_T;
  return {std::move(law), std::move(udot)};
}

}  // namespace

InstantResult solve_instant(const System& system, double t, const ConstVectorRef& y,
                            const ElementModes& modes, const ConstVectorRef& inputs,
                            const TransitionOptions& options, Index max_size) {
  check_size("y", y, system.ny());
  check_size("inputs", inputs, system.ni());
  Mechanics m(system);
  m.set_inputs(inputs);
  m.elements.modes = modes;
  m.set_span(TimeSpan(system.discontinuities().last(t), system.discontinuities().next(t)));
  if (system.feature_search()) {
    m.find_features(t, y, ContactStates(m.laws.size(), ContactState::Open), options.gap_tolerance);
  }
  m.update(t, y);
  m.measure_rounding(y.segment(system.nq(), system.nu()));
  InstantResult result;
  Vector friction = Vector::Zero(system.nt());
  result.roles = roles_at(m, options, friction);
  ContactSolver solver(options.friction);
  AccelerationResult r(system.rows());
  Vector resolution(system.rows().size());
  m.free_acceleration_resolutions(resolution);
  AccelerationProblem problem{m.rows(),         m.delassus.G, m.free_N,     m.free_T, m.mu,
                              m.contacts.bound, m.laws,       result.roles, friction};
  problem.resolution = &resolution;
  solve_acceleration_law(problem, solver, r);
  result.status = r.status;
  result.residual = r.residual;
  result.found = with_acceleration(m, {r.lambda_N, r.lambda_T, r.gammadot_N, r.gammadot_T});
  for (AccelerationSolution& s :
       enumerate_accelerations(problem, solver, max_size, result.enumeration)) {
    result.solutions.push_back(with_acceleration(m, std::move(s)));
  }
  return result;
}

bool satisfy_constraints(const System& system, double t, VectorRef y) {
  check_size("y", y, system.ny());
  Mechanics m(system);
  m.set_span(TimeSpan(system.discontinuities().last(t), system.discontinuities().next(t)));
  system.normalise(y.head(system.nq()));
  return system.nb() == 0 || m.satisfy_constraints(t, y);
}

}  // namespace nsmb
