#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/cylinder_pairs.hpp"
#include "nsmb/geometry/cylinder_places.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

/// Add rest points from `begin` on, or those of its side, of the first cylinder that are over the
/// second one along n.
void add_places(const PlacedCylinder& a, const PlacedCylinder& b, const Vector3& n, double gap,
                double limit, bool is_first, std::size_t begin, CylinderScratch& work) {
  const double along_a = a.axis.dot(n), along_b = b.axis.dot(n);
  const bool is_side = std::abs(along_a) <= polyhedra::kAlong;
  work.line.clear();
  if (is_side) {
    const Vector3 side = a.center + a.radius * a.across(n).normalized();
    work.line = {side - a.half * a.axis, side + a.half * a.axis};
  } else {
    add_rest_places(a, n, along_a > 0.0 ? 1.0 : -1.0, work.line);
  }
  for (std::size_t k = begin; k < work.line.size(); ++k) {
    const Vector3& p = work.line[k];
    double g = 0.0;
    Index its = Side;
    if (b.across(n).norm() <= polyhedra::kAlong) {  // over a cap of the other cylinder
      const double end = along_b < 0.0 ? 1.0 : -1.0;
      if (b.across(p - b.center).norm() > b.radius) continue;
      g = (end * b.axis.dot(p - b.center) - b.half) / std::abs(along_b);
      its = end > 0.0 ? UpperCap : LowerCap;
    } else if (std::abs(along_b) <= polyhedra::kAlong && is_side) {  // along the other side
      if (std::abs(b.axis.dot(p - b.center)) > b.half) continue;
      if (a.axis.cross(b.axis).norm() > polyhedra::kAlong) continue;
      g = n.dot(b.center - p) - b.radius * b.across(n).norm() + along_b * b.axis.dot(p - b.center);
    } else {
      continue;
    }
    if (g > limit || g < gap - polyhedra::kSameGap * b.radius) continue;
    const Index number = static_cast<Index>(k);
    const Index own = is_side ? (number == 0 ? LowerRim : UpperRim)
                              : (along_a > 0.0 ? UpperRest : LowerRest) + number;
    add_once(is_first ? ShapeContact{g, p, p + g * n, n, own, its}
                      : ShapeContact{g, p - g * -n, p, -n, its, own},
             work.points);
  }
}

/// Add points of a cap or a side that lies flat.
void add_flat_places(const PlacedCylinder& a, const PlacedCylinder& b, const Vector3& n, double gap,
                     double limit, bool is_first, CylinderScratch& work) {
  if (!is_tilted(a, n)) add_places(a, b, n, gap, limit, is_first, 0, work);
}

/// Add the points of a tilted cap that are in the other body, in addition to the deepest.
void add_submerged_places(const PlacedCylinder& a, const PlacedCylinder& b, const Vector3& n,
                          double gap, bool is_first, CylinderScratch& work) {
  if (gap < 0.0 && is_tilted(a, n)) add_places(a, b, n, gap, 0.0, is_first, 1, work);
}

/// Return the middle of the common part of two caps on the line through their centres.
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

/// Return the point nearest to a cap of the other cylinder on the line of the first cylinder's side
/// that faces along n.
Vector3 place_on_side(const PlacedCylinder& a, const PlacedCylinder& b, const Vector3& n) {
  const Vector3 middle = b.center - std::copysign(b.half, b.axis.dot(n)) * b.axis;
  const double along = std::clamp(a.axis.dot(middle - a.center), -a.half, a.half);
  return a.center + a.radius * a.across(n).normalized() + along * a.axis;
}

/// Return the point of the first cylinder that touches along n.
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

/// Return the direction between two rims that is reached from this start.
Vector3 polished(const PlacedCylinder& a, const PlacedCylinder& b, const Vector3& start) {
  const Vector3 n = start.normalized();
  const double end_1 = a.axis.dot(n) < 0.0 ? -1.0 : 1.0, end_2 = b.axis.dot(n) > 0.0 ? -1.0 : 1.0;
  return rim_rim_direction(a, end_1, b, end_2, n);
}

/// Search for the largest gap over all directions. It belongs to a cap, to two sides, to a side and
/// a rim, or to two rims; each of these has its candidates.
class CylinderDirections {
 public:
  CylinderDirections(const PlacedCylinder& a, const PlacedCylinder& b,
                     std::vector<RimDirection>& found)
      : a_(a), b_(b), gap_{a, b}, best_(gap_), found_(found) {}

  /// Try caps, sides, sides against rims: in closed form, or on the great circle perpendicular to
  /// an axis.
  void flat() {
    best_.add_both(a_.axis);
    best_.add_both(b_.axis);
    best_.add_both(across_both(a_.axis, b_.axis));
    best_.add_both(a_.across(b_.center - a_.center));
    best_.add_both(b_.across(b_.center - a_.center));
    for (const double end : {-1.0, 1.0}) {
      found_.clear();
      rim_line_directions(a_, end, b_.center, b_.axis, found_);
      for (const RimDirection& rim : found_) {
        if (looks(end * a_.axis, rim.n)) try_rim(rim, -kInfinity);
      }
      found_.clear();
      rim_line_directions(b_, end, a_.center, a_.axis, found_);
      for (const RimDirection& rim : found_) {
        if (looks(end * b_.axis, rim.n)) try_rim({-rim.n, rim.place, false}, -kInfinity);
      }
    }
  }

  /// Try rims: bodies are separated along the common normal where two rims are nearest, also if
  /// they overlap. Caps and sides take precedence, so that a body lying flat has their normal.
  void rims() {
    const double scale = (b_.center - a_.center).norm() + a_.radius + a_.half + b_.radius + b_.half;
    const double roundings = rims::kRimLast * scale, flat = best_.gap;
    for (const double end_1 : {-1.0, 1.0}) {
      for (const double end_2 : {-1.0, 1.0}) {
        found_.clear();
        rim_rim_directions(a_, end_1, b_, end_2, found_);
        for (const RimDirection& rim : found_) {
          for (const double sign : {1.0, -1.0}) {
            const Vector3 n = sign * rim.n;
            if (!looks(end_1 * a_.axis, n) || !looks(end_2 * b_.axis, -n)) continue;
            try_rim({n, rim.place, rim.is_first}, flat + roundings);
          }
        }
      }
    }
    // Directions that agree to half the digits have the same gap, but not the same points.
    if (best_.gap > flat) best_.replace(polished(a_, b_, best_.n), roundings);
  }

  double gap() const { return best_.gap; }
  const Vector3& n() const { return best_.n; }
  /// Return true if the direction is that of a rim against a side or a rim.
  bool has_place() const { return has_place_; }
  /// Return the contact point of the first body in that case.
  Vector3 place() const { return is_first_ ? place_ : Vector3(place_ - best_.gap * best_.n); }

 private:
  struct Gap {
    double operator()(const Vector3& n) const { return -b.support(-n) - a.support(n); }
    const PlacedCylinder &a, &b;
  };

  /// A rim is furthest on its body only along directions that leave it at that end.
  static bool looks(const Vector3& end, const Vector3& n) {
    return end.dot(n) >= -polyhedra::kSupport;
  }

  void try_rim(const RimDirection& rim, double least) {
    if (!best_.add(rim.n, least)) return;
    has_place_ = true;
    place_ = rim.place;
    is_first_ = rim.is_first;
  }

  const PlacedCylinder &a_, &b_;
  Gap gap_;
  BestDirection<Gap> best_;
  std::vector<RimDirection>& found_;
  Vector3 place_ = Vector3::Zero();
  bool is_first_ = true, has_place_ = false;
};

}  // namespace

void cylinder_cylinder(const CylinderShape& first, const CylinderShape& second,
                       const Placement& pose, double reach, CylinderScratch& work,
                       std::vector<ShapeContact>& out) {
  const PlacedCylinder a = placed(first, {}), b = placed(second, pose);
  CylinderDirections best(a, b, work.rims);
  best.flat();
  if (best.gap() > reach) return;
  best.rims();
  if (best.gap() > reach) return;
  const Vector3 n = best.n();
  const double gap = best.gap();
  const Index own = feature_along(a, n), its = feature_along(b, -n);
  const double size = std::min(first.size(), second.size());
  work.points.clear();
  add_flat_places(a, b, n, gap, reach, true, work);
  add_flat_places(b, a, -n, gap, reach, false, work);
  if (!holds(work.points, gap, size)) {
    Vector3 p = best.has_place() ? best.place() : place_between(a, own, b, its, n, gap);
    const double slack = polyhedra::kOnFeature * size;
    const auto fits = [&] { return is_in(a, p, slack) && is_in(b, p + gap * n, slack); };
    if (!fits()) p = place_between(a, own, b, its, n, gap);
    const bool has_caps = a.across(n).norm() <= polyhedra::kAlong;
    if (!fits() && has_caps && b.across(n).norm() <= polyhedra::kAlong) {
      p = place_of_caps(a, b, n, gap);
    }
    if (!fits() && !work.points.empty()) {
      give_gap(gap, work.points);
    } else {
      work.points.push_back({gap, p, p + gap * n, n, own, its});
    }
  }
  add_submerged_places(a, b, n, gap, true, work);
  add_submerged_places(b, a, -n, gap, false, work);
  keep_four(work.points, 0, size);
  out.insert(out.end(), work.points.begin(), work.points.end());
}

}  // namespace nsmb
