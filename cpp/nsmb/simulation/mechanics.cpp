#include "nsmb/simulation/mechanics.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/core/small_products.hpp"
#include "nsmb/simulation/observation.hpp"
#include "nsmb/simulation/tolerances.hpp"
#include "nsmb/system/feature_search.hpp"
#include "nsmb/system/internal_states.hpp"
#include "nsmb/system/state_bounds.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

Mechanics::Mechanics(const System& system)
    : system_(system),
      work_(system.workspace()),
      mass(system, *work_),
      h(system.nu()),
      contacts(system.nu(), system.rows()),
      delassus(system.nu(), system.rows(), mass.cliques()),
      Minv_h(system.nu()),
      gamma_N(Vector::Zero(system.nc())),
      gamma_T(Vector::Zero(system.nt())),
      free_N(Vector::Zero(system.nc())),
      free_T(Vector::Zero(system.nt())),
      mu(system.nc()),
      bilateral(system, *work_, mass),
      elements(system),
      xdot(Vector::Zero(system.nx())),
      rounding(system.nu()),
      assembly_(system.rows(), has_constant_delassus()),
      force_(system.nu()) {
  for (Index i = 0; i < system.nc(); ++i) {
    laws.push_back(system.contacts()[static_cast<std::size_t>(i)].law);
    mu(i) = laws.back().mu;
  }
}

void Mechanics::restrict_to(const std::vector<Index>* which) {
  held_ = which;
  assembly_.restrict_to(which);
}

// Update masses, constraints and contacts at t inside the span.
void Mechanics::update_directions(double t, const ConstVectorRef& y, bool with_contacts) {
  const auto q = y.head(nq());
  const auto u = y.segment(nq(), nu());
  if (with_contacts) {
    system_.contact_kinematics(t, q, u, contacts, *work_);
    if (const StateBounds* bounds = system_.state_bounds()) {
      const auto x = y.tail(system_.nx()).head(system_.nx_own());
      bounds->friction_bounds(t, q, u, x, contacts.bound, *work_);
    }
  }
  mass.factorise(t, q);
  if (nb() > 0) bilateral.update(t, q, u);
  if (with_contacts) assembly_.update(contacts, mass, bilateral, delassus);
}

void Mechanics::update_contacts(double t, const ConstVectorRef& y) {
  update_directions(span_.inside(t), y, true);
  gamma_N = contacts.w_tilde_N;
  gamma_T = contacts.w_tilde_T;
  delassus.add_rates(y.segment(nq(), nu()), gamma_N, gamma_T);
  for (Index i = 0; system_.has_curves() && i < nc(); ++i) update_friction_coefficient(i);
}

void Mechanics::update_gaps(double t, const ConstVectorRef& y) {
  system_.contact_kinematics(span_.inside(t), y.head(nq()), y.segment(nq(), nu()), contacts,
                             *work_);
}

void Mechanics::find_features(double t, const ConstVectorRef& y, const ContactStates& states,
                              double gap_tolerance) {
  t = span_.inside(t);
  system_.feature_search()->find_features(t, y.head(nq()), contacts.features, *work_);
  settle_features(t, y, states, gap_tolerance);
}

void Mechanics::settle_features(double t, const ConstVectorRef& y, const ContactStates& states,
                                double gap_tolerance) {
  t = span_.inside(t);
  update_contacts(t, y);
  for (Index i = 0; i < nc(); ++i) {
    if (!rows().is_unilateral(i)) continue;  // contacts with friction only have no point
    settle_feature(i, t, y, is_closed(states[static_cast<std::size_t>(i)]), gap_tolerance);
  }
}

OutlineOverlap Mechanics::deepest_shapes(double t, const ConstVectorRef& y) const {
  return system_.feature_search()->deepest_shapes(span_.inside(t), y.head(nq()), *work_);
}

void Mechanics::find_touches(double t, const ConstVectorRef& y, const ContactStates& states,
                             double gap_tolerance) {
  t = span_.inside(t);
  const FeatureSearch& search = *system_.feature_search();
  search.find_touches(t, y.head(nq()), contacts.features, *work_);
  update_contacts(t, y);
  for (Index i = 0; i < nc(); ++i) {
    if (!rows().is_unilateral(i) || search.has_outlines(i)) continue;
    settle_feature(i, t, y, is_closed(states[static_cast<std::size_t>(i)]), gap_tolerance);
  }
}

void Mechanics::settle_feature(Index i, double t, const ConstVectorRef& y, bool is_closed,
                               double gap_tolerance) {
  ContactFeature& slot = contacts.features.slots[static_cast<std::size_t>(i)];
  const bool closed = slot.valid && is_closed;
  // Where corners meet, the point appears and disappears momentarily. It counts from slightly
  // before.
  const double before = closed ? 0.5 * features::kOverrun : features::kComing;
  const double length = system_.feature_search()->length_of(i);
  slot.valid = slot.used() && contacts.domain(i) > -before * length;
  if (!slot.valid || closed || contacts.g_N(i) > gap_tolerance) return;
  slot.valid = system_.feature_search()->is_contact(t, y.head(nq()), y.segment(nq(), nu()), i,
                                                    contacts, *work_);
}

void Mechanics::coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 VectorRef qdot) {
  system_.coordinate_rates(span_.inside(t), q, u, qdot, *work_);
}

void Mechanics::constraint_forces(const ConstVectorRef& udot, const ConstVectorRef& lambda_N,
                                  const ConstVectorRef& lambda_T, VectorRef lambda_B) {
  if (nb() == 0) return;
  force_.noalias() = mass.entries() * udot;
  force_ -= h;
  force_.noalias() -= contacts.W_N * lambda_N;
  force_.noalias() -= contacts.W_T * lambda_T;
  bilateral.forces(force_, lambda_B);
}

void Mechanics::accelerate(const ConstVectorRef& w_bar_B, VectorRef a) {
  mass.solve(a);
  if (nb() > 0) bilateral.project_acceleration(w_bar_B, a);
}

void Mechanics::update_friction_coefficient(Index i) {
  const FrictionCurve* curve = laws[static_cast<std::size_t>(i)].curve.get();
  if (curve) mu(i) = curve->coefficient(std::abs(slip(i)));
}

void Mechanics::update_elements(double t, const ConstVectorRef& y) {
  elements.update(system_, span_.inside(t), y.head(nq()), y.segment(nq(), nu()),
                  y.tail(system_.nx()), *work_, xdot);
}

void Mechanics::update(double t, const ConstVectorRef& y) {
  t = span_.inside(t);
  update_contacts(t, y);
  update_forces(t, y);
  free_N = contacts.w_bar_N;
  free_T = contacts.w_bar_T;
  delassus.add_rates(Minv_h, free_N, free_T);
}

void Mechanics::update_held(double t, const ConstVectorRef& y) {
  // Sums over all rows at once cost less than row by row, unless there are many more rows.
  const bool some =
      held_ && (held_->empty() || delassus.cliques() || 2 * std::ssize(*held_) < nc());
  if (!some) return update(t, y);
  t = span_.inside(t);
  const auto u = y.segment(nq(), nu());
  if (!has_constant_delassus()) contacts.asked = held_;
  try {
    update_directions(t, y, !held_->empty());
  } catch (...) {
    contacts.asked = nullptr;
    throw;
  }
  contacts.asked = nullptr;
  update_forces(t, y);
  for (const Index i : *held_) {
    gamma_N(i) = contacts.w_tilde_N(i) + delassus.rate(u, i);
    free_N(i) = contacts.w_bar_N(i) + delassus.rate(Minv_h, i);
    for (Index k = rows().tangent(i); k < rows().tangent(i) + rows().dim(i); ++k) {
      gamma_T(k) = contacts.w_tilde_T(k) + delassus.rate(u, nc() + k);
      free_T(k) = contacts.w_bar_T(k) + delassus.rate(Minv_h, nc() + k);
    }
    if (system_.has_curves()) update_friction_coefficient(i);
  }
}

void Mechanics::update_forces(double t, const ConstVectorRef& y) {
  const auto q = y.head(nq());
  const auto u = y.segment(nq(), nu());
  const auto x = y.tail(system_.nx()).head(system_.nx_own());
  system_.forces(t, q, u, x, h, *work_);
  if (system_.nx_own() > 0) {
    system_.internal_states()->state_rates(t, q, u, x, xdot.head(system_.nx_own()), *work_);
  }
  if (system_.ne() > 0) {
    update_elements(t, y);
    h.noalias() += elements.kinematics.W * elements.force;  // (3.13)
  }
  Minv_h = h;
  mass.solve(Minv_h);
  if (nb() > 0) bilateral.project_acceleration(bilateral.kinematics.w_bar, Minv_h);
}

double Mechanics::kinetic_energy(const ConstVectorRef& u) {
  const Matrix& M = mass.entries();
  double energy = 0.0;
  if (const Cliques* cliques = mass.cliques()) {
    for (Index k = 0; k < u.size(); ++k) {
      energy += 0.5 * u(k) * dot(cliques->members(cliques->of_velocity(k)), M.col(k), u);
    }
    return energy;
  }
  for (Index k = 0; k < u.size(); ++k) energy += 0.5 * u(k) * M.col(k).dot(u);
  return energy;
}

bool Mechanics::is_frictionless(Index contact) const {
  return !has_friction(rows(), laws, contact);
}

bool Mechanics::can_stick(Index contact) const {
  return nsmb::can_stick(rows(), delassus.G, laws, contact);
}

double Mechanics::slip(Index contact) const {
  const Index t = rows().tangent(contact);
  if (rows().dim(contact) == 1) return gamma_T(t);
  return std::hypot(gamma_T(t), gamma_T(t + 1));
}

void Mechanics::slip_friction(Index contact, VectorRef friction) const {
  const Index t = rows().tangent(contact);
  if (rows().dim(contact) == 1) {
    friction(0) = gamma_T(t) > 0.0 ? -1.0 : gamma_T(t) < 0.0 ? 1.0 : 0.0;
    return;
  }
  const double aspect = laws[static_cast<std::size_t>(contact)].aspect;
  const double size = std::hypot(gamma_T(t), aspect * gamma_T(t + 1));
  friction.setZero();
  if (size == 0.0) return;
  friction(0) = -gamma_T(t) / size;
  friction(1) = -aspect * aspect * gamma_T(t + 1) / size;
}

ContactRole Mechanics::role(Index contact, double rest_velocity, VectorRef friction) const {
  if (is_frictionless(contact)) return ContactRole::Frictionless;
  const double speed = slip(contact);
  if (std::abs(speed) <= slip_velocity_resolution(contact, rest_velocity)) {
    return can_stick(contact) ? ContactRole::Candidate : ContactRole::Frictionless;
  }
  slip_friction(contact, friction);
  return speed > 0.0 ? ContactRole::SlidesPositive : ContactRole::SlidesNegative;
}

void Mechanics::add_impulses(const Vector& Lambda_N, const Vector& Lambda_T) {
  for (Index i = 0; i < nc(); ++i) {
    if (Lambda_N(i) != 0.0) rounding.add_impulse(Lambda_N(i), delassus.Minv_W.col(i));
  }
  for (Index k = 0; k < nt(); ++k) {
    if (Lambda_T(k) != 0.0) rounding.add_impulse(Lambda_T(k), delassus.Minv_W.col(nc() + k));
  }
}

void Mechanics::velocity_resolutions(double smallest, Vector& resolution) const {
  for (Index row = 0; row < resolution.size(); ++row) {
    resolution(row) = velocity_resolution(row, smallest);
  }
}

double Mechanics::velocity_resolution(Index row, double smallest) const {
  const Index n = nc();
  const double w_tilde = row < n ? contacts.w_tilde_N(row) : contacts.w_tilde_T(row - n);
  const double size =
      rounding.velocity_along(delassus.reach(row), delassus.W.col(row)) + std::abs(w_tilde);
  return std::max(smallest, resolutions::kSummed * size);
}

double Mechanics::slip_velocity_resolution(Index contact, double smallest) const {
  double largest = smallest;
  for (Index d = 0; d < rows().dim(contact); ++d) {
    largest = std::max(largest, velocity_resolution(rows().row(contact) + d, smallest));
  }
  return largest;
}

// Return the size of the terms of the free acceleration of a row.
double Mechanics::acceleration_scale(Index row) const {
  const double w_bar = row < nc() ? contacts.w_bar_N(row) : contacts.w_bar_T(row - nc());
  return rounding.acceleration_along(delassus.reach(row), delassus.W.col(row)) + std::abs(w_bar);
}

// Return the rounding of the acceleration of a row. It does not vanish if the terms vanish by
// chance in the direction of the row.
double Mechanics::acceleration_rounding(Index row) const {
  return resolutions::kSummed *
         rounding.acceleration_beside(delassus.reach(row), delassus.G(row, row));
}

double Mechanics::speed_beside(Index row) const {
  return rounding.speed_beside(delassus.reach(row), delassus.G(row, row));
}

void Mechanics::free_acceleration_resolutions(Vector& resolution) const {
  for (Index row = 0; row < resolution.size(); ++row) {
    resolution(row) =
        std::max(resolutions::kAcceleration * acceleration_scale(row), acceleration_rounding(row));
  }
}

// Return the sum of the absolute terms of G λ in a row.
double Mechanics::contact_terms(Index row, const AccelerationResult& forces) const {
  const Index n = nc();
  double terms = 0.0;
  const auto add = [&](Index k, double force) {
    if (force != 0.0) terms += std::abs(delassus.G(row, k) * force);
  };
  for (const Index i : delassus.present) {
    add(i, forces.lambda_N(i));
    for (Index k = rows().tangent(i); k < rows().tangent(i) + rows().dim(i); ++k) {
      add(n + k, forces.lambda_T(k));
    }
  }
  return terms;
}

double Mechanics::acceleration_resolution(Index row, const AccelerationResult& forces) const {
  const double scale = acceleration_scale(row) + contact_terms(row, forces);
  return std::max(
      {resolutions::kAcceleration * scale, acceleration_rounding(row), forces.inaccuracy(row)});
}

bool Mechanics::is_squeezed(Index row, const AccelerationResult& forces) const {
  return contact_terms(row, forces) > resolutions::kSqueezed * acceleration_scale(row);
}

}  // namespace nsmb
