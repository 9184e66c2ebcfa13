// Planar contours: curves in a frame of their own, with the body on their left.
//
// In the direction of increasing parameter, t = r'/|r'|, n = b × t into the body, b = +e_z;
// κ >= 0 is convex, κ < 0 concave. A contour consists of smooth pieces and of vertices, its
// features:
//
//   feature 2 i       vertex i, where piece i starts; an open contour has one more at its end
//   feature 2 i + 1   piece i
//
// A closed smooth contour has one piece and no vertex, a point has one vertex and no piece.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "nsmb/core/types.hpp"
#include "nsmb/geometry/box_tree.hpp"

namespace nsmb {

using Vector2 = Eigen::Vector2d;

inline double cross(const Vector2& a, const Vector2& b) { return a.x() * b.y() - a.y() * b.x(); }
/// Return b × a: a rotated by +90°.
inline Vector2 left_of(const Vector2& a) { return {-a.y(), a.x()}; }

/// Pose of the frame of a contour in the common plane.
struct Pose {
  Pose() = default;
  Pose(const Vector2& origin, double phi);
  Vector2 direction(const Vector2& a) const;  // components of the common plane
  Vector2 point(const Vector2& a) const { return r + direction(a); }
  Vector2 local(const Vector2& p) const;  // components of the frame

  Vector2 r = Vector2::Zero();  // m
  double c = 1.0, s = 0.0;      // cosine and sine of the angle
};

/// Return the pose of frame b in frame a.
RelativePose relative(const Pose& a, const Pose& b);

/// r and its derivatives with respect to the parameter.
struct CurveDerivatives {
  Vector2 r, d1, d2;
};

/// A point on a curve: 4.1, last lines.
struct CurvePoint {
  Vector2 r, t, n;
  double kappa;  // 1/m, κ n = dt/ds
  double speed;  // |r'| = ds/dσ
};

CurvePoint curve_point(const CurveDerivatives& d);

enum class PieceShape { Straight, Circular, Involute, General };

struct Piece {
  PieceShape shape = PieceShape::General;
  double begin = 0.0, end = 0.0;  // range of σ; infinite where the curve does not end
  bool closed = false;            // σ is periodic
  Vector2 center = Vector2::Zero();
  double radius = 0.0;  // Circular: 1/κ, negative when the body is outside
  // Involute: of the base circle around `center`, negative on a left flank, see involute.hpp
  double angle = 0.0;
  bool is_concave = false;
};

/// A corner or an end. Contact normals rotate from that of t_in to that of t_out. A free end spans
/// π, so that it can be touched from everywhere beyond it.
struct Vertex {
  Vector2 r = Vector2::Zero();
  Vector2 t_in = Vector2::Zero(), t_out = Vector2::Zero();
  double reach_in = 0.0, reach_out = 0.0;  // m, of the neighbours: converts angles to lengths
  bool is_convex = true;                   // others are never touched, except with `lean`
  bool has_cone = true;                    // false for a point, whose normal is arbitrary
  bool is_end = false;
  // For a node on a side that deforms.
  double lean = 0.0;   // rad; > 0: also stands on pieces outside its cone by up to this
  bool stands = true;  // false: stands on no straight piece

  bool may_stand() const { return stands && (is_convex || lean > 0.0); }
};

/// Boundaries of the region behind a straight piece that belongs to it (33)-(36): a point at depth
/// h belongs to it from h cot(φ/2) behind the corner on, φ the interior angle.
struct Corners {
  double cot_begin = 0.0, cot_end = 0.0;  // cot(φ/2); negative at a concave corner
  double overlap = 0.0;  // m, extension of pieces beyond a concave corner; below any length
};

/// Compute the range of an edge for a vertex at depth h. Behind the edge it ends at the bisectors
/// of the corners (34), (35), in front of it at the edge itself. It is slightly longer at concave
/// corners, where a vertex touches both edges at once.
void edge_range(const Corners& corners, double sigma, double length, double h, double& from_begin,
                double& from_end);

/// An interval of a piece that turns little: start of the search for contact points.
struct Element {
  Index piece = 0;
  double begin = 0.0, end = 0.0;
  double heading = 0.0, half_turn = 0.0;  // tangent angle lies in heading ± half_turn
  bool has_hollow = false;                // the curve bends away from its body somewhere
};

/// A planar contour. Immutable; shared between the bodies and threads that use it.
class Contour {
 public:
  virtual ~Contour() = default;
  virtual Index pieces() const = 0;
  virtual Index vertices() const = 0;
  virtual Piece piece(Index i) const = 0;
  virtual Vertex vertex(Index i) const = 0;
  virtual Corners corners(Index) const { return {}; }
  /// Behind a concave corner a point at depth h may be this many times h away from its edge.
  virtual double spread() const { return 1.0; }
  /// Return true if a point, in the frame of the contour, is within the body, at least `depth` from
  /// its sides. Also true where that is unknown.
  virtual bool encloses(const Vector2& /*place*/, double /*depth*/) const { return true; }
  /// Evaluate the curve for any σ: beyond its ends a piece continues with at least two derivatives.
  virtual void derivatives(Index piece, double sigma, CurveDerivatives& out) const = 0;

  CurvePoint at(Index piece, double sigma) const;
  const std::vector<Element>& elements() const { return elements_; }
  const BoxTree& tree() const { return tree_; }           // leaves own elements
  const Pose& tree_frame() const { return tree_frame_; }  // of the boxes, in that of the contour
  double size() const { return size_; }                   // m, of the finite part

 protected:
  /// Cover every piece by elements that turn by at most `max_turn`, starting from `parts` per
  /// piece.
  void cover(Index parts);
  /// Cover the only piece, starting from given values of σ.
  void cover(const std::vector<double>& grid);
  /// Cover a contour without pieces by one element that is a point.
  void cover_vertex(const Vector2& point);
  /// Cover straight pieces by one element each.
  void cover_edges();
  /// Update elements and boxes of the same pieces at new positions, but neither the tree nor the
  /// size.
  void refit_edges();

  Pose tree_frame_;  // set before the cover is made
  double size_ = 0.0;

 private:
  void add(Index piece, double begin, double end, int depth, std::vector<Box>& boxes);
  void finish(std::vector<Box> boxes);
  Box cover_edge(Index i, Element& element) const;

  std::vector<Element> elements_;
  std::vector<Box> boxes_;  // of edges, for refitting
  BoxTree tree_;
};

/// Return the smaller of the two sizes, ignoring sizes of zero.
double common_size(const Contour& a, const Contour& b);

/// Return an end of a contour with one open smooth piece as a vertex.
Vertex end_vertex(const CurvePoint& p, bool at_begin, double length);

}  // namespace nsmb
