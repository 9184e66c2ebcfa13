#include "nsmb/simulation/frozen_jacobian.hpp"

namespace nsmb {

FrozenJacobian::FrozenJacobian(const System& system)
    : system_(system),
      forces_(system),
      jacobians_(system),
      w_bar_B_(system.nb()),
      change_(system) {}

bool FrozenJacobian::is_known(const System& system) {
  const ContactRows& rows = system.rows();
  if (!system.derivatives() || system.has_curves() || rows.spatial) return false;
  for (Index i = 0; i < rows.nc; ++i) {
    if (!rows.is_unilateral(i)) return false;
  }
  return true;
}

void FrozenJacobian::find(double t, const ConstVectorRef& y, const FrozenRoles& roles,
                          const FrozenSolution& solution, Mechanics& mechanics,
                          FrozenEquations& equations, MatrixRef dfdy) {
  const Index nq = system_.nq(), nu = system_.nu(), nx = system_.nx_own(), own = nq + nu + nx;
  forces_.udot = solution.udot;
  forces_.lambda_N = solution.lambda_N;
  forces_.lambda_T = solution.lambda_T;
  forces_.zeta = mechanics.elements.force;
  mechanics.constraint_forces(solution.udot, solution.lambda_N, solution.lambda_T,
                              forces_.lambda_B);
  system_.derivatives()->jacobians(mechanics.span().inside(t), y.head(nq), y.segment(nq, nu),
                                   y.segment(nq + nu, nx), forces_, jacobians_, mechanics.work());
  dfdy.setZero();
  dfdy.topLeftCorner(nq, own) = jacobians_.qdot;
  dfdy.block(nq + nu, 0, nx, own) = jacobians_.xdot;
  for (Index k = 0; k < own; ++k) find_column(k, roles, mechanics, equations, dfdy);
  for (Index e = 0; e < system_.ne(); ++e) {
    const Index wall = system_.wall(e);
    const std::size_t at = static_cast<std::size_t>(e);
    if (wall >= 0) {
      dfdy(nq + nu + wall, nq + nu + wall) =
          wall_rate(system_.elements()[at], mechanics.elements.modes[at], 0.0, 1.0);
    }
  }
}

void FrozenJacobian::find_column(Index k, const FrozenRoles& roles, Mechanics& mechanics,
                                 FrozenEquations& equations, MatrixRef dfdy) {
  const Index nq = system_.nq(), nu = system_.nu(), ne = system_.ne(), nb = system_.nb();
  const Jacobians& J = jacobians_;
  Vector& udot = change_.udot;
  udot = -J.residual.col(k);
  for (Index e = 0; e < ne; ++e) {
    const std::size_t at = static_cast<std::size_t>(e);
    const ForceElementDescription& element = system_.elements()[at];
    const ElementMode mode = mechanics.elements.modes[at];
    // ζ and γ̇_w are linear in γ, γ̇ and γ_w as long as the mode lasts.
    const double distance = J.element(e, k), speed = J.element(ne + e, k);
    udot += mechanics.elements.kinematics.W.col(e) * element_force(element, mode, distance, speed);
    const Index wall = system_.wall(e);
    if (wall >= 0) dfdy(nq + nu + wall, k) = wall_rate(element, mode, speed, 0.0);
  }
  w_bar_B_ = J.gammadot.col(k).tail(nb);
  mechanics.accelerate(w_bar_B_, udot);
  const std::vector<Index>& rows = equations.rows();
  if (!rows.empty()) {
    JoinedEquations& of_rows = equations.factorised();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      of_rows.right()(static_cast<Index>(r)) =
          -J.gammadot(rows[r], k) - mechanics.delassus.W.col(rows[r]).dot(udot);
    }
    of_rows.substitute();
    equations.scatter(roles, mechanics.mu, nullptr, change_.lambda_N, change_.lambda_T);
    mechanics.delassus.add_accelerations(change_.lambda_N, change_.lambda_T, udot);
  }
  dfdy.block(nq, k, nu, 1) = udot;
}

}  // namespace nsmb
