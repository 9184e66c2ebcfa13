#include "nsmb/simulation/element_forces.hpp"

#include "nsmb/system/element_set.hpp"
#include "nsmb/system/watched_functions.hpp"

namespace nsmb {

ElementForces::ElementForces(const System& system)
    : modes(static_cast<std::size_t>(system.ne()), ElementMode::Open),
      kinematics(system.nu(), system.ne()),
      speed(Vector::Zero(system.ne())),
      force(Vector::Zero(system.ne())),
      switch_value(Vector::Zero(system.ne())) {}

void ElementForces::update(const System& system, double t, const ConstVectorRef& q,
                           const ConstVectorRef& u, const ConstVectorRef& x, SystemWorkspace& work,
                           VectorRef xdot) {
  if (system.element_set()) system.element_set()->element_kinematics(t, q, kinematics, work);
  speed = kinematics.w_tilde;
  speed.noalias() += kinematics.W.transpose() * u;
  if (const WatchedFunctions* watched = system.watched_functions(); watched && watches) {
    watched->watch(t, q, u, x.head(system.nx_own()), switch_value, work);
  }
  for (Index e = 0; e < system.ne(); ++e) {
    const std::size_t k = static_cast<std::size_t>(e);
    const ForceElementDescription& element = system.elements()[k];
    if (element.law == ElementLaw::Watched) {
      kinematics.gamma(e) = switch_value(e);
      continue;
    }
    const Index wall = system.wall(e);
    const double place = wall < 0 ? 0.0 : x(wall);
    const double gamma = kinematics.gamma(e);
    force(e) = element_force(element, modes[k], gamma, speed(e));
    switch_value(e) = switch_function(element, modes[k], gamma, speed(e), place);
    if (wall >= 0) xdot(wall) = wall_rate(element, modes[k], speed(e), place);
  }
}

}  // namespace nsmb
