#include "nsmb/geometry/cylinder_axes.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr int kStarts = 16;  // around a line
constexpr int kMostSteps = 80;

struct TangentBasis {
  Vector3 u, w;
};

TangentBasis basis_across(const Vector3& e) {
  Index smallest = 0;
  e.cwiseAbs().minCoeff(&smallest);
  const Vector3 u = e.cross(Vector3::Unit(smallest)).normalized();
  return {u, e.cross(u)};
}

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

void rim_line_directions(const PlacedCylinder& c, double end, const Vector3& a, const Vector3& e,
                         std::vector<Vector3>& found) {
  const auto [u, w] = basis_across(e);
  const Vector3 d = a - c.center - end * c.half * c.axis;
  const Vector3 u_r = c.across(u), w_r = c.across(w);
  const double du = d.dot(u), dw = d.dot(w);
  const double uu = u_r.squaredNorm(), uw = u_r.dot(w_r), ww = w_r.squaredNorm();
  const auto value = [&](double co, double si) {
    return co * du + si * dw -
           c.radius * std::sqrt(std::max(0.0, co * co * uu + 2.0 * co * si * uw + si * si * ww));
  };
  std::array<double, kStarts> sample{};
  const double step = 2.0 * std::numbers::pi / kStarts;
  for (int k = 0; k < kStarts; ++k) {
    sample[static_cast<std::size_t>(k)] = value(std::cos(k * step), std::sin(k * step));
  }
  for (int k = 0; k < kStarts; ++k) {
    const double here = sample[static_cast<std::size_t>(k)];
    if (here < sample[static_cast<std::size_t>((k + 1) % kStarts)]) continue;
    if (here < sample[static_cast<std::size_t>((k + kStarts - 1) % kStarts)]) continue;
    // Between the neighbours the slope changes its sign. Across the axis the rim's part bends as
    // sharply as a kink, where Newton's method alone would leap to and fro: halved now and then.
    double phi = k * step, move = 1.0, low = phi - step, high = phi + step;
    for (int i = 0; i < kMostSteps && std::abs(move) > polyhedra::kNearest; ++i) {
      const double co = std::cos(phi), si = std::sin(phi);
      const double square = co * co * uu + 2.0 * co * si * uw + si * si * ww;
      const double turned = si * si * uu - 2.0 * co * si * uw + co * co * ww;
      if (!(square > polyhedra::kNoDirection)) {
        // Along the axis the value has a kink, which is a peak only if it falls to both sides.
        const double rise = -si * du + co * dw;
        if (std::abs(rise) <= c.radius * std::sqrt(turned)) break;
        phi += std::copysign(0.1 * step, rise);
        continue;
      }
      const double rho = std::sqrt(square);
      const double mixed = co * si * (ww - uu) + (co * co - si * si) * uw;
      const double slope = -si * du + co * dw - c.radius * mixed / rho;
      const double bend = -co * du - si * dw -
                          c.radius * ((turned - square) / rho - mixed * mixed / (square * rho));
      (slope > 0.0 ? low : high) = phi;
      double next = bend < 0.0 ? phi - slope / bend : low;
      if (!(next > low && next < high) || i % 4 == 3) next = 0.5 * (low + high);
      move = next - phi;
      phi = next;
    }
    found.push_back(std::cos(phi) * u + std::sin(phi) * w);
  }
}

Vector3 rim_rim_direction(const PlacedCylinder& first, double end_1, const PlacedCylinder& second,
                          double end_2, Vector3 n) {
  const Vector3 d = second.center + end_2 * second.half * second.axis - first.center -
                    end_1 * first.half * first.axis;
  for (int i = 0; i < kMostSteps; ++i) {
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
    const bool is_peak = H(0, 0) < 0.0 && H.determinant() > 0.0;
    Eigen::Vector2d move = is_peak ? Eigen::Vector2d(-H.inverse() * g)
                                   : Eigen::Vector2d(0.1 * g / std::max(g.norm(), 1e-300));
    const double length = move.norm();
    if (length > 0.3) move *= 0.3 / length;
    n = (n + T * move).normalized();
    if (length < polyhedra::kNearest) break;
  }
  return n;
}

}  // namespace nsmb
