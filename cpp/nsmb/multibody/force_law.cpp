#include "nsmb/multibody/force_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

double ForceLaw::energy(double /*gamma*/) const { return std::numeric_limits<double>::quiet_NaN(); }

LawSlope ForceLaw::slope(double t, double gamma, double gamma_dot, const Vector& inputs) const {
  const double a = differences::kOfForces * std::max(1.0, std::abs(gamma));
  const double b = differences::kOfForces * std::max(1.0, std::abs(gamma_dot));
  const auto zeta = [&](double x, double v) { return force(t, x, v, inputs); };
  return {(zeta(gamma + a, gamma_dot) - zeta(gamma - a, gamma_dot)) / (2.0 * a),
          (zeta(gamma, gamma_dot + b) - zeta(gamma, gamma_dot - b)) / (2.0 * b)};
}

SpringDamper::SpringDamper(double c, double d, double free_length, double preload)
    : c_(c), d_(d), free_length_(free_length), preload_(preload) {
  check_finite("c", c);
  check_finite("d", d);
  check_finite("free_length", free_length);
  check_finite("preload", preload);
}

double SpringDamper::force(double /*t*/, double gamma, double gamma_dot,
                           const Vector& /*inputs*/) const {
  return c_ * (gamma - free_length_) + d_ * gamma_dot + preload_;
}

double SpringDamper::energy(double gamma) const {
  const double stretch = gamma - free_length_;
  return (0.5 * c_ * stretch + preload_) * stretch;
}

Index TableLaw::Curve::piece(double inside) const {
  const Index pieces = c.cols();
  const double* begin = x.data();
  return std::clamp<Index>(std::upper_bound(begin, begin + pieces, inside) - begin - 1, 0,
                           pieces - 1);
}

double TableLaw::Curve::at(double place) const {
  const Index pieces = c.cols();
  if (pieces == 0) return 0.0;
  const double inside = std::clamp(place, x(0), x(pieces));
  const Index k = piece(inside);
  const double s = inside - x(k);
  const double value = ((c(0, k) * s + c(1, k)) * s + c(2, k)) * s + c(3, k);
  const double slope = (3.0 * c(0, k) * s + 2.0 * c(1, k)) * s + c(2, k);
  return value + slope * (place - inside);
}

double TableLaw::Curve::slope(double place) const {
  const Index pieces = c.cols();
  if (pieces == 0) return 0.0;
  const double inside = std::clamp(place, x(0), x(pieces));
  const Index k = piece(inside);
  const double s = inside - x(k);
  return (3.0 * c(0, k) * s + 2.0 * c(1, k)) * s + c(2, k);
}

TableLaw::TableLaw(Curve spring, Curve damper)
    : spring_(std::move(spring)), damper_(std::move(damper)) {
  for (const Curve* curve : {&spring_, &damper_}) {
    if (curve->x.size() == 0 && curve->c.cols() == 0) continue;
    check_shape("c", curve->c, 4, curve->x.size() - 1);
    check_finite("x", curve->x);
    for (Index k = 1; k < curve->x.size(); ++k) {
      if (!(curve->x(k) > curve->x(k - 1))) reject("x", "ascending values", to_text(curve->x(k)));
    }
  }
}

double TableLaw::force(double /*t*/, double gamma, double gamma_dot,
                       const Vector& /*inputs*/) const {
  return spring_.at(gamma) + damper_.at(gamma_dot);
}

UserLaw::UserLaw(Function function, std::vector<Index> places)
    : function_(std::move(function)), places_(std::move(places)) {
  if (!function_) reject("law", "a function of (t, γ, γ̇)", "none");
}

double UserLaw::force(double t, double gamma, double gamma_dot, const Vector& inputs) const {
  return function_(t, gamma, gamma_dot, inputs(places_));
}

Index UserLaw::least_inputs() const {
  return places_.empty() ? 0 : *std::max_element(places_.begin(), places_.end()) + 1;
}

}  // namespace nsmb
