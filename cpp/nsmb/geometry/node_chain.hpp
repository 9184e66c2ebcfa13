// The edge of a body that deforms: a chain whose corners ride on nodes.
#pragma once

#include "nsmb/geometry/chain.hpp"

namespace nsmb {

/// Corners may turn either way as the body deforms. On the sides of the body, where the chain turns
/// little, nodes stand on straight pieces whichever way they turn just now, or none of them does;
/// where it turns much they are corners as those of any chain. Against curves the chain is as it is
/// at the moment.
class NodeChain final : public ChainContour {
 public:
  /// As a ChainContour where nothing is deformed, a polygon with the body on the left.
  /// `nodes_touch`: do nodes on sides stand on straight pieces?
  NodeChain(const ConstMatrixRef& points, bool closed, bool nodes_touch);

  Vertex vertex(Index i) const override;

  /// Points (2, n) of the deformed body. Edges follow, boxes do not until refit().
  void move_to(const Matrix& points) { place(points); }
  void refit() { refit_edges(); }

 private:
  bool nodes_touch_;
};

}  // namespace nsmb
