#include "nsmb/system/friction_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {

StribeckCurve::StribeckCurve(double mu_0, double mu_d, double v_s, double delta, double k)
    : mu_0_(mu_0), mu_d_(mu_d), v_s_(v_s), delta_(delta), k_(k) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check_finite("mu_0", mu_0);
  check_finite("mu_d", mu_d);
  check_finite("k", k);
  check_range("mu_0", mu_0, 0.0, infinity);
  check_range("mu_d", mu_d, 0.0, infinity);
  check_positive("v_s", v_s);
  check_positive("delta", delta);
  check_range("k", k, 0.0, infinity);
}

double StribeckCurve::coefficient(double speed) const {
  return mu_d_ + (mu_0_ - mu_d_) * std::exp(-std::pow(speed / v_s_, delta_)) + k_ * speed;
}

CubicCurve::CubicCurve(std::vector<double> speeds, std::vector<double> coefficients)
    : speeds_(std::move(speeds)), coefficients_(std::move(coefficients)) {
  if (speeds_.size() < 2 || speeds_.front() != 0.0) {
    reject("speeds", "at least two speeds, the first 0",
           std::to_string(speeds_.size()) + " speeds");
  }
  for (std::size_t k = 0; k + 1 < speeds_.size(); ++k) {
    if (!(speeds_[k] < speeds_[k + 1])) reject("speeds", "increasing", to_text(speeds_[k + 1]));
  }
  if (coefficients_.size() != 4 * (speeds_.size() - 1)) {
    reject("coefficients", "four per interval", std::to_string(coefficients_.size()));
  }
}

double CubicCurve::piece(std::size_t interval, double speed) const {
  const double* c = &coefficients_[4 * interval];
  const double s = speed - speeds_[interval];
  return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
}

double CubicCurve::coefficient(double speed) const {
  if (speed >= speeds_.back()) return piece(speeds_.size() - 2, speeds_.back());
  const auto above = std::upper_bound(speeds_.begin(), speeds_.end(), speed);
  return piece(static_cast<std::size_t>(above - speeds_.begin()) - 1, speed);
}

}  // namespace nsmb
