// The Jacobian of the motion between two events, for stiff integrators: implicit differentiation of
//   M u̇ = h + w ζ + W λ,   γ̇_R = 0 of the rows that stay closed,
// with the forces of sliding contacts at their bound.
#include <limits>

#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

SmoothPhase::Derivatives::Derivatives(const System& s)
    : forces(s),
      system(s),
      udot(s.nu()),
      w_bar_B(s.nb()),
      lambda_N(Vector::Zero(s.nc())),
      lambda_T(Vector::Zero(s.nt())) {}

/// Not where more changes than W, w̄ and λ_N: coefficients that depend on the slip speed, directions
/// of slip in a plane, given bounds.
bool SmoothPhase::knows_jacobian() const {
  const System& system = mechanics_.system();
  if (!system.has_jacobians() || system.has_curves() || contact_rows_.spatial) return false;
  for (Index i = 0; i < contact_rows_.nc; ++i) {
    if (!contact_rows_.is_unilateral(i)) return false;
  }
  return true;
}

bool SmoothPhase::jacobian(double t, const ConstVectorRef& y, MatrixRef dfdy) {
  if (!knows_jacobian()) return false;
  const System& system = mechanics_.system();
  if (!derivatives_) derivatives_ = std::make_unique<Derivatives>(system);
  const Index nq = system.nq(), nu = system.nu(), nc = system.nc(), nx = system.nx_own();
  const Index ne = system.ne(), nb = system.nb(), own = nq + nu + nx;
  if (!y.allFinite()) {
    dfdy.setConstant(std::numeric_limits<double>::quiet_NaN());
    return true;
  }
  mechanics_.update(t, y);
  solve_forces();
  Derivatives& d = *derivatives_;
  d.forces.udot = udot_;
  d.forces.lambda_N = lambda_N_;
  d.forces.lambda_T = lambda_T_;
  d.forces.zeta = mechanics_.elements.force;
  mechanics_.constraint_forces(udot_, lambda_N_, lambda_T_, d.forces.lambda_B);
  const Jacobians& J = d.system;
  system.jacobians(mechanics_.span().inside(t), y.head(nq), y.segment(nq, nu),
                   y.segment(nq + nu, nx), d.forces, d.system, mechanics_.work());
  dfdy.setZero();
  dfdy.topLeftCorner(nq, own) = J.qdot;
  dfdy.block(nq + nu, 0, nx, own) = J.xdot;

  for (Index k = 0; k < own; ++k) {
    d.udot = -J.residual.col(k);
    for (Index e = 0; e < ne; ++e) {
      const std::size_t at = static_cast<std::size_t>(e);
      const ForceElementDescription& element = system.elements()[at];
      const ElementMode mode = mechanics_.elements.modes[at];
      // ζ and γ̇_w are linear in γ, γ̇ and γ_w as long as the mode lasts.
      const double distance = J.element(e, k), speed = J.element(ne + e, k);
      d.udot += mechanics_.elements.kinematics.W.col(e) *
                nsmb::element_force(element, mode, distance, speed);
      const Index wall = system.wall(e);
      if (wall >= 0) dfdy(nq + nu + wall, k) = wall_rate(element, mode, speed, 0.0);
    }
    d.w_bar_B = J.gammadot.col(k).tail(nb);
    mechanics_.accelerate(d.w_bar_B, d.udot);
    if (!rows_.empty()) {
      LinearSolver& solver = frozen_solver();  // factorised by solve_forces()
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const Index row = rows_[r];
        solver.right(static_cast<Index>(r)) =
            -J.gammadot(row, k) - mechanics_.delassus.W.col(row).dot(d.udot);
      }
      solver.substitute();
      scatter_forces(contact_rows_, roles_, mechanics_.mu, nullptr, unknowns_, solver.lambda,
                     d.lambda_N, d.lambda_T);
      d.udot.noalias() += mechanics_.delassus.Minv_W.leftCols(nc) * d.lambda_N;
      d.udot.noalias() += mechanics_.delassus.Minv_W.rightCols(system.nt()) * d.lambda_T;
    }
    dfdy.block(nq, k, nu, 1) = d.udot;
  }
  for (Index e = 0; e < ne; ++e) {
    const Index wall = system.wall(e);
    const std::size_t at = static_cast<std::size_t>(e);
    if (wall >= 0) {
      dfdy(nq + nu + wall, nq + nu + wall) =
          wall_rate(system.elements()[at], mechanics_.elements.modes[at], 0.0, 1.0);
    }
  }
  return true;
}

}  // namespace nsmb
