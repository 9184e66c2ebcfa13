#include "nsmb/geometry/feature_pairs.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "nsmb/geometry/candidates.hpp"
#include "nsmb/geometry/round_shapes.hpp"
#include "nsmb/geometry/tolerances.hpp"
#include "nsmb/geometry/triangle_surface.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

bool is_plane(const Feature& f) { return f.surface.skeleton == Skeleton::Plane; }
bool is_line(const Feature& f) { return f.surface.skeleton == Skeleton::Line; }

/// Return true if both have no body around them: the normal is that of a face or perpendicular to
/// both edges.
bool is_sharp(const Feature& a, const Feature& b) {
  return a.surface.radius == 0.0 && b.surface.radius == 0.0;
}

// Corners without radius touch only faces. Their contacts with edges and with each other are
// covered by those with the adjacent faces.
bool may_touch(const Feature& a, const Feature& b) {
  if (!has_nearest_points(a.surface, b.surface)) return false;
  return !is_sharp(a, b) || is_plane(a) || is_plane(b) || (is_line(a) && is_line(b));
}

/// Return the distance of the segments of two lines, m.
double between_segments(const Feature& a, const Placement& pose_a, const Feature& b,
                        const Placement& pose_b) {
  const Vector3 p = pose_a.point(a.ends[0].r), d_1 = pose_a.point(a.ends[1].r) - p;
  const Vector3 q = pose_b.point(b.ends[0].r), d_2 = pose_b.point(b.ends[1].r) - q;
  const Vector3 w = p - q;
  const double aa = d_1.squaredNorm(), bb = d_2.squaredNorm(), ab = d_1.dot(d_2);
  const double aw = d_1.dot(w), bw = d_2.dot(w), square = aa * bb - ab * ab;
  // The point on the first line, then the nearest one on the second, then again on the first.
  double s = square > kEpsilon * aa * bb ? std::clamp((ab * bw - bb * aw) / square, 0.0, 1.0) : 0.0;
  const double t = std::clamp((ab * s + bw) / bb, 0.0, 1.0);
  s = std::clamp((ab * t - aw) / aa, 0.0, 1.0);
  return (w + s * d_1 - t * d_2).norm();
}

// Parallel lines touch nowhere. The result is the limit of crossing lines.
SurfacePoint between_parallels(const Feature& a, const Placement& pose_a, const Feature& b,
                               const Placement& pose_b) {
  SurfacePoint p;
  const Vector3 e = pose_a.direction(a.surface.e);
  p.s_1 = pose_a.point(a.surface.r);
  const Vector3 w = pose_b.point(b.surface.r) - p.s_1, d = w - e.dot(w) * e;
  const double apart = d.norm();
  const Vector3 n = apart > 0.0 ? Vector3(d / apart) : e.unitOrthogonal();
  p.axes << n, e, n.cross(e);
  p.s_2 = p.s_1 + d;
  p.r_1 = p.s_1 + a.surface.radius * n;
  p.r_2 = p.s_2 - b.surface.radius * n;
  p.g_N = apart - a.surface.radius - b.surface.radius;
  return p;
}

/// Return a box around a box given in the frame of one shape, in that of the other.
Bounds turned(const Bounds& box, const Placement& pose) {
  const Vector3 middle = 0.5 * (box.low + box.high), half = 0.5 * (box.high - box.low);
  const Vector3 center = pose.point(middle), reach = pose.A.cwiseAbs() * half;
  return {center - reach, center + reach};
}

void fill(const Shape& shape, const std::vector<Index>& numbers, std::vector<Feature>& features) {
  if (features.size() < numbers.size()) features.resize(numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) get_feature(shape, numbers[k], features[k]);
}

/// Collect the features of `shape` near `other`.
void collect_near(const Shape& shape, const Placement& pose, const Shape& other,
                  const Placement& other_pose, double distance, std::vector<Index>& numbers) {
  const Placement seen = relative(pose, other_pose);
  if (other.kind() == ShapeKind::HalfSpace && shape.kind() >= ShapeKind::HeightField) {
    const auto& surface = as<TriangleSurface>(shape);
    const Vector3 up = seen.A.col(2);
    numbers.clear();
    surface.collect_below(up, up.dot(seen.r) + distance, numbers);
    std::erase_if(numbers, [&](Index v) { return !surface.stands_out(v); });
    for (Index& number : numbers) number = surface.vertex_feature(number);
    return;
  }
  if (other.kind() == ShapeKind::HalfSpace && shape.kind() == ShapeKind::Cylinder) {
    numbers = {LowerRim, UpperRim};
    for (Index k = 0; k < 2 * kFeet; ++k) numbers.push_back(LowerFoot + k);
    return;
  }
  Bounds box;
  if (other.kind() == ShapeKind::HalfSpace) {
    box = {Vector3::Constant(-kInfinity), Vector3::Constant(kInfinity)};
  } else {
    box = turned(other.bounds({}), seen);
    box.widen(distance);
  }
  collect_features(shape, box, numbers);
}

class PairSearch {
 public:
  PairSearch(const Placement& pose_1, const Placement& pose_2, const FeaturePairOptions& options,
             FeaturePairs& found)
      : motion_1_{pose_1}, motion_2_{pose_2}, options_(options), found_(found) {}

  void look(const Feature& a, Index number_a, const Feature& b, Index number_b) {
    if (!may_touch(a, b)) return;
    if (is_line(a) && is_line(b)) return look_at_lines(a, number_a, b, number_b);
    const FeaturePairPoint pair = feature_pair_point(a, motion_1_, b, motion_2_);
    if (pair.is_singular) {
      // The contact may be anywhere nearby after the smallest motion.
      limit(feature_pair_tuning::kSingularWay * options_.distance);
      return add(number_a, number_b, pair.point, 0.0);
    }
    const Vector3 x_1 = motion_1_.pose.local(pair.point.s_2);
    const Vector3 x_2 = motion_2_.pose.local(pair.point.s_1);
    double way = std::abs(pair.point.g_N);
    if (is_plane(a) || is_plane(b)) {
      const double beside = is_plane(a) ? a.behind_ends(x_1) : b.behind_ends(x_2);
      way = std::max({way, beside, way_of_lean(a, b, pair.point)});
    } else {
      way = std::max({way, a.behind_cell(x_1), b.behind_cell(x_2)});
    }
    add(number_a, number_b, pair.point, way);
  }

 private:
  void look_at_lines(const Feature& a, Index number_a, const Feature& b, Index number_b) {
    const double radius = a.surface.radius + b.surface.radius;
    const double apart = between_segments(a, motion_1_.pose, b, motion_2_.pose) - radius;
    if (apart > options_.distance) return;
    const double sine =
        motion_1_.pose.direction(a.surface.e).cross(motion_2_.pose.direction(b.surface.e)).norm();
    // Bodies lying flat on each other are supported by corners and ends. Crossings there are found
    // after a small rotation.
    const double parallel = radius > 0.0 ? feature_pairs::kParallelRound : feature_pairs::kParallel;
    const Vector3& turning = options_.second_turns ? b.surface.e : a.surface.e;
    if (sine <= parallel) {
      return limit_line(
          turning, radius > 0.0 ? feature_pairs::kParallelRound : feature_pairs::kTurnOfParallels);
    }
    limit_line(turning, 0.5 * std::asin(std::min(sine, 1.0)));
    if (radius > 0.0) {
      const FeaturePairPoint pair = feature_pair_point(a, motion_1_, b, motion_2_);
      return add(number_a, number_b, pair.point, std::abs(apart));
    }
    // Of the two sides, list the one that is reached over the shorter displacement. The common
    // normal rotates more than the edges do, but by no more than twice 1/sine until they have
    // rotated by half of their angle.
    std::array<FeatureCandidate, 2> sides;
    for (std::size_t k = 0; k < 2; ++k) {
      const double side = k == 0 ? 1.0 : -1.0;
      const FeaturePairPoint pair = feature_pair_point(a, motion_1_, b, motion_2_, side);
      const double lean = way_of_lean(a, b, pair.point, 0.5 * sine);
      sides[k] = {number_a, number_b, pair.point.g_N, std::max(std::abs(apart), lean), 0, side};
    }
    if (sides[1].way < sides[0].way) std::swap(sides[0], sides[1]);
    if (sides[0].way > options_.distance) return;
    limit(sides[1].way);
    found_.candidates.push_back(sides[0]);
  }

  // Return the displacement by a rotation after which n leads into no side of either. n rotates by
  // the same angle or, for `share` < 1, by no more than 1/share of it.
  double way_of_lean(const Feature& a, const Feature& b, const SurfacePoint& p,
                     double share = 1.0) const {
    const Vector3 n = p.axes.col(0);
    const double lean = std::max(a.lean(motion_1_.pose.local_direction(n)),
                                 b.lean(motion_2_.pose.local_direction(-n)));
    if (!(lean > 0.0)) return 0.0;
    return way_of_turn(options_.arm, share * std::asin(std::min(lean, 1.0)));
  }

  void add(Index number_a, Index number_b, const SurfacePoint& p, double way) {
    if (way > options_.distance) return;
    Index axis = 0;
    motion_1_.pose.local_direction(p.axes.col(0)).cwiseAbs().minCoeff(&axis);
    found_.candidates.push_back({number_a, number_b, p.g_N, way, axis, 1.0});
  }

  void limit(double way) { found_.surely = std::min(found_.surely, way); }

  // Lines with the same direction share the smallest angle.
  void limit_line(const Vector3& line, double angle) {
    for (TurnLimit& known : found_.turns) {
      if (known.line.cross(line).squaredNorm() > kEpsilon) continue;
      known.angle = std::min(known.angle, angle);
      return;
    }
    found_.turns.push_back({line, angle});
  }

  ShapeMotion motion_1_, motion_2_;
  const FeaturePairOptions& options_;
  FeaturePairs& found_;
};

}  // namespace

FeaturePairPoint feature_pair_point(const Feature& first, const ShapeMotion& motion_1,
                                    const Feature& second, const ShapeMotion& motion_2,
                                    double side) {
  FeaturePairPoint pair;
  pair.point = surface_point(first.surface, motion_1, second.surface, motion_2, side);
  const bool are_lines = is_line(first) && is_line(second);
  if (pair.point.is_singular && are_lines) {
    pair.point = between_parallels(first, motion_1.pose, second, motion_2.pose);
    pair.domain = -(pair.point.s_2 - pair.point.s_1).norm();
    return pair;
  }
  pair.is_singular = pair.point.is_singular;
  if (pair.is_singular) return pair;
  const Vector3 x_1 = motion_1.pose.local(pair.point.s_2);
  const Vector3 x_2 = motion_2.pose.local(pair.point.s_1);
  if (is_plane(first)) {
    const Vector3 n = motion_2.pose.local_direction(pair.point.axes.col(0));
    pair.domain = within_both(first.within_ends(x_1), second.within_lean(n));
  } else if (is_plane(second)) {
    const Vector3 n = motion_1.pose.local_direction(pair.point.axes.col(0));
    pair.domain = within_both(second.within_ends(x_2), first.within_lean(n));
  } else if (is_sharp(first, second)) {
    pair.domain = within_both(first.within_ends(x_1), second.within_ends(x_2));
  } else {
    pair.domain = within_both(first.within_cell(x_1), second.within_cell(x_2));
  }
  if (are_lines) {
    // The accuracy of the crossing point is that of the distance over the sine.
    pair.domain *= motion_1.pose.direction(first.surface.e)
                       .cross(motion_2.pose.direction(second.surface.e))
                       .norm();
  }
  return pair;
}

void find_feature_pairs(const Shape& shape_1, const Placement& pose_1, const Shape& shape_2,
                        const Placement& pose_2, const FeaturePairOptions& options,
                        FeaturePairScratch& work, FeaturePairs& found) {
  found.candidates.clear();
  found.surely = options.distance;
  found.turns.clear();
  collect_near(shape_1, pose_1, shape_2, pose_2, options.distance, work.numbers_1);
  collect_near(shape_2, pose_2, shape_1, pose_1, options.distance, work.numbers_2);
  fill(shape_1, work.numbers_1, work.features_1);
  fill(shape_2, work.numbers_2, work.features_2);
  PairSearch search(pose_1, pose_2, options, found);
  for (std::size_t i = 0; i < work.numbers_1.size(); ++i) {
    for (std::size_t k = 0; k < work.numbers_2.size(); ++k) {
      search.look(work.features_1[i], work.numbers_1[i], work.features_2[k], work.numbers_2[k]);
    }
  }
  std::sort(found.candidates.begin(), found.candidates.end(),
            [](const FeatureCandidate& a, const FeatureCandidate& b) {
              return std::tie(a.way, a.first, a.second) < std::tie(b.way, b.first, b.second);
            });
  std::sort(found.turns.begin(), found.turns.end(),
            [](const TurnLimit& a, const TurnLimit& b) { return a.angle < b.angle; });
  if (found.turns.size() <= FeaturePairs::kMostTurns) return;
  const double all = found.turns[FeaturePairs::kMostTurns].angle;
  found.surely = std::min(found.surely, way_of_turn(options.arm, all));
  found.turns.resize(FeaturePairs::kMostTurns);
}

}  // namespace nsmb
