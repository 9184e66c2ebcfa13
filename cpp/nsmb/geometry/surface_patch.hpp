// The nearby part of a surface: its facets, edges and corners, each with the directions in which it
// can be touched.
//
// A direction n leads out of a feature if the surface does not rise along it. For an edge this
// means n · into <= 0 for both adjacent faces, for a corner n · arm <= 0 for all edges that leave
// it.
#pragma once

#include <vector>

#include "nsmb/geometry/polyhedron.hpp"
#include "nsmb/geometry/triangle_surface.hpp"

namespace nsmb {

struct PatchCorner {
  Vector3 r = Vector3::Zero();
  Vector3 normal = Vector3::Zero();  // outward; zero: any direction that leads out is outside
  std::size_t begin = 0, end = 0;    // of its arms
  Index feature = 0;
};

/// An edge that can be touched: convex or open.
struct PatchEdge {
  Vector3 a = Vector3::Zero(), b = Vector3::Zero();
  Vector3 into_1 = Vector3::Zero(), into_2 = Vector3::Zero();  // unit, zero: no face
  Vector3 normal = Vector3::Zero();                            // outward, of both faces together
  Index feature = 0;
};

struct PatchBorder {
  Vector3 p = Vector3::Zero();
  Vector3 into = Vector3::UnitX();    // unit, from the edge into the facet
  Vector3 beyond = Vector3::UnitZ();  // normal of the facet beyond a concave edge
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
  double depth = 0.0;   // m, penetration in another surface up to which contacts are found
};

struct PatchScratch {
  std::vector<Index> triangles, around, counts;
};

/// Collect the part of a surface that overlaps `box`, both in the frame of the surface.
void fill_patch(const TriangleSurface& surface, const Bounds& box, PatchScratch& scratch,
                SurfacePatch& patch);
/// Add one vertex with its surroundings.
void add_corner(const TriangleSurface& surface, Index vertex, PatchScratch& scratch,
                SurfacePatch& patch);
/// Collect the part of a polyhedron or segment at a pose that overlaps `box`.
void fill_patch(const Polyhedron& body, const Placement& pose, const Bounds& box,
                PatchScratch& scratch, SurfacePatch& patch);
/// Set the patch to a point.
void fill_patch(const Vector3& point, SurfacePatch& patch);
/// Transform the patch to another frame.
void move_patch(const Placement& pose, SurfacePatch& patch);

/// Return true if n leads out of a feature, up to a slope of `slack`.
bool leads_out(const SurfacePatch& patch, const PatchCorner& corner, const Vector3& n,
               double slack);
bool leads_out(const PatchEdge& edge, const Vector3& n, double slack);

enum class FootPlace { Outside, Within, Beyond };

/// Locate the foot of x on a facet; `height` is that of x over it. Beyond: over a concave edge,
/// where x is behind the next facet, both by no more than `reach`.
FootPlace place_of_foot(const SurfacePatch& patch, const PatchFacet& facet, const Vector3& x,
                        double height, double slack, double reach);

/// Return true if the facet has this edge, or is coplanar with a facet that has it.
bool is_beside(const PatchFacet& facet, const PatchEdge& edge, double slack);

/// Return true if a point of `other` leaves the surface through a facet that is not adjacent to
/// `edge` over less than `depth`. The direction into the facet must lead out of `other`.
bool leaves_by_facet(const SurfacePatch& patch, const PatchEdge& edge, const PatchEdge& other,
                     const Vector3& place, double depth, double slack);

}  // namespace nsmb
