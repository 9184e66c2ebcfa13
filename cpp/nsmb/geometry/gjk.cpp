#include "nsmb/geometry/gjk.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr int kGjkSteps = 200;

struct Corner {
  Vector3 w;  // second - first
  Index first, second;
};

struct Simplex {
  std::array<Corner, 4> corners;
  std::array<double, 4> weight{};
  int count = 0;
};

Index support(const std::vector<Vector3>& points, const Vector3& n) {
  Index best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double height = points[i].dot(n);
    if (height > most) {
      most = height;
      best = static_cast<Index>(i);
    }
  }
  return best;
}

/// Compute the weights of the foot of the origin on the hull of the corners in `subset`. Return
/// false if it lies outside or does not exist.
bool foot_on(const std::array<Corner, 4>& corners, int subset, std::array<double, 4>& weight,
             Vector3& foot) {
  std::array<int, 4> k{};
  int n = 0;
  for (int i = 0; i < 4; ++i) {
    if (subset & (1 << i)) k[static_cast<std::size_t>(n++)] = i;
  }
  const auto w = [&](int i) -> const Vector3& {
    return corners[static_cast<std::size_t>(k[static_cast<std::size_t>(i)])].w;
  };
  weight.fill(0.0);
  std::array<double, 4> share{1.0, 0.0, 0.0, 0.0};
  if (n == 2) {
    const Vector3 d = w(1) - w(0);
    const double length = d.squaredNorm();
    if (!(length > 0.0)) return false;
    share[1] = -w(0).dot(d) / length;
    share[0] = 1.0 - share[1];
  } else if (n == 3) {
    const Vector3 normal = (w(1) - w(0)).cross(w(2) - w(0));
    const double area = normal.squaredNorm();
    if (!(area > 0.0)) return false;
    const Vector3 p = normal * (normal.dot(w(0)) / area);
    share[1] = normal.dot((w(2) - p).cross(w(0) - p)) / area;
    share[2] = normal.dot((w(0) - p).cross(w(1) - p)) / area;
    share[0] = 1.0 - share[1] - share[2];
  } else if (n == 4) {
    const double all = (w(1) - w(0)).dot((w(2) - w(0)).cross(w(3) - w(0)));
    if (all == 0.0) return false;
    share[1] = -w(0).dot((w(2) - w(0)).cross(w(3) - w(0))) / all;
    share[2] = -(w(1) - w(0)).dot(w(0).cross(w(3) - w(0))) / all;
    share[3] = -(w(1) - w(0)).dot((w(2) - w(0)).cross(w(0))) / all;
    share[0] = 1.0 - share[1] - share[2] - share[3];
  }
  foot.setZero();
  for (int i = 0; i < n; ++i) {
    const double s = share[static_cast<std::size_t>(i)];
    if (!(s >= 0.0)) return false;
    weight[static_cast<std::size_t>(k[static_cast<std::size_t>(i)])] = s;
    foot += s * w(i);
  }
  return true;
}

/// Keep the corners that carry the point nearest to the origin.
Vector3 reduce(Simplex& s) {
  double least = std::numeric_limits<double>::infinity();
  int best = 1;
  std::array<double, 4> weight{}, best_weight{};
  Vector3 foot, nearest = s.corners[0].w;
  for (int subset = 1; subset < (1 << s.count); ++subset) {
    if (!foot_on(s.corners, subset, weight, foot)) continue;
    const double distance = foot.squaredNorm();
    if (distance < least) {
      least = distance;
      best = subset;
      best_weight = weight;
      nearest = foot;
    }
  }
  int kept = 0;
  for (int i = 0; i < s.count; ++i) {
    if (!(best & (1 << i))) continue;
    s.corners[static_cast<std::size_t>(kept)] = s.corners[static_cast<std::size_t>(i)];
    s.weight[static_cast<std::size_t>(kept++)] = best_weight[static_cast<std::size_t>(i)];
  }
  s.count = kept;
  return nearest;
}

bool has(const Simplex& s, Index first, Index second) {
  for (int i = 0; i < s.count; ++i) {
    const Corner& c = s.corners[static_cast<std::size_t>(i)];
    if (c.first == first && c.second == second) return true;
  }
  return false;
}

}  // namespace

NearestPlaces nearest_places(const std::vector<Vector3>& first, const std::vector<Vector3>& second,
                             const Vector3& start) {
  const auto corner = [&](const Vector3& v) {
    const Index i = support(first, v), j = support(second, -v);
    return Corner{second[static_cast<std::size_t>(j)] - first[static_cast<std::size_t>(i)], i, j};
  };
  Simplex s;
  s.corners[0] = corner(start);
  s.weight[0] = 1.0;
  s.count = 1;
  Vector3 v = s.corners[0].w;
  for (int step = 0; step < kGjkSteps; ++step) {
    const double length = v.squaredNorm();
    if (length == 0.0 || s.count == 4) break;
    const Corner next = corner(v);
    if (length - v.dot(next.w) <= polyhedra::kNearest * length || has(s, next.first, next.second)) {
      break;
    }
    const Simplex before = s;
    s.corners[static_cast<std::size_t>(s.count++)] = next;
    const Vector3 nearer = reduce(s);
    if (!(nearer.squaredNorm() < length)) {
      // Nearer only by rounding. One more equally near corner still determines the feature on which
      // the points lie.
      if (!(nearer.squaredNorm() <= length * (1.0 + polyhedra::kNearest))) s = before;
      break;
    }
    v = nearer;
  }
  NearestPlaces result;
  result.count = s.count;
  for (int i = 0; i < s.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Corner& c = s.corners[k];
    result.first[k] = c.first;
    result.second[k] = c.second;
    result.p += s.weight[k] * first[static_cast<std::size_t>(c.first)];
    result.q += s.weight[k] * second[static_cast<std::size_t>(c.second)];
  }
  result.distance = s.count == 4 ? 0.0 : (result.q - result.p).norm();
  return result;
}

}  // namespace nsmb
