#include "nsmb/geometry/cylinder_axes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/rim_distance.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr int kAxisSteps = 80;

struct TangentBasis {
  Vector3 u, w;
};

TangentBasis basis_across(const Vector3& e) {
  Index smallest = 0;
  e.cwiseAbs().minCoeff(&smallest);
  const Vector3 u = e.cross(Vector3::Unit(smallest)).normalized();
  return {u, e.cross(u)};
}

/// Return axes whose third column is e.
Matrix3 axes_along(const Vector3& e) {
  const auto [u, w] = basis_across(e);
  Matrix3 axes;
  axes << u, w, e;
  return axes;
}

/// One rim of a cylinder: its centre, and center + x_1 cos t + x_2 sin t in other axes.
struct Rim {
  Rim(const PlacedCylinder& c, double end, const Matrix3& axes)
      : center(c.center + end * c.half * c.axis) {
    const auto [u, w] = basis_across(c.axis);
    x_1 = c.radius * (axes.transpose() * u);
    x_2 = c.radius * (axes.transpose() * w);
  }
  Vector3 arm(double t) const { return std::cos(t) * x_1 + std::sin(t) * x_2; }

  Vector3 center, x_1, x_2;
};

}  // namespace

double PlacedCylinder::support(const Vector3& n) const {
  return n.dot(center) + radius * across(n).norm() + half * std::abs(axis.dot(n));
}

Vector3 PlacedCylinder::furthest(const Vector3& n) const {
  Vector3 p = center;
  const Vector3 r = across(n);
  const double length = r.norm(), along = axis.dot(n);
  if (length > polyhedra::kNoDirection) p += radius / length * r;
  if (std::abs(along) > polyhedra::kNoDirection) p += (along > 0.0 ? half : -half) * axis;
  return p;
}

Vector3 across_both(const Vector3& a, const Vector3& b) {
  const double square = a.squaredNorm();
  const Vector3 n = a.cross(b - a.dot(b) / square * a);
  const double length = n.norm();
  if (!(length > 0.0)) return Vector3::Zero();
  return n / length - a.dot(n) / (length * square) * a;
}

namespace {

/// Call `add(n, place)` for each direction.
template <class Add>
void for_rim_and_line(const PlacedCylinder& c, double end, const Vector3& a, const Vector3& e,
                      const Add& add) {
  const Matrix3 axes = axes_along(e);
  const Rim rim(c, end, axes);
  const auto across = [](const Vector3& x) { return Vector3(x.x(), x.y(), 0.0); };
  const RimDistance distance(across(axes.transpose() * (rim.center - a)), across(rim.x_1),
                             across(rim.x_2), 0.0);
  distance.minima([&](double t) {
    const RimDistance::Local l = distance.at(t);
    // Of the two directions perpendicular to line and rim, the more accurate one.
    const bool is_apart = l.from_other.squaredNorm() > l.tangent.squaredNorm();
    const Vector3 n = is_apart ? l.from_other : Vector3::UnitZ().cross(l.tangent);
    const double length = n.norm();
    if (!(length > 0.0)) return;
    const Vector3 arm = rim.arm(t);
    const double outward = n.dot(arm) < 0.0 ? -1.0 : 1.0;
    add(axes * (outward / length * n), rim.center + axes * arm);
  });
}

}  // namespace

void rim_line_directions(const PlacedCylinder& c, double end, const Vector3& a, const Vector3& e,
                         std::vector<Vector3>& found) {
  for_rim_and_line(c, end, a, e, [&](const Vector3& n, const Vector3&) { found.push_back(n); });
}

void rim_line_directions(const PlacedCylinder& c, double end, const Vector3& a, const Vector3& e,
                         std::vector<RimDirection>& found) {
  for_rim_and_line(c, end, a, e, [&](const Vector3& n, const Vector3& place) {
    found.push_back({n, place, true});
  });
}

void rim_rim_directions(const PlacedCylinder& first, double end_1, const PlacedCylinder& second,
                        double end_2, std::vector<RimDirection>& found) {
  if (first.radius > second.radius) {  // the smaller rim has fewer minima close together
    const std::size_t begin = found.size();
    rim_rim_directions(second, end_2, first, end_1, found);
    for (std::size_t k = begin; k < found.size(); ++k) found[k].is_first = false;
    return;
  }
  const Matrix3 axes = axes_along(second.axis);
  const Rim rim(first, end_1, axes);
  const Vector3 other = second.center + end_2 * second.half * second.axis;
  const RimDistance distance(axes.transpose() * (rim.center - other), rim.x_1, rim.x_2,
                             second.radius);
  distance.minima([&](double t) {
    const RimDistance::Local l = distance.at(t);
    const Vector3 own = l.tangent / first.radius, its = Vector3::UnitZ().cross(l.outward);
    // The first one is inaccurate near touch, the second one where the rims run side by side.
    Vector3 apart = l.from_other - own.dot(l.from_other) * own;
    apart -= its.dot(apart) * its;
    for (const Vector3& n : {apart, across_both(own, its)}) {
      const double length = n.norm();
      if (!(length > 0.0)) continue;
      found.push_back({axes * (n / length), rim.center + axes * rim.arm(t), true});
    }
  });
}

Vector3 rim_rim_direction(const PlacedCylinder& first, double end_1, const PlacedCylinder& second,
                          double end_2, Vector3 n) {
  const Vector3 d = second.center + end_2 * second.half * second.axis - first.center -
                    end_1 * first.half * first.axis;
  for (int i = 0; i < kAxisSteps; ++i) {
    const auto [u, w] = basis_across(n);
    Vector3 slope = d;
    Matrix3 bend = Matrix3::Zero();
    for (const PlacedCylinder* c : {&first, &second}) {
      const Vector3 r = c->across(n);
      const double rho = r.norm();
      if (!(rho > polyhedra::kNoDirection)) return n;
      slope -= c->radius / rho * r;
      bend -=
          c->radius / rho *
          (Matrix3::Identity() - c->axis * c->axis.transpose() - r * r.transpose() / (rho * rho));
    }
    Eigen::Matrix<double, 3, 2> T;
    T << u, w;
    const Eigen::Vector2d g = T.transpose() * slope;
    const Eigen::Matrix2d H = T.transpose() * bend * T - n.dot(slope) * Eigen::Matrix2d::Identity();
    const double det = H(0, 0) * H(1, 1) - H(1, 0) * H(0, 1);
    Eigen::Vector2d move = 0.1 * g / std::max(g.norm(), 1e-300);
    if (H(0, 0) < 0.0 && det > 0.0) {  // a maximum: -H⁻¹ g
      move << H(0, 1) * g(1) - H(1, 1) * g(0), H(1, 0) * g(0) - H(0, 0) * g(1);
      move /= det;
    }
    const double length = move.norm();
    if (length > 0.3) move *= 0.3 / length;
    n = (n + T * move).normalized();
    if (length < polyhedra::kNearest) break;
  }
  return n;
}

}  // namespace nsmb
