#include "nsmb/geometry/node_chain.hpp"

#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

NodeChain::NodeChain(const ConstMatrixRef& points, bool closed, bool nodes_touch)
    : ChainContour(points, closed), nodes_touch_(nodes_touch) {
  if (reversed()) reject("points", "a polygon with the body on its left", "one on its right");
}

Vertex NodeChain::vertex(Index i) const {
  Vertex v = ChainContour::vertex(i);
  if (v.is_end) return v;
  const double turn = std::atan2(cross(v.t_in, v.t_out), v.t_in.dot(v.t_out));
  if (std::abs(turn) >= tolerances::nodes::kSide) return v;
  v.stands = nodes_touch_;
  if (nodes_touch_) v.lean = tolerances::nodes::kSide;
  return v;
}

}  // namespace nsmb
