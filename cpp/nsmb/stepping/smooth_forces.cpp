#include "nsmb/stepping/smooth_forces.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/element_forces.hpp"
#include "nsmb/stepping/tolerances.hpp"
#include "nsmb/system/internal_states.hpp"

namespace nsmb {

using namespace tolerances;

SmoothForces::SmoothForces(Mechanics& mechanics)
    : mechanics_(mechanics),
      y_(mechanics.system().ny()),
      rates_(mechanics.nu() + mechanics.system().nx()),
      unit_(mechanics.nu()),
      q_step_(mechanics.nq()) {}

void SmoothForces::evaluate(double t, const ConstVectorRef& y, VectorRef rates) {
  const System& system = mechanics_.system();
  const double inside = mechanics_.span().inside(t);
  const Index nq = system.nq(), nu = system.nu(), nx = system.nx(), own = system.nx_own();
  const auto q = y.head(nq);
  const auto u = y.segment(nq, nu);
  const auto x = y.tail(nx).head(own);
  system.forces(inside, q, u, x, rates.head(nu), mechanics_.work());
  rates.tail(nx).setZero();
  if (own > 0) {
    system.internal_states()->state_rates(inside, q, u, x, rates.segment(nu, own),
                                          mechanics_.work());
  }
  if (system.ne() == 0) return;
  ElementForces& elements = mechanics_.elements;
  elements.update(system, inside, q, u, y.tail(nx), mechanics_.work(), mechanics_.xdot);
  rates.head(nu).noalias() += elements.kinematics.W * elements.force;
  rates.tail(nx - own) = mechanics_.xdot.tail(nx - own);
}

const Matrix& SmoothForces::linearise(double t, const ConstVectorRef& y,
                                      const ConstVectorRef& rates, double share, double along,
                                      const Matrix& M, const ConstVectorRef& size) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const auto u = y.segment(nq, nu);
  A_.resize(rates.size(), rates.size());
  const double usual = std::max(u.cwiseAbs().maxCoeff(), size.head(nu).cwiseAbs().maxCoeff());
  for (Index j = 0; j < A_.cols(); ++j) {
    const double value = std::abs(y(nq + j)), change = std::abs(size(j));
    double scale = std::max(value, change);
    if (j < nu) scale = std::max(scale, 1e-3 * usual);
    const double distance = stepping::kDifference * (scale > 0.0 ? scale : 1.0);
    y_ = y;
    y_(nq + j) += distance;
    if (j < nu) {
      unit_.setZero();
      unit_(j) = distance * along;
      mechanics_.coordinate_rates(t, y.head(nq), unit_, q_step_);
      y_.head(nq) += q_step_;
    }
    evaluate(t, y_, rates_);
    A_.col(j) = (rates_ - rates) * (-share / distance);
  }
  A_.topLeftCorner(nu, nu) += M;
  A_.diagonal().tail(A_.rows() - nu).array() += 1.0;
  return A_;
}

}  // namespace nsmb
