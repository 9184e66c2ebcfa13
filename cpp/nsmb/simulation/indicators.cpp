#include "nsmb/simulation/indicators.hpp"

namespace nsmb {

void list_indicators(const FrozenRoles& roles, const std::vector<bool>& frictionless,
                     const std::vector<bool>& tangential_direction,
                     std::vector<Indicator>& indicators) {
  indicators.clear();
  for (std::size_t c = 0; c < roles.size(); ++c) {
    const FrozenRole& role = roles[c];
    const Index i = static_cast<Index>(c);
    if (!is_closed(role.state)) {
      indicators.push_back({IndicatorKind::Gap, i});
      continue;
    }
    if (role.normal_force) indicators.push_back({IndicatorKind::NormalForce, i});
    if (is_slip(role.state)) {
      const double sign = slip_sign(role.state);
      indicators.push_back({IndicatorKind::SlipVelocity, i, sign});
    } else if (frictionless[c]) {
      if (!tangential_direction[c]) continue;
      indicators.push_back({IndicatorKind::RestVelocity, i, 1.0});
      indicators.push_back({IndicatorKind::RestVelocity, i, -1.0});
    } else if (role.tangential_force) {
      indicators.push_back({IndicatorKind::ReservePositive, i});
      indicators.push_back({IndicatorKind::ReserveNegative, i});
    }
  }
}

Eigen::Matrix<double, 1, kObservables> weights(const Indicator& indicator, double mu) {
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
      w(kLambdaN) = mu;
      w(kLambdaT) = -1.0;
      break;
    case IndicatorKind::ReserveNegative:
      w(kLambdaN) = mu;
      w(kLambdaT) = 1.0;
      break;
  }
  return w;
}

double value(const Indicator& indicator, double mu, const ConstMatrixRef& observables) {
  return indicator.offset + weights(indicator, mu).dot(observables.row(indicator.contact));
}

}  // namespace nsmb
