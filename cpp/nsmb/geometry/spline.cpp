#include "nsmb/geometry/spline.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

const std::vector<double>& rising(const std::vector<double>& knots) {
  if (knots.size() < 2) reject("knots", "at least two", std::to_string(knots.size()));
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    if (!(knots[k + 1] > knots[k]) || !std::isfinite(knots[k + 1] - knots[k])) {
      reject("knots", "strictly ascending numbers",
             to_text(knots[k + 1]) + " at " + std::to_string(k + 1));
    }
  }
  return knots;
}

}  // namespace

SplineContour::SplineContour(std::vector<double> knots, const ConstMatrixRef& x,
                             const ConstMatrixRef& y, bool closed)
    : CurveContour(rising(knots).front(), knots.back(), closed), knots_(std::move(knots)) {
  const auto intervals = static_cast<Index>(knots_.size()) - 1;
  check_shape("x", x, 4, intervals);
  check_shape("y", y, 4, intervals);
  check_finite("x", x);
  check_finite("y", y);
  for (Index k = 0; k < intervals; ++k) {
    Cubic cubic;
    cubic.row(0) = x.col(k).transpose();
    cubic.row(1) = y.col(k).transpose();
    cubics_.push_back(cubic);
  }
  double length = 0.0;
  for (std::size_t k = 0; k < cubics_.size(); ++k) {
    const std::size_t next = k + 1 < cubics_.size() ? k + 1 : 0;
    CurveDerivatives a, b;
    evaluate(k, knots_[k + 1] - knots_[k], a);
    evaluate(next, 0.0, b);
    length += (a.r - cubics_[k].col(0)).norm();
    const std::string where = "knot " + std::to_string(k + 1);
    if (!(a.d1.norm() > 0.0)) reject("spline", "r' that is not zero", "zero at " + where);
    if (next == 0 && !closed) continue;
    const double h = knots_[k + 1] - knots_[k];
    const double scale = a.r.norm() + h * a.d1.norm() + h * h * a.d2.norm();
    const double jump =
        (a.r - b.r).norm() + h * (a.d1 - b.d1).norm() + h * h * (a.d2 - b.d2).norm();
    if (jump > 1e-8 * scale) {
      reject("spline", "continuous curvature", "a jump of " + to_text(jump) + " at " + where);
    }
  }
  make_ends(length);
  std::vector<double> grid;
  for (std::size_t k = 0; k < cubics_.size(); ++k) {
    for (int i = 0; i < 4; ++i) grid.push_back(knots_[k] + 0.25 * i * (knots_[k + 1] - knots_[k]));
  }
  grid.push_back(knots_.back());
  cover(grid);
}

void SplineContour::evaluate(std::size_t interval, double tau, CurveDerivatives& out) const {
  const Cubic& p = cubics_[interval];
  out.r = p.col(0) + tau * (p.col(1) + tau * (p.col(2) + tau * p.col(3)));
  out.d1 = p.col(1) + tau * (2.0 * p.col(2) + 3.0 * tau * p.col(3));
  out.d2 = 2.0 * p.col(2) + 6.0 * tau * p.col(3);
}

void SplineContour::derivatives(Index, double sigma, CurveDerivatives& out) const {
  if (closed_) sigma = wrapped(sigma, begin_, end_);
  const double inside = std::clamp(sigma, begin_, end_);
  const auto above = std::upper_bound(knots_.begin(), knots_.end(), inside);
  const auto interval =
      std::min(static_cast<std::size_t>(above - knots_.begin()) - 1, cubics_.size() - 1);
  evaluate(interval, inside - knots_[interval], out);
  // Extrapolated to second order, because the cubic may bend sharply beyond an open end.
  if (inside != sigma) {
    const double beyond = sigma - inside;
    out.r += beyond * (out.d1 + 0.5 * beyond * out.d2);
    out.d1 += beyond * out.d2;
  }
}

}  // namespace nsmb
