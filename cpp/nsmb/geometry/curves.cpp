#include "nsmb/geometry/curves.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

void extend(CurveDerivatives& d, double beyond) {
  d.r += beyond * (d.d1 + 0.5 * beyond * d.d2);
  d.d1 += beyond * d.d2;
}

double wrapped(double sigma, double begin, double end) {
  const double period = end - begin;
  const double inside = sigma - period * std::floor((sigma - begin) / period);
  return inside < end ? inside : begin;
}

LineContour::LineContour(const Vector2& point, const Vector2& direction)
    : point_(point), direction_(direction.normalized()) {
  check_finite("point", point);
  check_finite("direction", direction);
  if (!(direction.norm() > 0.0)) reject("direction", "a vector that is not zero", "zero");
  tree_frame_.c = direction_.x();
  tree_frame_.s = direction_.y();
  tree_frame_.r = point_;
  cover_edges();
}

Piece LineContour::piece(Index) const {
  Piece p;
  p.shape = PieceShape::Straight;
  p.begin = -kInfinity;
  p.end = kInfinity;
  return p;
}

void LineContour::derivatives(Index, double sigma, CurveDerivatives& out) const {
  out.r = point_ + sigma * direction_;
  out.d1 = direction_;
  out.d2.setZero();
}

PointContour::PointContour(const Vector2& point) : point_(point) {
  check_finite("point", point);
  cover_vertex(point);
}

Vertex PointContour::vertex(Index) const {
  Vertex v;
  v.r = point_;
  v.has_cone = false;
  return v;
}

void PointContour::derivatives(Index, double, CurveDerivatives& out) const {
  out = {point_, Vector2::Zero(), Vector2::Zero()};
}

CurveContour::CurveContour(double begin, double end, bool closed)
    : begin_(begin), end_(end), closed_(closed) {
  if (!(end > begin)) reject("end", "a parameter > " + to_text(begin), to_text(end));
}

Piece CurveContour::piece(Index) const {
  Piece p;
  p.begin = begin_;
  p.end = end_;
  p.closed = closed_;
  return p;
}

void CurveContour::make_ends(double length) {
  if (closed_) return;
  if (std::isinf(begin_)) {  // no ends that could be touched
    ends_[0].is_convex = ends_[1].is_convex = false;
    return;
  }
  ends_[0] = end_vertex(at(0, begin_), true, length);
  ends_[1] = end_vertex(at(0, end_), false, length);
}

CircleContour::CircleContour(const Vector2& center, double radius)
    : CurveContour(0.0, 2.0 * std::numbers::pi, true), center_(center), radius_(radius) {
  set_up();
}

CircleContour::CircleContour(const Vector2& center, double radius, double begin, double end)
    : CurveContour(begin, end, false), center_(center), radius_(radius) {
  if (end - begin >= 2.0 * std::numbers::pi) {
    reject("end", "less than a full turn after begin", to_text(end - begin) + " rad");
  }
  set_up();
}

void CircleContour::set_up() {
  check_finite("center", center_);
  check_finite("radius", radius_);
  if (radius_ == 0.0) reject("radius", "a number that is not 0", "0");
  make_ends(std::abs(radius_) * (end_ - begin_));
  cover(4);
}

Piece CircleContour::piece(Index i) const {
  Piece p = CurveContour::piece(i);
  p.shape = PieceShape::Circular;
  p.center = center_;
  p.radius = radius_;
  return p;
}

void CircleContour::derivatives(Index, double sigma, CurveDerivatives& out) const {
  const double R = std::abs(radius_), y = radius_;
  const double c = std::cos(sigma), s = std::sin(sigma);
  out.r = center_ + Vector2(R * c, y * s);
  out.d1 = {-R * s, y * c};
  out.d2 = {-R * c, -y * s};
}

EllipseContour::EllipseContour(double a, double b, bool concave)
    : CurveContour(0.0, 2.0 * std::numbers::pi, true), a_(a), b_(concave ? -b : b) {
  check_positive("a", a);
  check_positive("b", b);
  cover(8);
}

void EllipseContour::derivatives(Index, double sigma, CurveDerivatives& out) const {
  const double c = std::cos(sigma), s = std::sin(sigma);
  out.r = {a_ * c, b_ * s};
  out.d1 = {-a_ * s, b_ * c};
  out.d2 = {-a_ * c, -b_ * s};
}

ParabolaContour::ParabolaContour(double p_1, double p_2, bool concave, double half_width)
    : CurveContour(-half_width, half_width, false),
      p_1_(p_1),
      p_2_(p_2),
      sense_(concave ? 1.0 : -1.0) {
  check_positive("p_1", p_1);
  check_finite("p_2", p_2);
  make_ends(2.0 * half_width);
  // Grid with steps of 5° of the tangent angle.
  const double steepest = std::atan(std::min(2.0 * p_1 * half_width, contour_tuning::kSteepest));
  const int n = 2 * static_cast<int>(std::ceil(steepest / (std::numbers::pi / 36.0)));
  std::vector<double> grid;
  for (int k = 0; k <= n; ++k) {
    grid.push_back(std::tan(steepest * (2.0 * k / n - 1.0)) / (2.0 * p_1));
  }
  cover(grid);
  size_ = std::min(size_, 4.0 / p_1);  // the arms do not determine the scale of contacts
}

void ParabolaContour::derivatives(Index, double sigma, CurveDerivatives& out) const {
  out.r = {sense_ * sigma, -p_1_ * sigma * sigma + p_2_};
  out.d1 = {sense_, -2.0 * p_1_ * sigma};
  out.d2 = {0.0, -2.0 * p_1_};
}

UserContour::UserContour(Function function, double begin, double end, bool closed, Index parts)
    : CurveContour(begin, end, closed), function_(std::move(function)) {
  check_finite("begin", begin);
  check_finite("end", end);
  double length = 0.0;
  const double step = (end - begin) / static_cast<double>(parts);
  for (Index k = 0; k <= parts; ++k) {
    const double sigma = k == parts ? end : begin + step * static_cast<double>(k);
    CurveDerivatives d;
    function_(sigma, d);
    const std::string where = "at sigma = " + to_text(sigma);
    if (!(d.r.allFinite() && d.d1.allFinite() && d.d2.allFinite())) {
      reject("curve", "finite r, r', r''", "a value that is not finite " + where);
    }
    if (!(d.d1.norm() > 0.0)) reject("curve", "r' that is not zero", "zero " + where);
    length += d.d1.norm() * step;
  }
  if (closed) {
    CurveDerivatives a, b;
    function_(begin, a);
    function_(end, b);
    const CurvePoint p = curve_point(a), q = curve_point(b);
    if ((p.r - q.r).norm() > 1e-9 * length) {
      reject("curve", "a closed curve, r(end) = r(begin)", to_text((p.r - q.r).norm()) + " apart");
    }
    if ((p.t - q.t).norm() > 1e-6) {
      reject("curve", "a continuous tangent at the closing point",
             "a kink of " + to_text((p.t - q.t).norm()));
    }
  }
  make_ends(length);
  cover(parts);
}

void UserContour::derivatives(Index, double sigma, CurveDerivatives& out) const {
  if (closed_) {
    function_(wrapped(sigma, begin_, end_), out);
    return;
  }
  const double inside = std::clamp(sigma, begin_, end_);
  function_(inside, out);
  if (inside != sigma) extend(out, sigma - inside);
}

}  // namespace nsmb
