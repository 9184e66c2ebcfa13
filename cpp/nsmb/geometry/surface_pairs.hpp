// Contacts of surfaces of triangles with convex bodies, half-spaces and each other.
//
// A pair of features touches when the direction between their nearest places leads out of both:
// corner and facet, two edges, corner and edge, two corners. What lies between flat neighbours
// leads out of nothing, so that no body is caught there.
#pragma once

#include <vector>

#include "nsmb/geometry/round_shapes.hpp"
#include "nsmb/geometry/shape_contact.hpp"
#include "nsmb/geometry/surface_patch.hpp"

namespace nsmb {

struct FoundFoot {
  double gap;
  Vector3 foot;
  std::size_t facet;
};

struct ThinScratch {
  std::vector<ShapeContact> left, group;
};

struct SurfaceScratch {
  PatchScratch patch;
  SurfacePatch surface, body;
  std::vector<FoundFoot> feet;
  std::vector<ShapeContact> points;
  std::vector<Index> vertices;
  std::vector<Vector3> directions;
  ThinScratch thin;
};

/// Contacts in the frame of the surface, which is shape 1 of them; `pose` is that of the other body
/// in it.
void surface_body(const TriangleSurface& surface, const Shape& body, const Placement& pose,
                  double reach, SurfaceScratch& scratch, std::vector<ShapeContact>& out);
void surface_surface(const TriangleSurface& first, const TriangleSurface& second,
                     const Placement& pose, double reach, SurfaceScratch& scratch,
                     std::vector<ShapeContact>& out);
/// Here the half-space is shape 1, in its frame.
void half_space_surface(const TriangleSurface& surface, const Placement& pose, double reach,
                        SurfaceScratch& scratch, std::vector<ShapeContact>& out);

/// All pairs of features of two patches in one frame; contacts are appended to `points`.
void patch_contacts(const SurfacePatch& first, const SurfacePatch& second, double reach,
                    double slack, std::vector<FoundFoot>& feet, std::vector<ShapeContact>& points);

/// Where surfaces are in each other, what leads out by half the way nearby is how they got in: of
/// the points from `crossings` on those that are deeper go.
void drop_deeper_crossings(std::vector<ShapeContact>& points, std::size_t begin,
                           std::size_t crossings, double slack);

/// Of points that say the same the first stays, and of many with one normal eight: those of
/// keep_four, and the deepest.
void thin_out(std::vector<ShapeContact>& points, std::size_t begin, double size,
              ThinScratch& scratch);

}  // namespace nsmb
