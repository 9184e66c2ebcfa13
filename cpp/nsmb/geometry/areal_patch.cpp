#include "nsmb/geometry/areal_patch.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "nsmb/geometry/areal_flood.hpp"

namespace nsmb {

namespace {

/// Sums over pieces: area, ∫ δ dA, ∫ δ x dA and the largest δ.
struct Moments {
  double area = 0.0, first = 0.0, deepest = 0.0;
  Vector3 place = Vector3::Zero();

  void add(const LayerPolygon& p, const LayerTetrahedron& cell, const Vector3& normal) {
    std::array<double, LayerPolygon::kMost> depth;
    for (std::size_t i = 0; i < p.size; ++i) {
      depth[i] = std::max(cell.depth(p.corner[i]), 0.0);
      deepest = std::max(deepest, depth[i]);
    }
    for (std::size_t i = 1; i + 1 < p.size; ++i) {
      const Vector3 &a = p.corner[0], &b = p.corner[i], &c = p.corner[i + 1];
      const double part = 0.5 * (b - a).cross(c - a).dot(normal);
      const double sum = depth[0] + depth[i] + depth[i + 1];
      area += part;
      first += part * sum / 3.0;
      // Both factors are linear: ∫ δ x = A/12 (Σδ Σx + Σ δ x).
      place +=
          part / 12.0 * ((sum + depth[0]) * a + (sum + depth[i]) * b + (sum + depth[i + 1]) * c);
    }
  }
};

/// Return ∫ ψ dA ν over triangles of a polygon, ψ linear: the integral follows from its mean.
template <class F>
double linear_integral(const LayerPolygon& p, const Vector3& normal, const F& value) {
  double sum = 0.0;
  for (std::size_t i = 1; i + 1 < p.size; ++i) {
    const Vector3 &a = p.corner[0], &b = p.corner[i], &c = p.corner[i + 1];
    sum += 0.5 * (b - a).cross(c - a).dot(normal) * (value(a) + value(b) + value(c)) / 3.0;
  }
  return sum;
}

/// Return the contribution of one piece of the base's surface to ∫ δ dV over the base in a
/// tetrahedron.
///
/// Uses ∇·((x - o) (δ_o/3 + (δ - δ_o)/4)) = δ with a corner o, so that nothing flows through the
/// faces at o. The flow through the fourth face, over its part in the base, follows in the same way
/// with a corner o' of that face. It is given by the edges of the piece on this face. The flow
/// through these edges follows from the points where an edge of the face passes through the piece.
/// The last corner is an inner one and not in the base.
double share_of_volume(const LayerPolygon& p, const LayerTetrahedron& cell, const Vector3& normal) {
  const Vector3 &o = cell.corner[0], &o2 = cell.corner[1], &o3 = cell.corner[2];
  const Vector3& w = cell.corner[3];
  const double depth_o = cell.depth(o);
  const double height = normal.dot(p.corner[0] - o);
  double sum = height * linear_integral(p, normal, [&](const Vector3& x) {
                 return depth_o / 3.0 + (cell.depth(x) - depth_o) / 4.0;
               });
  const auto outwards = [&](std::size_t face) {
    const CellPlane& plane = cell.plane[face];
    return Vector3(plane.normal.normalized() * (plane.inner_positive ? -1.0 : 1.0));
  };
  const Vector3 n = outwards(0);
  const double height_face = n.dot(w - o);
  const auto psi = [&](const Vector3& x) { return depth_o / 12.0 + cell.depth(x) / 4.0; };
  const double psi_o2 = psi(o2);
  const Vector3 along = (w - o3).normalized();
  // For the triangle o2, o3, w in its plane, from the edge o3, w; its sign is that of the triangle.
  const double height_edge = along.cross(n).dot(w - o2);
  for (std::size_t i = 0; i < p.size; ++i) {
    if (p.side[i] != 0) continue;
    const std::size_t k = i + 1 == p.size ? 0 : i + 1;
    const Vector3 &a = p.corner[i], &b = p.corner[k];
    const double mean = psi_o2 / 2.0 + (psi(0.5 * (a + b)) - psi_o2) / 3.0;
    // The base is to the right of the path from a to b, seen against n.
    double flow = n.cross(b - a).dot(a - o2) * mean;
    const std::size_t before = i == 0 ? p.size - 1 : i - 1;
    // ∫ of the linear χ from o3 to x, where the path starts or ends on the edge. Decided by the
    // part in the base, not by directions: for a path along the edge these are rounding errors.
    const auto chi = [&](const Vector3& y) { return psi_o2 / 6.0 + psi(y) / 3.0; };
    const auto from_corner = [&](const Vector3& x) {
      return height_edge * along.dot(x - o3) * 0.5 * (chi(o3) + chi(x));
    };
    if (p.side[before] == 1) flow -= from_corner(a);
    if (p.side[k] == 1) flow += from_corner(b);
    sum += height_face * flow;
  }
  return sum;
}

}  // namespace

NumberedTriangle moved_triangle(const ArealInstance& base, Index k, const Placement& pose,
                                ArealScratch& scratch) {
  if (scratch.moved.size() != base.vertices().size()) {
    scratch.moved.resize(base.vertices().size());
    scratch.is_moved.assign(base.vertices().size(), 0);
    scratch.touched.reserve(base.vertices().size());
  }
  NumberedTriangle t;
  t.vertex = base.topology().triangles()[at(k)];
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t v = at(t.vertex[i]);
    if (!scratch.is_moved[v]) {
      scratch.moved[v] = pose.point(base.vertices()[v]);
      scratch.is_moved[v] = 1;
      scratch.touched.push_back(t.vertex[i]);
    }
    t.corner[i] = scratch.moved[v];
  }
  t.normal = pose.direction(base.normal(k));
  return t;
}

void forget(ArealScratch& scratch) {
  for (const Index v : scratch.touched) scratch.is_moved[at(v)] = 0;
  scratch.touched.clear();
}

void clipped_elements(const ArealInstance& base, const ArealInstance& target, const Placement& pose,
                      ArealScratch& scratch, ArealCounts& counts,
                      std::vector<ArealElement>& found) {
  Moments sums;
  ArealFlood(base, target, pose, scratch, counts)
      .run([&](const NumberedTriangle& t, const LayerTetrahedron& part,
               const LayerPolygon& polygon) { sums.add(polygon, part, t.normal); },
           [&](Index k, const NumberedTriangle& t, Index cell) {
             // Areas of slivers are rounding errors of either sign.
             if (sums.first > 0.0 && sums.area > 0.0) {
               found.push_back({sums.place / sums.first, -t.normal, sums.area,
                                sums.first / sums.area, sums.deepest, k, cell});
             }
             sums = {};
           });
}

double depth_integral(const ArealInstance& base, const ArealInstance& target, const Placement& pose,
                      ArealScratch& scratch) {
  double sum = 0.0;
  ArealCounts counts;
  ArealFlood(base, target, pose, scratch, counts)
      .run([&](const NumberedTriangle& t, const LayerTetrahedron& part,
               const LayerPolygon& polygon) { sum += share_of_volume(polygon, part, t.normal); },
           [](Index, const NumberedTriangle&, Index) {});
  return sum;
}

}  // namespace nsmb
