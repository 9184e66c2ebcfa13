#include "nsmb/simulation/plane_slip.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

PlaneSlip::PlaneSlip(const Mechanics& mechanics, double rest_velocity, double rtol,
                     const Vector& atol)
    : mechanics_(mechanics),
      rows_(mechanics.rows()),
      rest_velocity_(rest_velocity),
      rtol_(rtol),
      atol_(atol),
      in_layer_(static_cast<std::size_t>(mechanics.nc()), false),
      starting_(in_layer_),
      armed_(in_layer_),
      rest_friction_(Vector::Zero(mechanics.nt())),
      layer_friction_(rest_friction_) {}

void PlaneSlip::freeze(const FrozenRoles& roles) {
  rest_friction_ = layer_friction_ = roles.friction;
  for (std::size_t c = 0; c < roles.size(); ++c) {
    in_layer_[c] = starting_[c] = roles[c].from_rest;
  }
  std::fill(armed_.begin(), armed_.end(), false);
  any_starts_ = slow_beside_ = false;
}

void PlaneSlip::leave_layer(std::size_t c) { in_layer_[c] = starting_[c] = false; }

void PlaneSlip::adopt(const PlaneSlip& moving) {
  in_layer_ = moving.in_layer_;
  starting_ = moving.starting_;
  any_starts_ = moving.any_starts_;
  slow_beside_ = moving.slow_beside_;
  armed_ = moving.armed_;
  layer_ = moving.layer_;
  rest_friction_ = moving.rest_friction_;
  layer_friction_ = moving.layer_friction_;
}

double PlaneSlip::resolution(Index i) const {
  const auto part = atol_.segment(mechanics_.nq(), mechanics_.nu());
  double largest = 0.0;
  for (Index d = 0; d < rows_.dim(i); ++d) {
    const auto w = mechanics_.contacts.W_T.col(rows_.tangent(i) + d).cwiseAbs();
    largest = std::max(largest, w.dot(part));
  }
  return std::max(rest_velocity_, slip_in_a_plane::kSlipEnds * largest);
}

bool PlaneSlip::is_straight(Index i, const FrozenRoles& roles) const {
  const std::size_t c = static_cast<std::size_t>(i);
  return rows_.dim(i) > 1 && is_slip(roles[c].state) && !in_layer_[c];
}

bool PlaneSlip::is_slow(Index i) const {
  return is_armed(i) && mechanics_.slip(i) <= slip_in_a_plane::kRestTogether * resolution(i);
}

bool PlaneSlip::slips_on(Index i) const {
  return is_armed(i) && mechanics_.slip(i) > slip_in_a_plane::kRestTogether * resolution(i);
}

double PlaneSlip::watched_value(const Indicator& indicator, const Observation& observation) const {
  double f = value(indicator, observation);
  if (is_watched(indicator) && is_armed(indicator.contact)) f -= resolution(indicator.contact);
  return f;
}

void PlaneSlip::arm(const FrozenRoles& roles) {
  layer_ = 0.0;
  for (Index i = 0; i < rows_.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (rows_.dim(i) < 2 || !is_slip(roles[c].state)) continue;
    const double speed = mechanics_.slip(i);
    const double least = resolution(i);
    if (speed > slip_in_a_plane::kSlipArmed * least) armed_[c] = true;
    // The tolerances are rtol times this velocity, whether they are given or measured.
    const double velocity = least / (slip_in_a_plane::kSlipEnds * rtol_);
    layer_ = std::max(
        {layer_, slip_in_a_plane::kLayer * velocity, 2.0 * slip_in_a_plane::kSlipArmed * least});
    if (speed > layer_) leave_layer(c);
  }
  any_starts_ = slow_beside_ = false;
  for (Index i = 0; i < rows_.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (rows_.dim(i) < 2 || !is_slip(roles[c].state) || mechanics_.is_frictionless(i)) continue;
    any_starts_ = any_starts_ || starting_[c];
    slow_beside_ = slow_beside_ || (!starting_[c] && mechanics_.slip(i) <= layer_);
  }
}

void PlaneSlip::keep_slow_directions(const FrozenRoles& roles) {
  for (Index i = 0; i < rows_.nc; ++i) {
    if (is_straight(i, roles) && !is_armed(i)) in_layer_[static_cast<std::size_t>(i)] = true;
  }
}

void PlaneSlip::come_to_rest(const FrozenRoles& roles) {
  for (Index i = 0; i < rows_.nc; ++i) {
    if (is_slow(i)) in_layer_[static_cast<std::size_t>(i)] = true;
  }
  rest_friction_ = layer_friction_ = roles.friction;
}

// Where the force that slip cannot hold any more turns, the direction of slip turns with it: slip
// that kept its first direction would be pulled aside by what has turned, and leave the layer
// across its friction. The force is on its limit where slip starts, and little beyond it in the
// layer.
void PlaneSlip::follow(const Vector& holding) {
  for (Index i = 0; i < rows_.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!starting_[c]) continue;
    const auto force = holding.segment<2>(rows_.tangent(i));
    const auto first = rest_friction_.segment<2>(rows_.tangent(i));
    auto friction = layer_friction_.segment<2>(rows_.tangent(i));
    const double size = std::hypot(force(0), force(1) / mechanics_.laws[c].aspect);
    const double along = force.dot(first) / (force.norm() * first.norm());
    const bool turns = std::isfinite(size) && along > slip_in_a_plane::kTurnInLayer;
    friction = turns ? Eigen::Vector2d(force / size) : Eigen::Vector2d(first);
  }
}

void PlaneSlip::update_directions(FrozenRoles& roles) const {
  for (Index i = 0; i < rows_.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (rows_.dim(i) < 2 || c >= roles.size() || !is_slip(roles[c].state)) continue;
    const Index t = rows_.tangent(i);
    auto friction = roles.friction.segment(t, 2);
    const double speed = mechanics_.slip(i);
    const double depth = in_layer_[c] && layer_ > 0.0 ? 2.0 * speed / layer_ - 1.0 : 1.0;
    if (depth <= 0.0 || speed == 0.0) {
      friction = layer_friction_.segment(t, 2);
      continue;
    }
    mechanics_.slip_friction(i, friction);
    if (depth >= 1.0) continue;
    const double weight = depth * depth * (3.0 - 2.0 * depth);
    friction = weight * friction + (1.0 - weight) * layer_friction_.segment(t, 2);
    // Scale the blend of both to the rim of the friction ellipse.
    const double size = std::hypot(friction(0), friction(1) / mechanics_.laws[c].aspect);
    if (size > 0.0) friction /= size;
  }
}

Eigen::Vector2d PlaneSlip::direction(Index i) const {
  const std::size_t c = static_cast<std::size_t>(i);
  const Index t = rows_.tangent(i);
  const Eigen::Vector2d gamma = mechanics_.gamma_T.segment<2>(t);
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();
  if (gamma.norm() > 0.0) direction = gamma.normalized();
  if (in_layer_[c] && gamma.norm() < 0.5 * layer_) {
    // The speed is hardly more than rounding. Use the direction of the onset of slip.
    const double aspect = mechanics_.laws[c].aspect;
    direction << -layer_friction_(t), -layer_friction_(t + 1) / (aspect * aspect);
    direction.normalize();
  }
  return direction;
}

}  // namespace nsmb
