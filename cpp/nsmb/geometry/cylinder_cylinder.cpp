#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "nsmb/geometry/cylinder_pairs.hpp"
#include "nsmb/geometry/cylinder_places.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr int kSpread = 256;  // directions to start from, all around
constexpr std::ptrdiff_t kPolished = 16;

/// Rest and side places of the first cylinder that are over the second one along n.
void add_places_over(const PlacedCylinder& a, const PlacedCylinder& b, const Vector3& n, double gap,
                     double limit, bool is_first, CylinderScratch& work) {
  const double along_a = a.axis.dot(n), along_b = b.axis.dot(n);
  const bool is_cap = a.across(n).norm() <= polyhedra::kAlong;
  const bool is_side = std::abs(along_a) <= polyhedra::kAlong;
  work.line.clear();
  if (is_cap) {
    add_rest_places(a, n, along_a > 0.0 ? 1.0 : -1.0, work.line);
  } else if (is_side) {
    const Vector3 side = a.center + a.radius * a.across(n).normalized();
    work.line = {side - a.half * a.axis, side + a.half * a.axis};
  }
  for (std::size_t k = 0; k < work.line.size(); ++k) {
    const Vector3& p = work.line[k];
    double g = 0.0;
    Index its = Side;
    if (b.across(n).norm() <= polyhedra::kAlong) {  // over a cap of the other
      const double end = along_b < 0.0 ? 1.0 : -1.0;
      if (b.across(p - b.center).norm() > b.radius) continue;
      g = (end * b.axis.dot(p - b.center) - b.half) / std::abs(along_b);
      its = end > 0.0 ? UpperCap : LowerCap;
    } else if (std::abs(along_b) <= polyhedra::kAlong && is_side) {  // along the other's side
      if (std::abs(b.axis.dot(p - b.center)) > b.half) continue;
      if (a.axis.cross(b.axis).norm() > polyhedra::kAlong) continue;
      g = n.dot(b.center - p) - b.radius * b.across(n).norm() + along_b * b.axis.dot(p - b.center);
    } else {
      continue;
    }
    if (g > limit || g < gap - polyhedra::kSameGap * b.radius) continue;
    const Index number = static_cast<Index>(k);
    const Index own = is_cap ? (along_a > 0.0 ? UpperRest : LowerRest) + number
                             : (number == 0 ? LowerRim : UpperRim);
    add_once(is_first ? ShapeContact{g, p, p + g * n, n, own, its}
                      : ShapeContact{g, p - g * -n, p, -n, its, own},
             work.points);
  }
}

/// The middle of what two caps share on the line through their centres.
Vector3 place_of_caps(const PlacedCylinder& a, const PlacedCylinder& b, const Vector3& n,
                      double gap) {
  const Vector3 p = a.center + std::copysign(a.half, a.axis.dot(n)) * a.axis;
  const Vector3 q = b.center - std::copysign(b.half, b.axis.dot(n)) * b.axis - gap * n;
  const double apart = (q - p).norm();
  if (apart == 0.0) return p;
  const double low = std::max(-a.radius, apart - b.radius);
  const double high = std::min(a.radius, apart + b.radius);
  return p + 0.5 * (low + high) / apart * (q - p);
}

/// Of the line on the side of the first cylinder that looks along n, the place nearest to a cap of
/// the other one.
Vector3 place_on_side(const PlacedCylinder& a, const PlacedCylinder& b, const Vector3& n) {
  const Vector3 middle = b.center - std::copysign(b.half, b.axis.dot(n)) * b.axis;
  const double along = std::clamp(a.axis.dot(middle - a.center), -a.half, a.half);
  return a.center + a.radius * a.across(n).normalized() + along * a.axis;
}

/// The place of the first cylinder that touches along n.
Vector3 place_between(const PlacedCylinder& a, Index own, const PlacedCylinder& b, Index its,
                      const Vector3& n, double gap) {
  if (is_rim(own)) return a.furthest(n);
  if (is_rim(its)) return b.furthest(-n) - gap * n;
  if (own == Side && its == Side) {
    const Vector3 q = b.center - b.radius * n, end = b.half * b.axis;
    return place_beside(a, q - end, q + end) - gap * n;
  }
  if (own == Side) return place_on_side(a, b, n);
  if (its == Side) return place_on_side(b, a, -n) - gap * n;
  return place_of_caps(a, b, n, gap);
}

/// The direction between two rims that is reached from this one.
Vector3 polished(const PlacedCylinder& a, const PlacedCylinder& b, const Vector3& start) {
  const Vector3 n = start.normalized();
  const double end_1 = a.axis.dot(n) < 0.0 ? -1.0 : 1.0, end_2 = b.axis.dot(n) > 0.0 ? -1.0 : 1.0;
  return rim_rim_direction(a, end_1, b, end_2, n);
}

template <class Best>
void cylinder_directions(const PlacedCylinder& a, const PlacedCylinder& b, CylinderScratch& work,
                         Best& best) {
  best.add_both(a.axis);
  best.add_both(b.axis);
  best.add_both(a.axis.cross(b.axis));
  best.add_both(a.across(b.center - a.center));
  best.add_both(b.across(b.center - a.center));
  work.line.clear();
  for (const double end : {-1.0, 1.0}) {
    rim_line_directions(a, end, b.center, b.axis, work.line);
    const std::size_t before = work.line.size();
    rim_line_directions(b, end, a.center, a.axis, work.line);
    for (std::size_t k = before; k < work.line.size(); ++k) work.line[k] = -work.line[k];
  }
  for (const Vector3& n : work.line) best.add(n);
  // Two rims: from what is best so far, and from the best of directions all around.
  work.starts.clear();
  for (const Vector3& n : work.line) work.starts.emplace_back(best.value(n), n);
  work.starts.emplace_back(best.gap, best.n);
  const double golden = std::numbers::pi * (3.0 - std::sqrt(5.0));  // rad, of an even spiral
  for (int k = 0; k < kSpread; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / kSpread, r = std::sqrt(1.0 - z * z);
    const Vector3 n(r * std::cos(golden * k), r * std::sin(golden * k), z);
    work.starts.emplace_back(best.value(n), n);
  }
  const auto kept =
      work.starts.begin() + std::min<std::ptrdiff_t>(kPolished, std::ssize(work.starts));
  std::partial_sort(work.starts.begin(), kept, work.starts.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  for (auto start = work.starts.begin(); start != kept; ++start) {
    best.add(polished(a, b, start->second));
  }
  // A rim beside the cap that it is best against: the other rim is nearer.
  const Vector3 n = best.n, p = a.furthest(n), q = b.furthest(-n);
  const Vector3 off_b = b.across(p - b.center), off_a = a.across(q - a.center);
  for (double tilt = rim_tuning::kLargestTilt; tilt > rim_tuning::kSmallestTilt;
       tilt *= rim_tuning::kNextTilt) {
    if (off_b.norm() > b.radius) best.add(polished(a, b, n - tilt * off_b.normalized()));
    if (off_a.norm() > a.radius) best.add(polished(a, b, n + tilt * off_a.normalized()));
  }
}

}  // namespace

void cylinder_cylinder(const CylinderShape& first, const CylinderShape& second,
                       const Placement& pose, double reach, CylinderScratch& work,
                       std::vector<ShapeContact>& out) {
  const PlacedCylinder a = placed(first, {}), b = placed(second, pose);
  const auto gap = [&](const Vector3& n) { return -b.support(-n) - a.support(n); };
  BestDirection best(gap);
  cylinder_directions(a, b, work, best);
  if (best.gap > reach) return;
  const Vector3 n = best.n;
  const Index own = feature_along(a, n), its = feature_along(b, -n);
  const double size = std::min(first.size(), second.size());
  work.points.clear();
  add_places_over(a, b, n, best.gap, reach, true, work);
  add_places_over(b, a, -n, best.gap, reach, false, work);
  if (!holds(work.points, best.gap, size)) {
    Vector3 p = place_between(a, own, b, its, n, best.gap);
    const double slack = polyhedra::kOnFeature * size;
    const auto fits = [&] { return is_in(a, p, slack) && is_in(b, p + best.gap * n, slack); };
    const bool has_caps = a.across(n).norm() <= polyhedra::kAlong;
    if (!fits() && has_caps && b.across(n).norm() <= polyhedra::kAlong) {
      p = place_of_caps(a, b, n, best.gap);
    }
    if (!fits() && !work.points.empty()) {
      give_gap(best.gap, work.points);
    } else {
      work.points.push_back({best.gap, p, p + best.gap * n, n, own, its});
    }
  }
  keep_four(work.points, 0, size);
  out.insert(out.end(), work.points.begin(), work.points.end());
}

}  // namespace nsmb
