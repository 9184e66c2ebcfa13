#include "nsmb/simulation/instant_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

InstantResolution::InstantResolution(InstantWorkspace& work)
    : rest_speeds(Vector::Zero(work.rows.nc)),
      rounding_terms(Vector::Zero(work.rows.size())),
      work_(work) {}

double InstantResolution::velocity(Index row) const {
  return std::max(work_.mechanics.velocity_resolution(row, work_.options.rest_velocity),
                  unclocked_speed(row));
}

// A support that moves with time is located to the resolution of t. An approach or separation that
// ends within a few ticks of t does not count.
double InstantResolution::unclocked_speed(Index row) const {
  const Mechanics& mechanics = work_.mechanics;
  if (row >= work_.rows.nc || mechanics.contacts.w_tilde_N(row) == 0.0) return 0.0;
  const double tick = resolutions::kTicks * std::abs(work_.memory.t);
  return tick * std::abs(mechanics.free_N(row));
}

double InstantResolution::rest_speed(Index i) const {
  return takes_rest ? std::max(work_.options.rest_velocity, rest_speeds(i))
                    : work_.options.rest_velocity;
}

double InstantResolution::slip(Index i) const {
  return work_.mechanics.slip_velocity_resolution(i, rest_speed(i));
}

double InstantResolution::acceleration(Index row) const {
  // Where no force acts, accelerations consist of rounding of velocities. Let T be the time in
  // which rest passes a gap that counts as closed. A smaller acceleration changes a velocity within
  // T by less than its rounding, or within 1e6 T by less than what counts as motion.
  const TransitionOptions& options = work_.options;
  const double rounding = std::max(resolutions::kSummed * work_.mechanics.speed_beside(row),
                                   resolutions::kCreep * options.rest_velocity);
  return std::max({work_.mechanics.acceleration_resolution(row, work_.forces), rounding_terms(row),
                   rounding * options.rest_velocity / options.gap_tolerance});
}

double InstantResolution::slip_acceleration(Index i) const {
  double largest = acceleration(work_.rows.row(i));
  if (work_.rows.dim(i) > 1) largest = std::max(largest, acceleration(work_.rows.row(i) + 1));
  return largest;
}

double InstantResolution::force(Index i) const {
  const Index row = work_.rows.is_unilateral(i) ? i : work_.rows.row(i);
  return acceleration(row) / work_.mechanics.delassus.G(row, row);
}

double InstantResolution::switch_function(Index e) const {
  const std::size_t k = static_cast<std::size_t>(e);
  const ForceElementDescription& element = work_.mechanics.system().elements()[k];
  if (element.law == ElementLaw::Watched) return element.resolution;
  const bool closed = work_.mechanics.elements.modes[k] == ElementMode::Closed;
  const bool by_force = element.law == ElementLaw::Clipped || (has_wall(element.law) && closed);
  if (!by_force) return work_.options.gap_tolerance;
  return element.c * work_.options.gap_tolerance + element.d * work_.options.rest_velocity;
}

void InstantResolution::perturb(double t, const ConstVectorRef& y) {
  const double ulps = 4.0 * std::numeric_limits<double>::epsilon();
  const Index nc = work_.rows.nc;
  work_.mechanics.update(t, y);
  const Vector free_N = work_.mechanics.free_N, free_T = work_.mechanics.free_T;
  Vector moved(y.size());
  rounding_terms.setZero();
  for (Index pattern = 1; pattern <= 4; pattern *= 2) {
    for (const double way : {ulps, -ulps}) {
      for (Index i = 0; i < y.size(); ++i) moved(i) = y(i) * (1.0 + ((i & pattern) ? way : -way));
      work_.mechanics.update(t + way * std::abs(t), moved);
      rounding_terms.head(nc) =
          rounding_terms.head(nc).cwiseMax((work_.mechanics.free_N - free_N).cwiseAbs());
      rounding_terms.tail(work_.rows.nt) =
          rounding_terms.tail(work_.rows.nt).cwiseMax((work_.mechanics.free_T - free_T).cwiseAbs());
    }
  }
  rounding_terms *= 8.0;
}

}  // namespace nsmb
