#include "nsmb/multibody/gear_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

double involute(double tangent) { return tangent - std::atan(tangent); }  // (7.1)

/// Return the angle of tooth 0 from the unit vector `from` about `ez`, rad. It is known up to whole
/// revolutions, which are whole numbers of teeth.
double angle(const GearWheel& wheel, const GearPose& pose, const Vector3& from, const Vector3& ez) {
  const auto x = pose.A.col(0);
  return wheel.phase + std::atan2(from.cross(x).dot(ez), from.dot(x));
}

}  // namespace

double GearWheel::pitch() const { return 2.0 * std::numbers::pi / static_cast<double>(teeth); }

GearPlace::GearPlace(const GearWheel& one, const GearWheel& two, const GearMesh& mesh,
                     const GearPose& p1, const GearPose& p2, double bias) {
  ez = p1.axis() + p2.axis();
  const double length = ez.norm();
  ez /= length;
  const Vector3 d = p2.r - p1.r;
  const double shift = d.dot(ez);
  ey = d - shift * ez;
  const double a = ey.norm();
  const double r_b = one.r_b + two.r_b;
  // The result is also false for NaN.
  is_possible = length > 2.0 * gears::kParallel && a > r_b;
  if (!is_possible) return;
  ey /= a;
  ex = ey.cross(ez);
  cos_w = r_b / a;  // (7.6)
  sin_w = std::sqrt((1.0 - cos_w) * (1.0 + cos_w));
  const double tan_w = sin_w / cos_w, inv_w = involute(tan_w);
  cos_b = std::cos(one.beta_b);
  sin_b = std::sin(one.beta_b);
  p_b = one.r_b * one.pitch();

  turn1 = one.r_b * angle(one, p1, ey, ez);
  turn2 = two.r_b * angle(two, p2, -ey, ez);
  middle1 = one.r_b * (one.half_tooth - inv_w);
  middle2 = two.r_b * (two.half_tooth - inv_w);
  // (7.12) with relative axial motion. It is zero where a tooth of 1 is in the middle of a gap of
  // 2.
  const double turned = turn1 + turn2 + shift * sin_b / cos_b;
  const double pitches = std::round(turned / p_b + 0.5 - bias);
  approach = turned + (0.5 - pitches) * p_b;
  teeth_sum = -static_cast<Index>(pitches);
  play = mesh.play;
  if (mesh.from_geometry) play += r_b * (inv_w - mesh.inv_v);

  // (7.8), limited by the base circle of the other gear, where its involute ends.
  g_1 =
      std::min(std::sqrt(one.r_a * one.r_a - one.r_b * one.r_b) - one.r_b * tan_w, two.r_b * tan_w);
  g_2 =
      std::min(std::sqrt(two.r_a * two.r_a - two.r_b * two.r_b) - two.r_b * tan_w, one.r_b * tan_w);
  const double lower = std::max(-0.5 * one.width, shift - 0.5 * two.width);
  const double upper = std::min(0.5 * one.width, shift + 0.5 * two.width);
  width = std::max(upper - lower, 0.0);
  mid = 0.5 * (lower + upper);
  // The helix rotates the teeth of both gears between their middle planes and the middle of the
  // face.
  aside = (2.0 * mid - shift) * sin_b / cos_b;
  window = std::max(width * std::abs(sin_b) / cos_b, mesh.entry * p_b);
}

// (7.7), a parabola about the middle of the path. With a helix, its mean over the lines of contact.
PairStiffness pair_stiffness(const GearPlace& place, const GearMesh& mesh, double xi) {
  const double g = place.g_1 + place.g_2, middle = 0.5 * (place.g_1 - place.g_2);
  const double c_max = mesh.stiffness * place.width;
  const double drop = 1.0 - mesh.stiffness_ratio;
  if (!(place.window > 0.0)) {
    const double s = 2.0 * (xi - middle) / g;
    return {c_max * (1.0 - drop * s * s), 1.0};
  }
  const double from = std::max(xi - 0.5 * place.window, -place.g_2);
  const double to = std::min(xi + 0.5 * place.window, place.g_1);
  if (!(to > from)) return {};
  const auto cubed = [&](double s) { return (s - middle) * (s - middle) * (s - middle); };
  const double integral = to - from - drop * 4.0 / (3.0 * g * g) * (cubed(to) - cubed(from));
  return {c_max * integral / place.window, (to - from) / place.window};
}

double relief_at(const GearWheel& one, const GearWheel& two, const GearPlace& place, double xi) {
  const auto amount = [](const GearWheel& wheel, double to_the_tip) {
    if (!(wheel.relief > 0.0)) return 0.0;
    return wheel.relief * std::max(0.0, 1.0 - to_the_tip / wheel.relief_length);
  };
  return amount(one, place.g_1 - xi) + amount(two, place.g_2 + xi);
}

double depth_of(const GearWheel& one, const GearWheel& two, const GearMesh& mesh,
                const GearPlace& place, double approach, double xi) {
  if (mesh.depth == GearMesh::Depth::LineOfAction) return approach - place.play;  // (7.13)
  // (7.19), with the angles by which the gears have rotated the flanks from the pitch point.
  const double xi_1 = xi + 0.5 * approach, xi_2 = xi - 0.5 * approach;
  const double r_1 = std::hypot(place.cos_w * xi_1, one.r_b / place.cos_w + place.sin_w * xi_1);
  const double r_2 = std::hypot(place.cos_w * xi_2, two.r_b / place.cos_w - place.sin_w * xi_2);
  return two.r_b * (xi_1 / one.r_b * r_1 / r_2 - xi_2 / two.r_b) - place.play;
}

// Compute a layer of stiffness K over the face, whose ends are lower by the crowning.
Pressed pressed(double K, double delta, double crowning) {
  if (!(delta > 0.0)) return {};
  if (!(crowning > 0.0)) return {K * delta, 0.5 * K * delta * delta};
  const double u = std::min(1.0, std::sqrt(delta / crowning)), C = crowning * u * u;
  return {K * u * (delta - C / 3.0), K * u * (0.5 * delta * delta - delta * C / 3.0 + 0.1 * C * C)};
}

}  // namespace nsmb
