#include "nsmb/geometry/contour.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr int kMaxDepth = 14;  // bisections of an element of the first cover

double angle_between(const Vector2& a, const Vector2& b) {
  return std::atan2(cross(a, b), a.dot(b));
}

}  // namespace

Pose::Pose(const Vector2& origin, double phi) : r(origin), c(std::cos(phi)), s(std::sin(phi)) {}

Vector2 Pose::direction(const Vector2& a) const {
  return {c * a.x() - s * a.y(), s * a.x() + c * a.y()};
}

Vector2 Pose::local(const Vector2& p) const {
  const Vector2 d = p - r;
  return {c * d.x() + s * d.y(), -s * d.x() + c * d.y()};
}

RelativePose relative(const Pose& a, const Pose& b) {
  RelativePose p;
  const double cosine = a.c * b.c + a.s * b.s, sine = a.c * b.s - a.s * b.c;
  p.A << cosine, -sine, sine, cosine;
  p.r = a.local(b.r);
  return p;
}

CurvePoint curve_point(const CurveDerivatives& d) {
  CurvePoint p;
  p.r = d.r;
  p.speed = d.d1.norm();
  p.t = d.d1 / p.speed;
  p.n = left_of(p.t);
  p.kappa = cross(d.d1, d.d2) / (p.speed * p.speed * p.speed);
  return p;
}

CurvePoint Contour::at(Index piece, double sigma) const {
  CurveDerivatives d;
  derivatives(piece, sigma, d);
  return curve_point(d);
}

void edge_range(const Corners& corners, double sigma, double length, double h, double& from_begin,
                double& from_end) {
  const double depth = std::max(h, 0.0);
  const auto shift = [&](double cot) {
    return cot >= 0.0 ? -depth * cot : std::max(-depth * cot, corners.overlap);
  };
  from_begin = sigma + shift(corners.cot_begin);
  from_end = length - sigma + shift(corners.cot_end);
}

Vertex end_vertex(const CurvePoint& p, bool at_begin, double length) {
  Vertex v;
  v.r = p.r;
  v.t_in = at_begin ? -p.t : p.t;
  v.t_out = -v.t_in;
  const double reach =
      std::min(length, 1.0 / std::max(std::abs(p.kappa), 1.0 / contour_tuning::kFar));
  v.reach_in = v.reach_out = reach;
  v.is_end = true;
  return v;
}

void Contour::add(Index piece, double begin, double end, int depth, std::vector<Box>& boxes) {
  const CurvePoint a = at(piece, begin), b = at(piece, end);
  const double half = 0.5 * (end - begin);
  const CurvePoint m = at(piece, begin + half);
  const CurvePoint u = at(piece, begin + 0.5 * half), v = at(piece, begin + 1.5 * half);
  double low = 0.0, high = 0.0;  // tangent angles relative to the first one
  double turned = 0.0;
  const CurvePoint* last = &a;
  for (const CurvePoint* p : {&u, &m, &v, &b}) {
    turned += angle_between(last->t, p->t);
    low = std::min(low, turned);
    high = std::max(high, turned);
    last = p;
  }
  // Also sampled evenly in length, so that the middle is a good start.
  const double uneven = std::max(a.speed, b.speed) / std::min(a.speed, b.speed);
  if ((high - low > contour_tuning::kElementTurn || uneven > 2.0) && depth < kMaxDepth) {
    add(piece, begin, begin + half, depth + 1, boxes);
    add(piece, begin + half, end, depth + 1, boxes);
    return;
  }
  Element e;
  e.piece = piece;
  e.begin = begin;
  e.end = end;
  e.heading = std::atan2(a.t.y(), a.t.x()) + 0.5 * (low + high);
  // Between the five samples the tangent may turn slightly further.
  e.half_turn = 0.75 * (high - low);
  e.has_hollow = std::min({a.kappa, u.kappa, m.kappa, v.kappa, b.kappa}) < 0.0;
  elements_.push_back(e);
  Box box = join(join(box_around(a.r, u.r), box_around(m.r, v.r)), box_around(b.r, b.r));
  // The distance of the curve from the chord of a quarter is less than its length times its turn.
  const double longest =
      std::max({(u.r - a.r).norm(), (m.r - u.r).norm(), (v.r - m.r).norm(), (b.r - v.r).norm()});
  box.half.array() += longest * (high - low + 1e-3);
  boxes.push_back(box);
}

double common_size(const Contour& a, const Contour& b) {
  if (!(a.size() > 0.0)) return b.size();
  return b.size() > 0.0 ? std::min(a.size(), b.size()) : a.size();
}

void Contour::finish(std::vector<Box> boxes) {
  if (boxes.empty()) return;
  Box all = boxes.front();
  for (const Box& box : boxes) all = join(all, box);
  size_ = 2.0 * all.half.norm();
  if (size_ > 1e100) size_ = 0.0;
  tree_ = BoxTree(boxes);
}

void Contour::cover(Index parts) {
  std::vector<Box> boxes;
  for (Index i = 0; i < pieces(); ++i) {
    const Piece p = piece(i);
    for (Index k = 0; k < parts; ++k) {
      const double step = (p.end - p.begin) / static_cast<double>(parts);
      const double begin = p.begin + step * static_cast<double>(k);
      add(i, begin, k + 1 == parts ? p.end : begin + step, 0, boxes);
    }
  }
  finish(std::move(boxes));
}

void Contour::cover(const std::vector<double>& grid) {
  std::vector<Box> boxes;
  for (std::size_t k = 0; k + 1 < grid.size(); ++k) add(0, grid[k], grid[k + 1], 0, boxes);
  finish(std::move(boxes));
}

void Contour::cover_vertex(const Vector2& point) {
  elements_.emplace_back();
  finish({Box{point, Vector2::Zero()}});
}

Box Contour::cover_edge(Index i, Element& e) const {
  const Piece p = piece(i);
  e.piece = i;
  e.begin = std::max(p.begin, -contour_tuning::kFar);
  e.end = std::min(p.end, contour_tuning::kFar);
  const CurvePoint a = at(i, e.begin), b = at(i, e.end);
  e.heading = std::atan2(a.t.y(), a.t.x());
  return box_around(tree_frame_.local(a.r), tree_frame_.local(b.r));
}

void Contour::cover_edges() {
  std::vector<Box> boxes;
  elements_.resize(static_cast<std::size_t>(pieces()));
  boxes.reserve(elements_.size());
  for (Index i = 0; i < pieces(); ++i) {
    boxes.push_back(cover_edge(i, elements_[static_cast<std::size_t>(i)]));
  }
  finish(std::move(boxes));
}

void Contour::refit_edges() {
  boxes_.resize(elements_.size());
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    boxes_[i] = cover_edge(static_cast<Index>(i), elements_[i]);
  }
  tree_.refit(boxes_);
}

}  // namespace nsmb
