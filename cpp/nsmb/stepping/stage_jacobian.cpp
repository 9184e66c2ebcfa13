#include "nsmb/stepping/stage_jacobian.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

StageJacobian::StageJacobian(StageEquations& equations)
    : equations_(equations),
      is_known_(equations.mechanics().system().derivatives() != nullptr &&
                !equations.mechanics().rows().spatial),
      forces_(equations.mechanics().system()),
      jacobians_(equations.mechanics().system()),
      w_bar_B_(equations.mechanics().nb()),
      udot_(equations.mechanics().nu()),
      y_(equations.mechanics().system().ny()),
      rates_(y_.size()),
      moved_(y_.size()) {}

const Matrix& StageJacobian::find(double t, double h, const ConstVectorRef& y) {
  J_.setZero(y.size(), y.size());
  equations_.rates(t, y, rates_);
  if (is_known_) {
    differentiate(t, y);
  } else {
    take_differences(t, h, y);
  }
  return J_;
}

void StageJacobian::differentiate(double t, const ConstVectorRef& y) {
  Mechanics& mechanics = equations_.mechanics();
  const System& system = mechanics.system();
  const Index nq = system.nq(), nu = system.nu(), nx = system.nx_own(), own = nq + nu + nx;
  forces_.udot = rates_.segment(nq, nu);
  forces_.lambda_N = equations_.lambda_N();
  forces_.lambda_T = equations_.lambda_T();
  forces_.zeta = mechanics.elements.force;
  equations_.constraint_forces(rates_, forces_.lambda_B);
  system.derivatives()->jacobians(mechanics.span().inside(t), y.head(nq), y.segment(nq, nu),
                                  y.segment(nq + nu, nx), forces_, jacobians_, mechanics.work());
  J_.topLeftCorner(nq, own) = jacobians_.qdot;
  J_.block(nq + nu, 0, nx, own) = jacobians_.xdot;
  for (Index k = 0; k < own; ++k) add_column(k);
  for (Index e = 0; e < system.ne(); ++e) {
    const Index wall = system.wall(e);
    if (wall < 0) continue;
    J_(nq + nu + wall, nq + nu + wall) =
        wall_rate(system.elements()[at(e)], mechanics.elements.modes[at(e)], 0.0, 1.0);
  }
}

// ζ and γ̇_w are linear in γ, γ̇ and γ_w in each mode.
void StageJacobian::add_column(Index k) {
  Mechanics& mechanics = equations_.mechanics();
  const System& system = mechanics.system();
  const Index nq = system.nq(), nu = system.nu(), ne = system.ne();
  udot_ = -jacobians_.residual.col(k);
  for (Index e = 0; e < ne; ++e) {
    const ForceElementDescription& element = system.elements()[at(e)];
    const ElementMode mode = mechanics.elements.modes[at(e)];
    const double distance = jacobians_.element(e, k), speed = jacobians_.element(ne + e, k);
    udot_ += mechanics.elements.kinematics.W.col(e) * element_force(element, mode, distance, speed);
    const Index wall = system.wall(e);
    if (wall >= 0) J_(nq + nu + wall, k) = wall_rate(element, mode, speed, 0.0);
  }
  w_bar_B_ = jacobians_.gammadot.col(k).tail(system.nb());
  mechanics.accelerate(w_bar_B_, udot_);
  J_.block(nq, k, nu, 1) = udot_;
}

void StageJacobian::take_differences(double t, double h, const ConstVectorRef& y) {
  const Index nq = equations_.mechanics().nq(), nu = equations_.mechanics().nu();
  const double fastest = y.segment(nq, nu).cwiseAbs().maxCoeff();
  for (Index k = 0; k < y.size(); ++k) {
    double scale = std::abs(y(k));
    if (k < nq) scale = std::max(scale, h * fastest);
    if (k >= nq && k < nq + nu) {
      scale = std::max({scale, 1e-3 * fastest, h * std::abs(rates_(k))});
    }
    const double distance = stepping::kDifference * (scale > 0.0 ? scale : 1.0);
    y_ = y;
    y_(k) += distance;
    equations_.rates(t, y_, moved_);
    J_.col(k) = (moved_ - rates_) / (y_(k) - y(k));
  }
}

}  // namespace nsmb
