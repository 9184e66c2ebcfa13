#include "nsmb/simulation/varied_systems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

void check_shifts(const System& system, const std::vector<ParameterShift>& shifts) {
  const auto fits = [&](const System& s) {
    return s.ny() == system.ny() && s.nq() == system.nq() && s.nc() == system.nc() &&
           s.nt() == system.nt() && s.ne() == system.ne() && s.nb() == system.nb() &&
           s.ni() == system.ni() &&
           (s.linear_form() != nullptr) == (system.linear_form() != nullptr);
  };
  for (const ParameterShift& shift : shifts) {
    if (!shift.plus || !shift.minus || !fits(*shift.plus) || !fits(*shift.minus)) {
      reject("shifts", "systems of the same shape as the running one", "systems of another shape");
    }
    if (!std::isfinite(shift.distance) || shift.distance == 0.0) {
      reject("distance", "a number other than 0", to_text(shift.distance));
    }
  }
}

Follower::Follower(const System& s, const TransitionOptions& options,
                   const PhaseFactory& make_phase)
    : system(s), phase(make_phase(s)), mechanics(s, options) {}

VariedSystems::VariedSystems(const System& system, const TransitionOptions& options,
                             const PhaseFactory& make_phase, std::vector<ParameterShift> shifts)
    : own(system, options, make_phase),
      near(system),
      shifts_(std::move(shifts)),
      plain_rates_(!system.coordinate_map()) {
  for (const ParameterShift& shift : shifts_) {
    plus_.push_back(std::make_unique<Follower>(*shift.plus, options, make_phase));
    minus_.push_back(std::make_unique<Follower>(*shift.minus, options, make_phase));
  }
}

template <typename Do>
void VariedSystems::for_all(const Do& one) {
  one(own);
  for (const auto& follower : plus_) one(*follower);
  for (const auto& follower : minus_) one(*follower);
}

void VariedSystems::adopt(const Phase& phase) {
  for_all([&](Follower& follower) { follower.phase->adopt(phase); });
}

void VariedSystems::set_inputs(const ConstVectorRef& values) {
  for_all([&](Follower& follower) {
    follower.phase->set_inputs(values);
    follower.mechanics.mechanics.set_inputs(values);
  });
}

void VariedSystems::set_span(const Discontinuity& from, const Discontinuity& to) {
  for_all([&](Follower& follower) {
    const Discontinuities& there = follower.system.discontinuities();
    const Discontinuity begin = there.corresponding(from), end = there.corresponding(to);
    follower.phase->set_span(begin, end);
    follower.mechanics.mechanics.set_span(TimeSpan(begin, end));
  });
}

void VariedSystems::freeze(const FrozenRoles& roles, const ElementModes& modes,
                           const ContactFeatures& features) {
  for_all([&](Follower& follower) {
    follower.phase->set_features(features);
    follower.phase->freeze(roles, modes);
  });
}

double VariedSystems::slip_step(const FrozenRoles& roles, Index component) const {
  const System& system = own.system;
  const Index j = component - system.nq();
  const ContactRows& rows = system.rows();
  const Mechanics& mechanics = own.mechanics.mechanics;
  double step = std::numeric_limits<double>::infinity();
  if (!system.has_curves() && !rows.spatial) return step;
  for (Index i = 0; i < rows.nc && j >= 0 && j < system.nu(); ++i) {
    if (!is_slip(roles[static_cast<std::size_t>(i)].state)) continue;
    const auto w = mechanics.contacts.W_T.row(j).segment(rows.tangent(i), rows.dim(i));
    const double slip = std::abs(mechanics.slip(i));
    if (slip > 0.0 && w.any()) step = std::min(step, derivatives::kSlipPart * slip / w.norm());
  }
  return step;
}

}  // namespace nsmb
