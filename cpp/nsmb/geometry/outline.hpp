// Closed polygons as unions of convex parts, for the search from the pose alone.
#pragma once

#include <vector>

#include "nsmb/geometry/chain.hpp"

namespace nsmb {

/// A side of a convex part, from one of its corners to the next, with the body on its left.
struct OutlineSide {
  Vector2 r = Vector2::Zero(), t = Vector2::Zero();  // its start and direction
  double length = 0.0;                               // m
  Index vertex = -1;                                 // of the chain, at its start
  Index edge = -1;                                   // of the chain; -1: a cut through the body

  bool is_cut() const { return edge < 0; }
  Vector2 outwards() const { return {t.y(), -t.x()}; }
};

struct ConvexPart {
  std::vector<OutlineSide> sides;  // counter-clockwise
  Vector2 centre = Vector2::Zero();
  double reach = 0.0;  // m, of the corners from the centre
};

/// A polygon as convex parts. Immutable. A non-convex polygon is cut along diagonals from a concave
/// corner to another corner, until every part is convex. Cuts end only at corners of the chain.
class Outline {
 public:
  /// Throws std::invalid_argument unless the chain is closed and its body inside.
  explicit Outline(const ChainContour& chain);

  /// Return true if the chain has an inside that can be cut: it is closed, and not a hole.
  static bool can_be_made(const ChainContour& chain);

  const std::vector<ConvexPart>& parts() const { return parts_; }
  double size() const { return size_; }  // m, largest extent
  /// Four times the area over the perimeter, m: the side of a square, the diameter of a disc.
  double width() const { return width_; }
  double reach() const { return reach_; }  // m, of its corners from the origin of its frame

 private:
  std::vector<ConvexPart> parts_;
  double size_ = 0.0, width_ = 0.0, reach_ = 0.0;
};

}  // namespace nsmb
