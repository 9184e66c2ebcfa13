#include "nsmb/geometry/areal_layer.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

namespace {

/// Calls f(triangle, its normal, its angle at the vertex) around a vertex.
template <class F>
void each_corner(const TriangleTopology& topology, const std::vector<Vector3>& places,
                 const std::vector<Vector3>& normals, std::size_t v, const F& f) {
  const auto begin = at(topology.around_begin()[v]), end = at(topology.around_begin()[v + 1]);
  for (std::size_t k = begin; k < end; ++k) {
    const std::size_t t = at(topology.around()[k]);
    const TriangleTopology::Triangle& corners = topology.triangles()[t];
    std::size_t i = 0;
    while (at(corners[i]) != v) ++i;
    const Vector3 a = places[at(corners[(i + 1) % 3])] - places[v];
    const Vector3 b = places[at(corners[(i + 2) % 3])] - places[v];
    f(normals[t], std::atan2(a.cross(b).norm(), a.dot(b)));
  }
}

}  // namespace

void triangle_normals(const TriangleTopology& topology, const std::vector<Vector3>& places,
                      std::vector<Vector3>& normals) {
  for (std::size_t k = 0; k < normals.size(); ++k) {
    const TriangleTopology::Triangle& t = topology.triangles()[k];
    const Vector3& a = places[at(t[0])];
    normals[k] = (places[at(t[1])] - a).cross(places[at(t[2])] - a).normalized();
  }
}

// Along the mean m of the normals n by angles: s m with n^T s m = 1 in the mean of least squares.
void inner_vertices(const TriangleTopology& topology, const std::vector<Vector3>& places,
                    const std::vector<Vector3>& normals, const std::vector<double>& depths,
                    std::vector<Vector3>& inner) {
  for (std::size_t v = 0; v < places.size(); ++v) {
    Vector3 mean = Vector3::Zero();
    each_corner(topology, places, normals, v,
                [&](const Vector3& n, double angle) { mean += angle * n; });
    mean.normalize();
    double first = 0.0, second = 0.0;
    each_corner(topology, places, normals, v, [&](const Vector3& n, double angle) {
      const double cosine = mean.dot(n);
      first += angle * cosine;
      second += angle * cosine * cosine;
    });
    const double longest = tolerances::areal::kLongestMitre;
    const double length = first < longest * second ? std::max(first / second, 0.0) : longest;
    inner[v] = places[v] - depths[v] * length * mean;
  }
}

TriangleTopology::Triangle ordered(TriangleTopology::Triangle t, bool& turned) {
  turned = false;
  const auto order = [&](std::size_t i, std::size_t k) {
    if (t[i] < t[k]) return;
    std::swap(t[i], t[k]);
    turned = !turned;
  };
  order(0, 1);
  order(1, 2);
  order(0, 1);
  return t;
}

}  // namespace nsmb
