#include "nsmb/stepping/smooth_forces.hpp"

#include "nsmb/simulation/element_forces.hpp"
#include "nsmb/system/internal_states.hpp"

namespace nsmb {

void SmoothForces::evaluate(double t, const ConstVectorRef& y, VectorRef rates) {
  const System& system = mechanics_.system();
  const double inside = mechanics_.span().inside(t);
  const Index nq = system.nq(), nu = system.nu(), nx = system.nx(), own = system.nx_own();
  const auto q = y.head(nq);
  const auto u = y.segment(nq, nu);
  const auto x = y.tail(nx).head(own);
  if (parts_) {
    parts_->loads(t, q, u, x, rates.head(nu));
  } else {
    system.forces(inside, q, u, x, rates.head(nu), mechanics_.work());
  }
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

}  // namespace nsmb
