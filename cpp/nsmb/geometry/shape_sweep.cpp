#include "nsmb/geometry/shape_sweep.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/round_shapes.hpp"
#include "nsmb/geometry/tolerances.hpp"
#include "nsmb/geometry/triangle_surface.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Limit of approaches. After these the time found is before the touch, not at it.
constexpr int kMostApproaches = 200;
// Limits of evaluations along the motion of surfaces, and for the time of a touch.
constexpr int kMostLooks = 10000, kMostHalves = 60;

double depth_of_polyhedron(const Polyhedron& polyhedron) {
  if (polyhedron.faces().size() < 4) return 0.0;
  Vector3 inside = Vector3::Zero();
  for (const Vector3& vertex : polyhedron.vertices()) inside += vertex;
  inside /= static_cast<double>(polyhedron.vertices().size());
  double depth = kInfinite;
  for (const PolyhedronFace& face : polyhedron.faces()) {
    depth = std::min(depth, face.offset - face.normal.dot(inside));
  }
  return std::max(depth, 0.0);
}

// A rotating unbounded shape has points of unbounded speed.
double turning_speed(double speed, double reach) { return speed == 0.0 ? 0.0 : speed * reach; }

Vector3 velocity_at(const MovingShape& a, double time, const Vector3& place) {
  const ShapeMotion& m = a.motion;
  return m.v + m.Omega.cross(place - (m.pose.r + time * m.v));
}

}  // namespace

Placement ShapeMotion::after(double time) const {
  Placement there = pose;
  there.r += time * v;
  const double speed = Omega.norm();
  if (speed > 0.0) there.A = Eigen::AngleAxisd(time * speed, Omega / speed) * pose.A;
  return there;
}

double reach_of(const Shape& shape) {
  if (shape.kind() == ShapeKind::Sphere) return 0.0;
  const Bounds box = shape.bounds(Placement{});
  return box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs()).norm();
}

double depth_of(const Shape& shape) {
  switch (shape.kind()) {
    case ShapeKind::HalfSpace:
      return kInfinite;
    case ShapeKind::Sphere:
      return static_cast<const SphereShape&>(shape).radius();
    case ShapeKind::Capsule:
      return static_cast<const CapsuleShape&>(shape).radius();
    case ShapeKind::Cylinder: {
      const auto& cylinder = static_cast<const CylinderShape&>(shape);
      return std::min(cylinder.radius(), 0.5 * cylinder.length());
    }
    case ShapeKind::Polyhedron:
      return depth_of_polyhedron(static_cast<const PolyhedronShape&>(shape).polyhedron());
    case ShapeKind::HeightField:
    case ShapeKind::TriangleMesh:
      break;
  }
  const auto& surface = static_cast<const TriangleSurface&>(shape);
  return std::min(surface.depth(), surfaces::kOpenDepth * surface.size());
}

double share_of_depth(const Shape& shape, double depth, double least) {
  const ShapeKind kind = shape.kind();
  const bool is_round = kind == ShapeKind::Sphere || kind == ShapeKind::Capsule;
  if (is_round || kind == ShapeKind::HalfSpace || !std::isfinite(least)) return depth;
  return 0.5 * std::min(depth, least);
}

double common_depth(const MovingShape& a, const MovingShape& b) {
  if (a.is_convex() && b.is_convex()) return a.depth + b.depth;
  for (const MovingShape* shape : {&a, &b}) {
    const ShapeKind kind = shape->shape.kind();
    if (kind == ShapeKind::HalfSpace) return kInfinite;
    // The centre may be behind the surface.
    if (kind == ShapeKind::Sphere || kind == ShapeKind::Capsule) {
      return shape->depth + std::min(a.depth, b.depth);
    }
  }
  return std::min(a.depth, b.depth);
}

double MovingShape::speed() const {
  return motion.v.norm() + turning_speed(motion.Omega.norm(), reach);
}

bool ShapeSweep::is_fast(const MovingShape& a, double step) {
  return step * a.speed() > sweeps::kSureDepth * a.share;
}

ShapeSweep::Look ShapeSweep::look(const MovingShape& a, const MovingShape& b, double time,
                                  double reach, double tolerance) {
  points_.clear();
  nsmb::contact_points(a.shape, a.motion.after(time), b.shape, b.motion.after(time), reach,
                       scratch_, nullptr, points_);
  Look found;
  found.near = !points_.empty();
  found.g_N = found.rate = kInfinite;
  for (const ShapeContact& point : points_) {
    if (point.g_N < found.g_N) {
      found.g_N = point.g_N;
      found.normal = point.normal;
    }
    if (point.g_N > tolerance) continue;
    const Vector3 closing = velocity_at(b, time, point.r_2) - velocity_at(a, time, point.r_1);
    found.rate = std::min(found.rate, closing.dot(point.normal));
  }
  return found;
}

// Return true if the next search finds them with the same normal, and not too deep.
bool ShapeSweep::is_sure(const MovingShape& a, const MovingShape& b, const StepWindow& window,
                         double touch, const Vector3& normal, double deepest) {
  const double time = touch <= window.look ? window.look : window.step + window.look;
  const Look there = look(a, b, time, window.tolerance, window.tolerance);
  return there.near && there.g_N >= -deepest &&
         1.0 - there.normal.dot(normal) < sweeps::kTurnedNormal;
}

PairTouch ShapeSweep::touch(const MovingShape& a, const MovingShape& b, const StepWindow& window) {
  const double fastest = (b.motion.v - a.motion.v).norm() +
                         turning_speed(a.motion.Omega.norm(), a.reach) +
                         turning_speed(b.motion.Omega.norm(), b.reach);
  const double deepest = sweeps::kSureDepth * common_depth(a, b);
  if (!(window.step * fastest > deepest) || !std::isfinite(fastest)) return {};
  if (!a.is_convex() || !b.is_convex()) return touch_surface(a, b, window, fastest, deepest);
  const double brief = deepest / fastest;
  const double turning =
      turning_speed(a.motion.Omega.norm(), a.reach) + turning_speed(b.motion.Omega.norm(), b.reach);
  double time = 0.0, apart = -1.0, gap = 0.0;  // the last time they were separated, and the gap
  for (int k = 0; k < kMostApproaches; ++k) {
    const double reach = window.tolerance + fastest * (window.step - time);
    const Look here = look(a, b, time, reach, window.tolerance);
    if (!here.near) return {};
    if (here.g_N > window.tolerance) {
      const double closing = turning - (b.motion.v - a.motion.v).dot(here.normal);
      if (!(closing > 0.0)) return {};
      apart = time;
      gap = here.g_N;
      time += (here.g_N - 0.5 * window.tolerance) / closing;
    } else if (here.g_N < -window.tolerance && apart >= 0.0) {
      // Points of faces represent a plane that separates the bodies by slightly less.
      time = apart + (time - apart) * (gap - 0.5 * window.tolerance) / (gap - here.g_N);
    } else if (time == 0.0 && !(-here.rate * window.step > deepest)) {
      return {};
    } else if (here.rate < 0.0) {
      if (time > 0.0 && is_sure(a, b, window, time, here.normal, deepest)) return {};
      return {time, brief};
    } else {
      time += sweep_tuning::kApart * brief;
    }
    if (time > window.step) return {};
  }
  return {time, brief};
}

// The depth in a surface is known only while it is small. Surfaces are therefore examined so often
// that the depth increases between evaluations by at most half of the sure depth. Greater depths
// are identified by the depth at which they started.
PairTouch ShapeSweep::touch_surface(const MovingShape& a, const MovingShape& b,
                                    const StepWindow& window, double fastest, double deepest) {
  const double brief = deepest / fastest, last = window.step + window.look;
  Dip dip;
  double time = 0.0;
  for (int k = 0; k < kMostLooks; ++k) {
    const double whole = window.tolerance + fastest * (last - time);
    const double reach = dip.is_closed ? std::min(whole, deepest + window.tolerance) : whole;
    const Look here = look(a, b, time, reach, window.tolerance);
    if (k == 0) dip.level = std::min(here.g_N, 0.0);
    const double next_look = dip.behind <= window.look ? window.look : last;
    double go = 0.5 * brief;
    if (here.g_N > window.tolerance) {
      // It has passed through an edge or a corner before the next search.
      const bool grazed = dip.level == 0.0 && dip.lowest < -sweeps::kGrazing * deepest;
      if (grazed && time <= next_look) return {meeting(a, b, window, fastest, dip), brief};
      if (time > window.step || (!here.near && reach == whole)) return {};
      dip = Dip{};
      dip.before = time;
      go += std::min(here.g_N, reach) / fastest;
    } else {
      dip.is_closed = true;
      dip.lowest = std::min(dip.lowest, here.g_N);
      if (here.g_N >= dip.level - window.tolerance) {
        dip.before = time;
        dip.behind = kInfinite;
      } else if (dip.behind == kInfinite) {
        dip.behind = time;
      }
      if (time > window.step && !(dip.behind <= window.step)) return {};
      if (here.rate < 0.0 && here.g_N < dip.level - deepest) {
        return {meeting(a, b, window, fastest, dip), brief};
      }
      if (time == window.look) {
        // Fast bodies get another velocity here.
        if (-here.rate * window.step > 0.5 * deepest) {
          return turns(a, b, window, fastest, dip, here)
                     ? PairTouch{meeting(a, b, window, fastest, dip), brief}
                     : PairTouch{};
        }
        dip.level = std::min(here.g_N, 0.0);
        dip.before = time;
        dip.behind = kInfinite;
      }
    }
    if (time >= last) return {};
    const bool passes_look = time < window.look && time + go > window.look;
    time = passes_look ? window.look : std::min(time + go, last);
  }
  return {std::min(time, window.step), brief};
}

// Return true if bodies that were separated meet with a normal that differs from the one at the
// search.
bool ShapeSweep::turns(const MovingShape& a, const MovingShape& b, const StepWindow& window,
                       double fastest, const Dip& dip, const Look& there) {
  if (dip.level != 0.0 || dip.behind == kInfinite || !(dip.before < dip.behind)) return false;
  const double time = meeting(a, b, window, fastest, dip);
  const Look touch = look(a, b, time, window.tolerance, window.tolerance);
  return touch.near && 1.0 - touch.normal.dot(there.normal) >= sweeps::kTurnedNormal;
}

// Find the time at which the two get below their level, by bisection or linear interpolation.
double ShapeSweep::meeting(const MovingShape& a, const MovingShape& b, const StepWindow& window,
                           double fastest, const Dip& dip) {
  double before = dip.before, behind = dip.behind;
  if (behind == kInfinite) return before;
  double above = kInfinite, below = kInfinite;  // gap over the level then
  for (int k = 0; k < kMostHalves; ++k) {
    if (!(fastest * (behind - before) > 0.5 * window.tolerance)) break;
    const bool has_line = k % 3 != 0 && above < kInfinite && below < kInfinite;
    const double share = has_line ? above / (above - below) : 0.5;
    const double time = before + share * (behind - before);
    const Look here =
        look(a, b, time, window.tolerance + fastest * (behind - before), window.tolerance);
    const double over = here.g_N - dip.level;
    if (std::abs(over) <= window.tolerance) return time;
    (over > 0.0 ? before : behind) = time;
    (over > 0.0 ? above : below) = over;
  }
  return behind;
}

}  // namespace nsmb
