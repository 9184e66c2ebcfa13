#include "nsmb/geometry/chain.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

std::string point_text(Index i, const Vector2& p) {
  return "points[" + std::to_string(i) + "] = (" + to_text(p.x()) + ", " + to_text(p.y()) + ")";
}

std::string edge_text(Index i, Index n) {
  return "edge " + std::to_string(i) + " (points " + std::to_string(i) + ", " +
         std::to_string((i + 1) % n) + ")";
}

/// Return true if the closed segments ab and cd have a point in common.
bool meet(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d) {
  const auto side = [](const Vector2& p, const Vector2& q, const Vector2& x) {
    const double value = cross(q - p, x - p);
    return (value > 0.0) - (value < 0.0);
  };
  const auto within = [](const Vector2& p, const Vector2& q, const Vector2& x) {
    return (x.array() >= p.cwiseMin(q).array()).all() && (x.array() <= p.cwiseMax(q).array()).all();
  };
  const int s1 = side(a, b, c), s2 = side(a, b, d), s3 = side(c, d, a), s4 = side(c, d, b);
  if (s1 * s2 < 0 && s3 * s4 < 0) return true;
  return (s1 == 0 && within(a, b, c)) || (s2 == 0 && within(a, b, d)) ||
         (s3 == 0 && within(c, d, a)) || (s4 == 0 && within(c, d, b));
}

void check_duplicates(const Matrix& points) {
  std::vector<Index> order(static_cast<std::size_t>(points.cols()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  const auto key = [&](Index i) { return std::tuple(points(0, i), points(1, i), i); };
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return key(i) < key(j); });
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    const Index i = order[k], j = order[k + 1];
    if (points.col(i) == points.col(j)) {
      reject("points", "distinct points",
             point_text(j, points.col(j)) + ", equal to points[" + std::to_string(i) + "]");
    }
  }
}

void check_simple(const Matrix& points, bool closed) {
  const Index n = points.cols(), edges = closed ? n : n - 1;
  const auto at = [&](Index i) { return Vector2(points.col(i % n)); };
  std::vector<Box> boxes;
  for (Index i = 0; i < edges; ++i) {
    boxes.push_back(box_around(at(i), at(i + 1)));
    if (!closed && i + 1 == edges) break;
    const Vector2 a = at(i + 1) - at(i), b = at(i + 2) - at(i + 1);
    if (std::abs(cross(a, b)) <= corners::kStraightCorner * a.norm() * b.norm() && a.dot(b) < 0.0) {
      reject("points", "a boundary that does not cross itself",
             edge_text((i + 1) % edges, n) + ", which folds back onto " + edge_text(i, n));
    }
  }
  const BoxTree tree(boxes);
  TreeSearch search;
  const RelativePose same{Eigen::Matrix2d::Identity(), Vector2::Zero()};
  visit_near(tree, tree, same, 0.0, search, [&](Index i, Index j) {
    if (j < i + 2 || (closed && i == 0 && j == edges - 1)) return;
    if (!meet(at(i), at(i + 1), at(j), at(j + 1))) return;
    reject("points", "a boundary that does not cross itself",
           edge_text(i, n) + " meeting " + edge_text(j, n));
  });
}

double twice_area(const Matrix& points) {
  const Vector2 origin = points.col(0);
  double area = 0.0;
  for (Index i = 1; i + 1 < points.cols(); ++i) {
    area += cross(points.col(i) - origin, points.col(i + 1) - origin);
  }
  return area;
}

}  // namespace

ChainContour::ChainContour(const ConstMatrixRef& points, bool closed, Sense sense)
    : points_(points), closed_(closed) {
  check_shape("points", points, 2, points.cols());
  const Index least = closed ? 3 : 2, n = points.cols();
  if (n < least) {
    reject("points", "at least " + std::to_string(least) + " points", std::to_string(n));
  }
  for (Index i = 0; i < n; ++i) {
    if (!points.col(i).allFinite()) {
      reject("points", "finite numbers", point_text(i, points.col(i)));
    }
  }
  check_duplicates(points_);
  check_simple(points_, closed);
  if (closed && (twice_area(points_) > 0.0) != (sense == Sense::Outer)) {
    reversed_ = true;
    points_.rightCols(n - 1) = points_.rightCols(n - 1).rowwise().reverse().eval();
  }
  lengths_.resize(static_cast<std::size_t>(closed ? n : n - 1));
  tangents_.resize(2, pieces());
  measure();
  cover_edges();
}

void ChainContour::measure() {
  const Index n = points_.cols();
  for (Index i = 0; i < pieces(); ++i) {
    const Vector2 d = points_.col((i + 1) % n) - points_.col(i);
    lengths_[static_cast<std::size_t>(i)] = d.norm();
    tangents_.col(i) = d / d.norm();
  }
  spread_ = 1.0;
  for (Index i = 0; i < n; ++i) {
    const double cot = half_angle_tangent(i);
    if (cot < 0.0) spread_ = std::max(spread_, std::sqrt(1.0 + cot * cot));
  }
}

void ChainContour::place(const Matrix& points) {
  points_ = points;
  measure();
}

Index ChainContour::previous(Index vertex) const {
  return vertex > 0 ? vertex - 1 : closed_ ? pieces() - 1 : -1;
}

double ChainContour::half_angle_tangent(Index vertex) const {
  const Index in = previous(vertex);
  if (in < 0 || vertex >= pieces()) return 0.0;
  return cross(tangent(in), tangent(vertex)) / (1.0 + tangent(in).dot(tangent(vertex)));
}

Piece ChainContour::piece(Index i) const {
  Piece p;
  p.shape = PieceShape::Straight;
  p.end = lengths_[static_cast<std::size_t>(i)];
  return p;
}

Vertex ChainContour::vertex(Index i) const {
  const Index in = previous(i);
  Vertex v;
  v.r = points_.col(i);
  if (in < 0 || i >= pieces()) {
    v.is_end = true;
    v.t_in = in < 0 ? Vector2(-tangent(i)) : tangent(in);
    v.t_out = -v.t_in;
    v.reach_in = v.reach_out = lengths_[static_cast<std::size_t>(in < 0 ? i : in)];
    return v;
  }
  v.t_in = tangent(in);
  v.t_out = tangent(i);
  v.reach_in = lengths_[static_cast<std::size_t>(in)];
  v.reach_out = lengths_[static_cast<std::size_t>(i)];
  v.is_convex = cross(v.t_in, v.t_out) > corners::kStraightCorner;
  return v;
}

Corners ChainContour::corners(Index i) const {
  const Index last = closed_ && i + 1 == vertices() ? 0 : i + 1;
  return {half_angle_tangent(i), half_angle_tangent(last), corners::kCornerOverlap * size()};
}

void ChainContour::derivatives(Index i, double sigma, CurveDerivatives& out) const {
  out.d1 = tangent(i);
  out.d2.setZero();
  out.r = points_.col(i) + sigma * out.d1;
}

// Uses the winding number of the boundary about the point; the body of a hole is outside.
bool ChainContour::encloses(const Vector2& place, double depth) const {
  if (!closed_) return true;
  const Index n = points_.cols();
  int turns = 0;
  double twice = 0.0;
  for (Index i = 0; i < n; ++i) {
    const Vector2 a = points_.col(i) - place, b = points_.col((i + 1) % n) - place;
    twice += cross(a, b);
    const Vector2 edge = b - a;
    const double s = std::clamp(-a.dot(edge) / edge.squaredNorm(), 0.0, 1.0);
    if ((a + s * edge).squaredNorm() < depth * depth) return false;
    if ((a.y() <= 0.0) == (b.y() <= 0.0)) continue;
    const bool left = cross(a, b) > 0.0;
    if (a.y() <= 0.0 && left) ++turns;
    if (a.y() > 0.0 && !left) --turns;
  }
  return (turns != 0) == (twice > 0.0);
}

EdgeTest test_edge(const ChainContour& chain, Index edge, const Vector2& point, double skin) {
  const CurvePoint a = chain.at(edge, 0.0);
  const Vector2 d = point - a.r;
  EdgeTest test;
  test.h = cross(a.t, d);
  edge_range(chain.corners(edge), a.t.dot(d), chain.piece(edge).end, test.h, test.domain_begin,
             test.domain_end);
  test.inside = test.h >= 0.0 && test.domain_begin >= 0.0 && test.domain_end > 0.0 && test.h < skin;
  return test;
}

}  // namespace nsmb
