#include "nsmb/stepping/step_energies.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

template <class Visit>
void for_each_tangent(const ContactRows& rows, Index contact, const Visit& visit) {
  for (Index t = rows.tangent(contact); t < rows.tangent(contact) + rows.dim(contact); ++t)
    visit(t);
}

}  // namespace

StepVelocities::StepVelocities(const ContactRows& rows) {
  for (Vector* normal : {&start_N, &free_N, &end_N, &given_N}) normal->setZero(rows.nc);
  for (Vector* tangential : {&start_T, &free_T, &end_T, &given_T}) tangential->setZero(rows.nt);
}

void decide_states(const ContactRows& rows, const std::vector<Index>& closed,
                   const StepVelocities& v, const Vector& Lambda_N, double tol,
                   ContactStates& states) {
  std::fill(states.begin(), states.end(), ContactState::Open);
  double fastest = 0.0;
  for (const Index i : closed) {
    if (rows.is_unilateral(i)) fastest = std::max(fastest, std::abs(v.free_N(i)));
    for_each_tangent(rows, i, [&](Index t) {
      fastest = std::max({fastest, std::abs(v.start_T(t)), std::abs(v.free_T(t))});
    });
  }
  const double nothing = std::max(stepping::kRest, std::max(stepping::kNoSlip, tol) * fastest);
  for (const Index i : closed) {
    if (rows.is_unilateral(i)) {
      if (!(Lambda_N(i) > 0.0 && v.end_N(i) <= nothing)) continue;
      // A separating contact that restitution sends back faster than forces do has its impact in
      // the next step.
      const double least = std::max(nothing, std::abs(v.free_N(i) - v.start_N(i)));
      if (v.start_N(i) > least && v.end_N(i) < -least) continue;
    }
    const Index t = rows.tangent(i);
    ContactState& state = states[static_cast<std::size_t>(i)];
    if (!(v.end_T.segment(t, rows.dim(i)).norm() > nothing)) {
      state = ContactState::Stick;
    } else {
      state = rows.dim(i) > 1 ? ContactState::Slip : slip_state(v.end_T(t));
    }
  }
  open_unpressed(rows, states);
}

void open_unpressed(const ContactRows& rows, ContactStates& states) {
  for (Index i = 0; i < rows.nc; ++i) {
    const Index required = rows.required_by(i);
    if (required >= 0 && !is_closed(states[at(required)])) states[at(i)] = ContactState::Open;
  }
}

double add_impulse_work(const ContactKinematics& contacts, const ContactRows& rows,
                        const std::vector<Index>& closed, const Vector& Lambda_N,
                        const Vector& Lambda_T, const ImpulseVelocities& v, StepOutcome& out) {
  double work = 0.0;
  for (const Index i : closed) {
    const double normal = Lambda_N(i) * 0.5 * (v.before_N(i) + v.after_N(i));
    double drive = -Lambda_N(i) * contacts.w_tilde_N(i), friction = 0.0;
    for_each_tangent(rows, i, [&](Index t) {
      friction += Lambda_T(t) * 0.5 * (v.before_T(t) + v.after_T(t));
      drive -= Lambda_T(t) * contacts.w_tilde_T(t);
    });
    out.impact_loss -= normal;
    out.friction_loss(i) -= friction;
    out.drive_work += drive;
    work += normal + friction + drive;
  }
  return work;
}

}  // namespace nsmb
