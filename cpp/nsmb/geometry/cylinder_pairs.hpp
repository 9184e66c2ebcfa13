// A cylinder against a convex polyhedron, rounded or not, or another cylinder.
//
// The signed distance is the largest gap over directions n from the cylinder to the other body,
//   gap(n) = min nᵀ q - R |n - (nᵀ a) a| - (h/2) |nᵀ a|,
// with the axis a; the gap along any direction is at most the distance. The largest gap belongs to
// a cap, a face, a side against an edge or an axis, or the rim against an edge, an axis or another
// rim. For separated bodies it may also belong to a vertex. The candidates of each are computed,
// those of rims as roots to rounding, and the best one is taken.
#pragma once

#include <vector>

#include "nsmb/geometry/cylinder_axes.hpp"
#include "nsmb/geometry/polyhedron_pair.hpp"
#include "nsmb/geometry/round_shapes.hpp"

namespace nsmb {

struct CylinderScratch {
  std::vector<Vector3> other, line;
  std::vector<RimDirection> rims;
  std::vector<ShapeContact> points;
};

/// Find contacts in the frame of the cylinder; `pose` is that of the other body in it.
void cylinder_polyhedron(const CylinderShape& cylinder, const RoundedPolyhedron& other,
                         const Placement& pose, double reach, CylinderScratch& scratch,
                         std::vector<ShapeContact>& out);
void cylinder_cylinder(const CylinderShape& first, const CylinderShape& second,
                       const Placement& pose, double reach, CylinderScratch& scratch,
                       std::vector<ShapeContact>& out);

}  // namespace nsmb
