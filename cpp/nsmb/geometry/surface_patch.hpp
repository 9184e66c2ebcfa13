// What of a surface is near another one: its facets, edges and corners, each with the directions in
// which something may touch it.
//
// A direction n leads out of a feature if the surface nowhere rises along it: for an edge
// n · into <= 0 for both faces beside it, for a corner n · arm <= 0 for all edges that leave it.
#pragma once

#include <vector>

#include "nsmb/geometry/polyhedron.hpp"
#include "nsmb/geometry/triangle_surface.hpp"

namespace nsmb {

struct PatchCorner {
  Vector3 r = Vector3::Zero();
  Vector3 normal = Vector3::Zero();  // outward; zero: every direction that leads out is outside
  std::size_t begin = 0, end = 0;    // of its arms
  Index feature = 0;
};

/// One that bodies can touch: convex or open.
struct PatchEdge {
  Vector3 a = Vector3::Zero(), b = Vector3::Zero();
  Vector3 into_1 = Vector3::Zero(), into_2 = Vector3::Zero();  // unit, zero: no face
  Vector3 normal = Vector3::Zero();                            // outward, of both faces together
  Index feature = 0;
};

struct PatchBorder {
  Vector3 p = Vector3::Zero();
  Vector3 into = Vector3::UnitX();    // unit, from the edge into the facet
  Vector3 beyond = Vector3::UnitZ();  // normal of the facet beyond, of a concave edge
  Bend bend = Bend::Convex;
};

struct PatchFacet {
  Vector3 normal = Vector3::UnitZ();
  double offset = 0.0;
  std::size_t begin = 0, end = 0;  // of its borders
  Index feature = 0;
};

struct SurfacePatch {
  void clear();

  std::vector<PatchCorner> corners;
  std::vector<PatchEdge> edges;
  std::vector<PatchFacet> facets;
  std::vector<Vector3> arms;  // unit
  std::vector<PatchBorder> borders;
  double radius = 0.0;  // m, of the rounding around it
  double depth = 0.0;   // m, how deep it may be in another surface and is still found
};

struct PatchScratch {
  std::vector<Index> triangles, around, counts;
};

/// What of a surface overlaps `box`, both in the frame of the surface.
void fill_patch(const TriangleSurface& surface, const Bounds& box, PatchScratch& scratch,
                SurfacePatch& patch);
/// One vertex with what is around it.
void add_corner(const TriangleSurface& surface, Index vertex, PatchScratch& scratch,
                SurfacePatch& patch);
/// A polyhedron or segment at a pose, what of it overlaps `box`.
void fill_patch(const Polyhedron& body, const Placement& pose, const Bounds& box,
                PatchScratch& scratch, SurfacePatch& patch);
/// A point.
void fill_patch(const Vector3& point, SurfacePatch& patch);
/// All of it seen from another frame.
void move_patch(const Placement& pose, SurfacePatch& patch);

/// Whether n leads out of a feature, up to a slope of `slack`.
bool leads_out(const SurfacePatch& patch, const PatchCorner& corner, const Vector3& n,
               double slack);
bool leads_out(const PatchEdge& edge, const Vector3& n, double slack);

enum class FootPlace { Outside, Within, Beyond };

/// Where the foot of x on a facet is; `height` is that of x over it. Beyond: over a concave edge,
/// where x is behind the facet that follows, both by no more than `reach`.
FootPlace place_of_foot(const SurfacePatch& patch, const PatchFacet& facet, const Vector3& x,
                        double height, double slack, double reach);

/// The facet has this edge, or lies in one plane with one that has.
bool is_beside(const PatchFacet& facet, const PatchEdge& edge, double slack);

/// A place inside gets out through a facet that is not beside `edge` in less than `depth`, along a
/// direction in which the `other` one that it belongs to ends there.
bool leaves_by_facet(const SurfacePatch& patch, const PatchEdge& edge, const PatchEdge& other,
                     const Vector3& place, double depth, double slack);

}  // namespace nsmb
