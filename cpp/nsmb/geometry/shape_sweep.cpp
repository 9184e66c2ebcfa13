#include "nsmb/geometry/shape_sweep.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/round_shapes.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Approaches, after which the time found is none of touch, but one before it.
constexpr int kMostApproaches = 200;

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

// A turn of a shape without end moves some of its points without bound.
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
  return 0.0;
}

double MovingShape::speed() const {
  return motion.v.norm() + turning_speed(motion.Omega.norm(), reach);
}

bool ShapeSweep::is_fast(const MovingShape& a, double step) {
  return step * a.speed() > sweeps::kSureDepth * a.depth;
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

// At the next look they are found with the same normal, and not too deep.
bool ShapeSweep::is_sure(const MovingShape& a, const MovingShape& b, const StepWindow& window,
                         double touch, const Vector3& normal, double deepest) {
  const double time = touch <= window.look ? window.look : window.step + window.look;
  const Look there = look(a, b, time, window.tolerance, window.tolerance);
  return there.near && there.g_N >= -deepest &&
         1.0 - there.normal.dot(normal) < sweeps::kSameNormal;
}

PairTouch ShapeSweep::touch(const MovingShape& a, const MovingShape& b, const StepWindow& window) {
  const double fastest = (b.motion.v - a.motion.v).norm() +
                         turning_speed(a.motion.Omega.norm(), a.reach) +
                         turning_speed(b.motion.Omega.norm(), b.reach);
  const double deepest = sweeps::kSureDepth * (a.depth + b.depth);
  if (!(window.step * fastest > deepest) || !std::isfinite(fastest)) return {};
  const double brief = deepest / fastest;
  const double turning =
      turning_speed(a.motion.Omega.norm(), a.reach) + turning_speed(b.motion.Omega.norm(), b.reach);
  double time = 0.0, apart = -1.0, gap = 0.0;  // the last time they were, and by how much
  for (int k = 0; k < kMostApproaches; ++k) {
    const double reach = window.tolerance + fastest * (window.step - time);
    const Look here = look(a, b, time, reach, window.tolerance);
    if (!here.near) return {};
    if (here.g_N > window.tolerance) {
      const bool convex = a.is_convex() && b.is_convex();
      const double closing =
          convex ? turning - (b.motion.v - a.motion.v).dot(here.normal) : fastest;
      if (!(closing > 0.0)) return {};
      apart = time;
      gap = here.g_N;
      time += (here.g_N - 0.5 * window.tolerance) / closing;
    } else if (here.g_N < -window.tolerance && apart >= 0.0) {
      // Points of faces stand for a plane that parts the bodies by a little less.
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

}  // namespace nsmb
