#include "nsmb/simulation/indicators.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb {

Observation::Observation(const System& system)
    : contacts(Matrix::Zero(system.nc(), kObservables)),
      gamma_T(Vector::Zero(system.nt())),
      lambda_T(Vector::Zero(system.nt())),
      lambda_B(Vector::Zero(system.nb())),
      element_gamma(Vector::Zero(system.ne())),
      element_force(Vector::Zero(system.ne())),
      element_switch(Vector::Zero(system.ne())),
      domain(Vector::Zero(system.nc())),
      margin(Vector::Zero(system.nc())),
      approach(Vector::Zero(system.nc())) {}

namespace {

// m: from this gap on a contact point beyond its features is apart, and may come to touch.
constexpr double kApart = 1e-9;

// From where the end of the features counts. A contact that has been refused at a corner is looked
// at again where it lies clearly within them.
double domain_offset(double domain, bool valid, bool closed) {
  if (valid) return closed ? kOverrun : 2.0 * kComing;
  return domain > -kComing ? 2.0 * std::max(domain, 0.0) + kOverrun : 0.0;
}

}  // namespace

void list_indicators(const FrozenRoles& roles, const System& system,
                     const ContactKinematics& contacts, const std::vector<bool>& frictionless,
                     const std::vector<bool>& tangential_direction,
                     std::vector<Indicator>& indicators) {
  const ContactRows& rows = system.rows();
  indicators.clear();
  for (std::size_t c = 0; c < roles.size(); ++c) {
    const FrozenRole& role = roles[c];
    const Index i = static_cast<Index>(c);
    if (system.has_features() && rows.is_unilateral(i)) {
      if (std::isfinite(contacts.margin(i))) indicators.push_back({IndicatorKind::Margin, i});
      if (!contacts.features.slots[c].used()) continue;
      const bool valid = contacts.is_valid(i);
      if (std::isfinite(contacts.domain(i))) {
        const double offset = domain_offset(contacts.domain(i), valid, is_closed(role.state));
        indicators.push_back({IndicatorKind::Domain, i, valid ? 1.0 : -1.0, offset});
      }
      if (!valid) {
        // At a corner a point may be within its features for no longer than it takes to pass.
        if (contacts.g_N(i) > kApart) indicators.push_back({IndicatorKind::Approach, i});
        continue;
      }
    }
    if (!is_closed(role.state)) {
      indicators.push_back({IndicatorKind::Gap, i});
      continue;
    }
    if (role.normal_force && !roles.ask_law) indicators.push_back({IndicatorKind::NormalForce, i});
    if (frictionless[c] && rows.dim(i) > 1) continue;  // slips freely, whatever its speed
    if (is_slip(role.state)) {
      const double sign = rows.dim(i) > 1 ? 1.0 : slip_sign(role.state);
      indicators.push_back({IndicatorKind::SlipVelocity, i, sign});
    } else if (frictionless[c]) {
      if (!tangential_direction[c]) continue;
      indicators.push_back({IndicatorKind::RestVelocity, i, 1.0});
      indicators.push_back({IndicatorKind::RestVelocity, i, -1.0});
    } else if (role.tangential_force[0] && !roles.ask_law) {
      indicators.push_back({IndicatorKind::ReservePositive, i});
      indicators.push_back({IndicatorKind::ReserveNegative, i});
    }
  }
  for (Index e = 0; e < system.ne(); ++e) indicators.push_back({IndicatorKind::Switch, e});
  if (roles.ask_law) indicators.push_back({IndicatorKind::Law, -1});
  bool slides = false;
  for (std::size_t c = 0; c < roles.size(); ++c) {
    const bool pressed = rows.normal_of(static_cast<Index>(c)) >= 0;
    slides = slides || (roles[c].at_bound && pressed);
  }
  if (slides && !roles.law_forces) indicators.push_back({IndicatorKind::Regularity, -1});
}

Eigen::Matrix<double, 1, kObservables> weights(const Indicator& indicator) {
  Eigen::Matrix<double, 1, kObservables> w;
  w.setZero();
  switch (indicator.kind) {
    case IndicatorKind::Gap:
      w(kGap) = 1.0;
      break;
    case IndicatorKind::NormalForce:
      w(kLambdaN) = 1.0;
      break;
    case IndicatorKind::SlipVelocity:
      w(kGammaT) = indicator.sign;
      break;
    case IndicatorKind::RestVelocity:
      w(kGammaT) = -indicator.sign;
      break;
    case IndicatorKind::ReservePositive:
      w(kRadius) = 1.0;
      w(kLambdaT) = -1.0;
      break;
    case IndicatorKind::ReserveNegative:
      w(kRadius) = 1.0;
      w(kLambdaT) = 1.0;
      break;
    case IndicatorKind::Switch:
    case IndicatorKind::Law:
    case IndicatorKind::Regularity:
    case IndicatorKind::Approach:
    case IndicatorKind::Domain:
    case IndicatorKind::Margin:
      break;
  }
  return w;
}

double value(const Indicator& indicator, const Observation& observation) {
  constexpr double kSingular = 1e-10;
  if (indicator.kind == IndicatorKind::Regularity) return observation.regularity - kSingular;
  if (indicator.kind == IndicatorKind::Switch) {
    return indicator.offset + observation.element_switch(indicator.contact);
  }
  if (indicator.kind == IndicatorKind::Approach) return observation.approach(indicator.contact);
  if (indicator.kind == IndicatorKind::Margin) return observation.margin(indicator.contact);
  if (indicator.kind == IndicatorKind::Domain) {
    return indicator.offset + indicator.sign * observation.domain(indicator.contact);
  }
  return indicator.offset + weights(indicator).dot(observation.contacts.row(indicator.contact));
}

}  // namespace nsmb
