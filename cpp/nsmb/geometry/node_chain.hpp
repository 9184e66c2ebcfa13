// The edge of a deformable body: a chain whose corners move with nodes.
#pragma once

#include "nsmb/geometry/chain.hpp"

namespace nsmb {

/// Corners may become convex or concave as the body deforms. On the sides of the body, where the
/// chain turns little, either all nodes stand on straight pieces whatever their current turn, or
/// none does. Where it turns strongly, nodes are ordinary corners. Against curves the current shape
/// of the chain is used.
class NodeChain final : public ChainContour {
 public:
  /// The undeformed ChainContour, a polygon with the body on the left. If `nodes_touch`, nodes on
  /// sides stand on straight pieces.
  NodeChain(const ConstMatrixRef& points, bool closed, bool nodes_touch);

  Vertex vertex(Index i) const override;

  /// Set the points (2, n) of the deformed body. Edges follow immediately, boxes only after
  /// refit().
  void move_to(const Matrix& points) { place(points); }
  void refit() { refit_edges(); }

 private:
  bool nodes_touch_;
};

}  // namespace nsmb
