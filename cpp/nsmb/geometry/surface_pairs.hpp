// Contacts of triangle surfaces with convex bodies, half-spaces and each other.
//
// A pair of features touches when the direction between their nearest points leads out of both:
// corner and facet, two edges, corner and edge, two corners. No direction leads out of edges and
// corners between coplanar facets, so that no body is caught there.
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

/// Find contacts in the frame of the surface, which is shape 1; `pose` is that of the other body in
/// it.
void surface_body(const TriangleSurface& surface, const Shape& body, const Placement& pose,
                  double reach, SurfaceScratch& scratch, std::vector<ShapeContact>& out);
void surface_surface(const TriangleSurface& first, const TriangleSurface& second,
                     const Placement& pose, double reach, SurfaceScratch& scratch,
                     std::vector<ShapeContact>& out);
/// Find contacts with a half-space, which is shape 1, in its frame.
void half_space_surface(const TriangleSurface& surface, const Placement& pose, double reach,
                        SurfaceScratch& scratch, std::vector<ShapeContact>& out);

/// Append the contacts of all pairs of features of two patches in one frame to `points`.
void patch_contacts(const SurfacePatch& first, const SurfacePatch& second, double reach,
                    double slack, std::vector<FoundFoot>& feet, std::vector<ShapeContact>& points);

/// Remove crossings of edges that are too deep. Of the points from `crossings` on, those with a
/// nearby contact in another direction and at most half as deep are removed, because the other
/// contact shows how the surfaces entered each other.
void drop_deeper_crossings(std::vector<ShapeContact>& points, std::size_t begin,
                           std::size_t crossings, double slack);

/// Keep the first of equivalent points, and of many with one normal eight: those of keep_four, and
/// the deepest.
void thin_out(std::vector<ShapeContact>& points, std::size_t begin, double size,
              ThinScratch& scratch);

}  // namespace nsmb
