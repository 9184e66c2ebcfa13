#include "nsmb/geometry/triangle_surface.hpp"

#include <Eigen/Geometry>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

void TriangleSurface::find_bends() {
  bends_.assign(static_cast<std::size_t>(edges()), Bend::Flat);
  sides_.assign(static_cast<std::size_t>(edges()), 0);
  stands_out_.assign(static_cast<std::size_t>(vertices()), 0);
  SurfaceTriangle t;
  for (Index k = 0; k < triangles(); ++k) {
    get(k, t);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t next = (i + 1) % 3;
      Bend bend = Bend::Open;
      if (t.neighbour[i] >= 0) {
        if (t.neighbour[i] < k) continue;  // already set
        const Vector3 other = normal(t.neighbour[i]);
        const double sine = t.normal.cross(other).dot((t.corner[next] - t.corner[i]).normalized());
        bend = sine > surfaces::kFlat    ? Bend::Convex
               : sine < -surfaces::kFlat ? Bend::Concave
               // Folded by 180°: however thin it is, its edge protrudes.
               : t.normal.dot(other) > 0.0 ? Bend::Flat
                                           : Bend::Convex;
      }
      bends_[static_cast<std::size_t>(t.edge[i])] = bend;
      sides_[static_cast<std::size_t>(t.edge[i])] = 3 * k + static_cast<Index>(i);
      if (bend == Bend::Convex || bend == Bend::Open) {
        stands_out_[static_cast<std::size_t>(t.vertex[i])] = 1;
        stands_out_[static_cast<std::size_t>(t.vertex[next])] = 1;
      }
    }
  }
}

}  // namespace nsmb
