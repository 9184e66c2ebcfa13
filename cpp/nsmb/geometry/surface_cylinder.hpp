// A cylinder against the nearby part of a surface.
#pragma once

#include "nsmb/geometry/surface_pairs.hpp"

namespace nsmb {

/// Append the contacts to the points of the scratch. The surface is shape 1; `pose` is that of the
/// cylinder in its frame.
void surface_cylinder(const SurfacePatch& surface, const CylinderShape& cylinder,
                      const Placement& pose, double reach, double slack, SurfaceScratch& scratch);

}  // namespace nsmb
