// A triangle clipped at the tetrahedra of a layer.
#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "nsmb/geometry/areal_mesh.hpp"

namespace nsmb {

/// Remaining polygon of a triangle; side i leads from corner i to the next one.
struct LayerPolygon {
  static constexpr std::size_t kMost = 8;  // three corners, one more for each plane, one spare
  /// Value of a side on the triangle: kEdge - its number. Other sides lie on the plane of that
  /// number.
  static constexpr int kEdge = -1;

  std::size_t size = 0;
  std::array<Vector3, kMost> corner;
  std::array<int, kMost> side{};
};

/// The directions in which a triangle and a tetrahedron extend beyond their intersection: bits of
/// faces and edges. Within rounding of a face or an edge both its sides count.
struct LayerWays {
  bool meets = false;
  unsigned faces = 0, edges = 0;
};

/// Clip a polygon at a plane with the number `label`. Return true if a corner was on the plane
/// within rounding.
inline bool cut(const LayerPolygon& given, const CellPlane& plane, int label, LayerPolygon& left) {
  std::array<double, LayerPolygon::kMost> value;
  std::array<bool, LayerPolygon::kMost> inside;
  bool near = false;
  for (std::size_t i = 0; i < given.size; ++i) {
    value[i] = plane.value(given.corner[i]);
    inside[i] = plane.is_inside(value[i]);
    near = near || std::abs(value[i]) <= plane.margin;
  }
  left.size = 0;
  const auto add = [&](const Vector3& p, int side) {
    left.corner[left.size] = p;
    left.side[left.size++] = side;
  };
  for (std::size_t i = 0; i < given.size; ++i) {
    const std::size_t k = i + 1 == given.size ? 0 : i + 1;
    if (inside[i]) add(given.corner[i], given.side[i]);
    if (inside[i] == inside[k]) continue;
    // Computed from the inner corner, so that both triangles at an edge get identical bits.
    const std::size_t in = inside[i] ? i : k, out = inside[i] ? k : i;
    const double share = value[in] / (value[in] - value[out]);
    const Vector3 p = given.corner[in] + share * (given.corner[out] - given.corner[in]);
    add(p, inside[i] ? label : given.side[i]);
  }
  return near;
}

inline void begin(const NumberedTriangle& t, LayerPolygon& polygon) {
  polygon.size = 3;
  for (std::size_t i = 0; i < 3; ++i) {
    polygon.corner[i] = t.corner[i];
    polygon.side[i] = LayerPolygon::kEdge - static_cast<int>(i);
  }
}

inline void add_ways(const LayerPolygon& polygon, LayerWays& ways) {
  ways.meets = true;
  for (std::size_t i = 0; i < polygon.size; ++i) {
    const int side = polygon.side[i];
    if (side >= 0) {
      ways.faces |= 1u << side;
    } else {
      ways.edges |= 1u << (LayerPolygon::kEdge - side);
    }
  }
}

/// Add the ways that result when planes are moved outwards by rounding.
inline void add_wide_ways(const NumberedTriangle& t, const LayerTetrahedron& cell,
                          LayerWays& ways) {
  std::array<LayerPolygon, 2> polygon;
  begin(t, polygon[0]);
  for (std::size_t i = 0; i < 4; ++i) {
    CellPlane plane = cell.plane[i];
    plane.offset += plane.inner_positive ? -plane.margin : plane.margin;
    cut(polygon[i % 2], plane, static_cast<int>(i), polygon[1 - i % 2]);
    if (polygon[1 - i % 2].size < 3) return;
  }
  add_ways(polygon[0], ways);
}

/// Clip a triangle at a tetrahedron. Return false if nothing is left.
inline bool clip(const NumberedTriangle& t, const LayerTetrahedron& cell, LayerPolygon& polygon,
                 LayerWays& ways) {
  std::array<bool, 4> crossed;
  bool near = false, empty = false;
  for (std::size_t i = 0; i < 4; ++i) {
    const CellPlane& plane = cell.plane[i];
    const std::array<double, 3> value{plane.value(t.corner[0]), plane.value(t.corner[1]),
                                      plane.value(t.corner[2])};
    int inside = 0;
    bool far = true, touches = false;
    for (const double v : value) {
      inside += plane.is_inside(v);
      if (std::abs(v) > plane.margin) {
        far = far && !plane.is_inside(v);
      } else {
        far = false;
        near = touches = true;
        ways.faces |= 1u << i;
      }
    }
    if (far) return false;
    // Points at which edges are cut may be on the other side by rounding, for both triangles at the
    // edge.
    crossed[i] = inside < 3 || touches;
  }
  LayerPolygon other;
  LayerPolygon *now = &polygon, *next = &other;
  begin(t, *now);
  for (std::size_t i = 0; i < 4 && !empty; ++i) {
    if (!crossed[i]) continue;
    if (cut(*now, cell.plane[i], static_cast<int>(i), *next)) {
      near = true;
      ways.faces |= 1u << i;
    }
    std::swap(now, next);
    empty = now->size < 3;
  }
  if (near) add_wide_ways(t, cell, ways);
  if (empty) return false;
  if (now != &polygon) polygon = *now;
  add_ways(polygon, ways);
  return true;
}

}  // namespace nsmb
