// A cylinder against what of a surface is near it.
#pragma once

#include "nsmb/geometry/surface_pairs.hpp"

namespace nsmb {

/// Appends the contacts to the points of the scratch; the surface is shape 1 of them, `pose` that
/// of the cylinder in its frame.
void surface_cylinder(const SurfacePatch& surface, const CylinderShape& cylinder,
                      const Placement& pose, double reach, double slack, SurfaceScratch& scratch);

}  // namespace nsmb
