#include "nsmb/geometry/involute.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

Vector2 unit(double angle) { return {std::cos(angle), std::sin(angle)}; }

void check_flank(const Flank& f) {
  check_finite("center", f.center);
  check_positive("base_radius", f.base_radius);
  check_positive("begin", f.begin);
  check_finite("end", f.end);
  check_finite("angle", f.angle);
  if (!(f.end > f.begin)) {
    reject("end", "a roll angle > begin = " + to_text(f.begin), to_text(f.end));
  }
}

const Flank& checked(const Flank& flank) {
  check_flank(flank);
  return flank;
}

// Return 1 where the flank is convex, -1 where it is concave: θ increases or decreases with σ.
double sense(const Piece& p) { return p.is_concave ? -1.0 : 1.0; }

// Return the least |σ| of the involute itself.
double least_roll(const Piece& p) { return std::min(std::abs(p.begin), std::abs(p.end)); }

double flank_length(const Flank& f) {
  return 0.5 * f.base_radius * (f.end * f.end - f.begin * f.begin);
}

}  // namespace

Piece flank_piece(const Flank& f) {
  Piece p;
  p.shape = PieceShape::Involute;
  p.begin = f.is_right ? f.begin : -f.end;
  p.end = f.is_right ? f.end : -f.begin;
  p.center = f.center;
  p.radius = f.is_right ? f.base_radius : -f.base_radius;
  p.angle = f.angle;
  p.is_concave = f.is_concave;
  return p;
}

void flank_derivatives(const Piece& p, double sigma, CurveDerivatives& out) {
  // With e = e(θ), θ = angle + c σ, r_b = |radius|:
  //   r = center + r_b (e - c σ b × e),   r' = r_b σ e,   r'' = r_b (e + c σ b × e)
  // t = ± e leads outwards on a right flank, inwards on a left one, so that the body is on the
  // left.
  const double least = least_roll(p), c = sense(p), r_b = std::abs(p.radius);
  const double inside = p.radius > 0.0 ? std::max(sigma, least) : std::min(sigma, -least);
  const Vector2 e = unit(p.angle + c * inside), across = c * inside * left_of(e);
  out.r = p.center + r_b * (e - across);
  out.d1 = r_b * inside * e;
  out.d2 = r_b * (e + across);
  if (inside != sigma) extend(out, sigma - inside);
}

double involute_curvature_slope(const Piece& p, double sigma) {
  // κ = c/(r_b |σ|)
  const double roll = std::max(std::abs(sigma), least_roll(p));
  const double slope = -sense(p) / (p.radius * p.radius * roll * roll * roll);
  return p.radius > 0.0 ? slope : -slope;
}

InvoluteContour::InvoluteContour(const Flank& flank)
    : CurveContour(flank_piece(checked(flank)).begin, flank_piece(flank).end, false),
      piece_(flank_piece(flank)) {
  make_ends(flank_length(flank));
  cover(1);
}

TeethContour::TeethContour(const Flank& right, const Flank& left, Index teeth) {
  if (teeth < 1) reject("teeth", "a number >= 1", to_text(static_cast<double>(teeth)));
  for (const Flank* flank : {&right, &left}) check_flank(*flank);
  for (Index k = 0; k < teeth; ++k) {
    for (const Flank* flank : {&right, &left}) {
      Flank turned = *flank;
      turned.angle += 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(teeth);
      flanks_.push_back(flank_piece(turned));
    }
  }
  cover(1);
}

InvolutePoints involute_points(const Piece& first, const Pose& pose1, const Piece& second,
                               const Pose& pose2) {
  InvolutePoints result;
  const Vector2 center_1 = pose1.point(first.center), center_2 = pose2.point(second.center);
  const Vector2 a = center_2 - center_1;
  // The normal of a flank passes its centre at (T - center) × n = radius, T on the base circle.
  // With n_2 = -n_1 both normals are on one line if a × n_1 is the sum of the radii.
  const double across = first.radius + second.radius;
  const double square = a.squaredNorm() - across * across;
  if (!(square > 0.0)) return result;
  result.exists = true;
  // Of both tangents, the one with positive D = -κ_1 κ_2 aᵀn_1 of (4.35).
  const double along =
      first.is_concave == second.is_concave ? -std::sqrt(square) : std::sqrt(square);
  const Vector2 n_1 = (along * a + across * left_of(a)) / a.squaredNorm();
  const double turn = 2.0 * std::numbers::pi;
  const auto place = [turn](const Piece& piece, const Pose& pose, const Vector2& center,
                            const Vector2& n, double& sigma, CurvePoint& p) {
    const Vector2 t = -left_of(n);
    const double c = sense(piece), r_b = std::abs(piece.radius);
    const Vector2 e = piece.radius > 0.0 ? t : Vector2(-t);
    const Vector2 local(pose.c * e.x() + pose.s * e.y(), -pose.s * e.x() + pose.c * e.y());
    const double turned = c * (std::atan2(local.y(), local.x()) - piece.angle);
    const double middle = 0.5 * (piece.begin + piece.end);
    sigma = turned + turn * std::round((middle - turned) / turn);
    p.n = n;
    p.t = t;
    p.r = center + r_b * (e - c * sigma * left_of(e));
    p.kappa = c / (r_b * std::max(std::abs(sigma), least_roll(piece)));
  };
  place(first, pose1, center_1, n_1, result.sigma_1, result.p);
  place(second, pose2, center_2, -n_1, result.sigma_2, result.q);
  return result;
}

}  // namespace nsmb
