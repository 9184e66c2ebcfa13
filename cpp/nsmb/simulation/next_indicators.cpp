#include "nsmb/simulation/next_indicators.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/instant_states.hpp"

namespace nsmb {

namespace {

// A switch function must fall below zero by more than rounding to be a switch; this part of its
// tolerance is that of numbers of size one, and moves no switch by more.
constexpr double kSwitchRounding = 1e-6;
// Mass and wall move together behind (3.23), to the accuracy with which its instant is located.
constexpr double kTogether = 1e-6;

}  // namespace

void NextIndicators::prepare() {
  frictionless_.resize(work_.roles.size());
  tangential_direction_.resize(work_.roles.size());
  for (Index i = 0; i < work_.rows.nc; ++i) {
    frictionless_[static_cast<std::size_t>(i)] = work_.mechanics.is_frictionless(i);
    tangential_direction_[static_cast<std::size_t>(i)] =
        work_.mechanics.delassus.G(work_.rows.row(i), work_.rows.row(i)) > 0.0;
  }
  list_indicators(work_.roles, work_.mechanics.system(), work_.mechanics.contacts, frictionless_,
                  tangential_direction_, list_);
  for (Indicator& indicator : list_) prepare(indicator);
}

// Of the zero of γ_T where slip begins. From its limit it begins without acceleration, but for what
// the limit is known to. In a plane that shows where slip would end at once.
Index NextIndicators::order_of_slip(Index i) const {
  const std::size_t c = static_cast<std::size_t>(i);
  if (work_.memory.insists[c]) return 3;
  double zero = resolution_.slip_acceleration(i);
  if (work_.memory.left_limit[c]) {
    const Index row = work_.rows.row(i);
    const double inaccuracy = kLimitResolution * work_.forces.radius(i);
    zero = std::max(zero, inaccuracy * work_.mechanics.delassus.G(row, row));
  }
  const Index order = std::abs(work_.gammadot_T(i)) > zero ? 1 : 2;
  return std::min<Index>(3, order + work_.memory.restarts[c]);
}

// Is γ_T zero where a phase with slip begins? Clear slip in its direction is not, as where the rest
// of a contact without friction ends, or the phase of another contact: its zero would be displaced.
bool NextIndicators::starts_from_rest(const Indicator& indicator) const {
  const Index i = indicator.contact;
  if (work_.memory.from_rest[static_cast<std::size_t>(i)]) return true;
  const double slip = work_.mechanics.slip(i), zero = resolution_.slip(i);
  return std::abs(slip) <= zero && (work_.rows.dim(i) > 1 || indicator.sign * slip <= 0.5 * zero);
}

void NextIndicators::prepare(Indicator& indicator) const {
  const Index i = indicator.contact;
  switch (indicator.kind) {
    case IndicatorKind::Gap:
      indicator.noise = resolution_.acceleration(i);
      if (work_.mechanics.contacts.g_N(i) <= work_.options.gap_tolerance) {
        const bool accelerates = work_.forces.gammadot_N(i) > resolution_.acceleration(i);
        indicator.zeros = work_.mechanics.gamma_N(i) > resolution_.velocity(i) ? 1
                          : accelerates                                        ? 2
                                                                               : 3;
      }
      break;
    case IndicatorKind::NormalForce:
      indicator.noise = resolution_.force(i);
      if (work_.forces.lambda_N(i) <= resolution_.force(i)) indicator.zeros = 1;
      break;
    case IndicatorKind::SlipVelocity:
      indicator.noise = resolution_.slip(i);
      if (starts_from_rest(indicator)) indicator.zeros = order_of_slip(i);
      break;
    case IndicatorKind::ReservePositive:
    case IndicatorKind::ReserveNegative: {
      const double sign = indicator.kind == IndicatorKind::ReservePositive ? 1.0 : -1.0;
      const double bound = work_.forces.radius(i);
      const Index row = work_.rows.row(i);
      indicator.noise = work_.mechanics.mu(i) * resolution_.force(i) +
                        resolution_.acceleration(row) / work_.mechanics.delassus.G(row, row);
      const double reserve = bound - sign * work_.forces.lambda_T(work_.rows.tangent(i));
      if (reserve <= kLimitResolution * bound + resolution_.force(i)) indicator.zeros = 1;
      break;
    }
    case IndicatorKind::RestVelocity:
      indicator.offset = resolution_.slip(i);
      break;
    case IndicatorKind::Switch: {
      // Zero to rounding behind a switch; a wall that was just left has the velocity of the mass
      // unless an impact took it away, (3.23).
      indicator.offset = kSwitchRounding * resolution_.switch_function(i);
      const std::size_t e = static_cast<std::size_t>(i);
      if (!work_.memory.switched[e] || work_.mechanics.elements.switch_value(i) > indicator.offset)
        break;
      const bool wall = has_wall(work_.mechanics.system().elements()[e].law);
      const bool opens = work_.mechanics.elements.modes[e] == ElementMode::Open;
      const Index place = work_.mechanics.system().wall(i);
      const double speed = work_.mechanics.elements.speed(i);
      const bool together =
          wall && opens && !work_.had_impact &&
          std::abs(speed - work_.mechanics.xdot(place)) <= kTogether * std::abs(speed);
      indicator.zeros = together ? 2 : 1;
      break;
    }
    case IndicatorKind::Law:
    case IndicatorKind::Regularity:
    case IndicatorKind::Approach:
    case IndicatorKind::Domain:
    case IndicatorKind::Margin:
      break;
  }
}

}  // namespace nsmb
