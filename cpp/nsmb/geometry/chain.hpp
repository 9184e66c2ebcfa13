// Polygons and polylines: any number of straight pieces between points.
#pragma once

#include "nsmb/geometry/contour.hpp"

namespace nsmb {

/// Orientation of a closed chain of points.
enum class Sense { Outer, Hole };

/// σ on edge i is the length from point i, from 0 to the length of the edge.
class ChainContour : public Contour {
 public:
  /// `points` (2, n). A polygon (closed) is oriented counter-clockwise, a hole clockwise: points[0]
  /// stays the first, and `reversed()` is true if the order was changed. An open chain keeps its
  /// orientation. Throws std::invalid_argument naming the points or edges for too few points,
  /// numbers that are not finite, duplicate points, edges that fold back or meet.
  ChainContour(const ConstMatrixRef& points, bool closed, Sense sense = Sense::Outer);

  Index pieces() const override { return static_cast<Index>(lengths_.size()); }
  Index vertices() const override { return points_.cols(); }
  Piece piece(Index i) const override;
  Vertex vertex(Index i) const override;
  Corners corners(Index i) const override;
  double spread() const override { return spread_; }
  bool encloses(const Vector2& place, double depth) const override;
  void derivatives(Index i, double sigma, CurveDerivatives& out) const override;

  const Matrix& points() const { return points_; }  // (2, n)
  bool closed() const { return closed_; }
  bool reversed() const { return reversed_; }

 protected:
  /// Replace the points by as many others, in the order of points(). Nothing is checked, and boxes
  /// stay unchanged.
  void place(const Matrix& points);

 private:
  void measure();
  double half_angle_tangent(Index vertex) const;  // tan(turn/2) = cot(φ/2)
  Vector2 tangent(Index edge) const { return tangents_.col(edge); }
  Index previous(Index vertex) const;  // edge that ends there; -1: none

  Matrix points_;              // (2, n)
  Eigen::Matrix2Xd tangents_;  // (2, edges)
  std::vector<double> lengths_;
  double spread_ = 1.0;
  bool closed_, reversed_ = false;
};

/// Result of the exact test of a point against an edge (33)-(36).
struct EdgeTest {
  double h = 0.0;                               // depth behind the edge, m: g_N = -h
  double domain_begin = 0.0, domain_end = 0.0;  // distance to the bisectors, along the edge
  bool inside = false;                          // all of (33)-(36) hold
};

/// Test whether a point (frame of the chain) has entered through this edge, by less than `skin`. A
/// point on the bisector of two edges belongs to the one that starts there.
EdgeTest test_edge(const ChainContour& chain, Index edge, const Vector2& point, double skin);

}  // namespace nsmb
