#include "nsmb/stepping/force_parts.hpp"

namespace nsmb {

namespace {

FreeMotion::Kind kind_of(const System& system) {
  if (system.free_motion()) return system.free_motion()->kind();
  const bool is_straight =
      system.constant_mass_matrix() && !system.coordinate_map() && system.nb() == 0;
  return is_straight ? FreeMotion::Kind::Closed : FreeMotion::Kind::Bent;
}

}  // namespace

ForceParts::ForceParts(Mechanics& mechanics)
    : mechanics_(mechanics),
      known_(mechanics.system().free_motion()),
      kind_(kind_of(mechanics.system())),
      u_(mechanics.nu()),
      forward_(mechanics.nu()),
      backward_(mechanics.nu()),
      at_rest_(mechanics.nu()) {}

void ForceParts::find_halves(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                             const ConstVectorRef& x) {
  const System& system = mechanics_.system();
  system.forces(t, q, u, x, forward_, mechanics_.work());
  u_ = -u;
  system.forces(t, q, u_, x, backward_, mechanics_.work());
  u_.setZero();
  system.forces(t, q, u_, x, at_rest_, mechanics_.work());
}

void ForceParts::gyroscopic(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                            const ConstVectorRef& x, VectorRef h) {
  t = mechanics_.span().inside(t);
  if (known_) return known_->gyroscopic_forces(t, q, u, h, mechanics_.work());
  find_halves(t, q, u, x);
  h = 0.5 * (forward_ + backward_) - at_rest_;
}

void ForceParts::loads(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                       const ConstVectorRef& x, VectorRef h) {
  t = mechanics_.span().inside(t);
  const System& system = mechanics_.system();
  if (known_ && kind_ != FreeMotion::Kind::Whole) {
    return known_->loads(t, q, u, x, h, mechanics_.work());
  }
  if (kind_ != FreeMotion::Kind::Bent) return system.forces(t, q, u, x, h, mechanics_.work());
  find_halves(t, q, u, x);
  h = 0.5 * (forward_ - backward_) + at_rest_;
}

}  // namespace nsmb
