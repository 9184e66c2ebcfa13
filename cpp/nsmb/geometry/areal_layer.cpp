#include "nsmb/geometry/areal_layer.hpp"

#include <utility>

namespace nsmb {

Vector3 triangle_normal(const TriangleTopology& topology, const std::vector<Vector3>& places,
                        Index k) {
  const TriangleTopology::Triangle& t = topology.triangles()[at(k)];
  const Vector3& a = places[at(t[0])];
  return (places[at(t[1])] - a).cross(places[at(t[2])] - a).normalized();
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
