// Contact points of two faces: one is clipped by the other, and at most four points are kept.
#pragma once

#include <vector>

#include "nsmb/geometry/polyhedron.hpp"
#include "nsmb/geometry/shape_contact.hpp"

namespace nsmb {

/// A polyhedron with its vertices in a common frame.
struct PlacedPolyhedron {
  Vector3 normal(Index face) const {
    return pose.A * body->faces()[static_cast<std::size_t>(face)].normal;
  }
  double offset(Index face) const {
    const PolyhedronFace& f = body->faces()[static_cast<std::size_t>(face)];
    return f.offset + (pose.A * f.normal).dot(pose.r);
  }
  const Vector3& vertex(Index v) const { return (*vertices)[static_cast<std::size_t>(v)]; }

  const Polyhedron* body = nullptr;
  const std::vector<Vector3>* vertices = nullptr;  // in the common frame
  Placement pose;                                  // in the common frame
};

/// Return the vertex furthest along n, the first of several.
Index support_vertex(const std::vector<Vector3>& vertices, const Vector3& n);

struct ClipScratch {
  std::vector<Vector3> polygon, clipped;
};

/// Find points with a gap of at most `limit` where `face` of `reference` faces the deepest part of
/// `other`. The normal is that of the face; `first` is true when the reference is shape 1.
void face_contacts(const PlacedPolyhedron& reference, Index face, const PlacedPolyhedron& other,
                   bool first, double limit, double size, ClipScratch& scratch,
                   std::vector<ShapeContact>& out);

/// Find the ends of the common segment of two nearly parallel edges; n leads from 1 to 2.
void edge_contacts(const PlacedPolyhedron& a, Index edge_a, const PlacedPolyhedron& b, Index edge_b,
                   const Vector3& n, double limit, double size, std::vector<ShapeContact>& out);

/// Keep at most four of the points from `begin` on: the deepest, and those furthest from one
/// another.
void keep_four(std::vector<ShapeContact>& points, std::size_t begin, double size);

}  // namespace nsmb
