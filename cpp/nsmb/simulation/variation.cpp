#include "nsmb/simulation/variation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

Variation::Variation(const System& system, const TransitionOptions& options,
                     const PhaseFactory& make_phase, std::vector<ParameterShift> shifts)
    : systems_(system, options, make_phase, std::move(shifts)),
      flow_(systems_, frozen_),
      jump_(systems_, options, frozen_),
      zeros_(systems_, frozen_, flow_, jump_),
      n_(system.ny()),
      Y_(n_, systems_.columns()),
      total_(n_, n_),
      dt_(systems_.columns()),
      f_minus_(n_),
      f_plus_(n_),
      difference_(n_),
      next_(n_, systems_.columns()) {
  reset();
}

void Variation::reset() {
  record_ = {};
  begun_ = false;
  frozen_.roles.clear();
  start_factor();
  total_.setIdentity();
  dt_.setZero();
  systems_.near.clear();
  zeros_.clear();
  rows_.clear();
  lost_ = 0;
  systems_.own.phase->reset();
}

void Variation::step(const Phase& phase) {
  const Index unknown = flow_.step(phase, Y_);
  for (Index p = 0; p < unknown; ++p) {
    record_.note(phase.integrator().t_old(), VariationNote::Unknown, -1);
  }
}

void Variation::before(double t, const ConstVectorRef& y, const Phase& phase,
                       const std::vector<Indicator>& fired) {
  systems_.adopt(phase);
  InstantDecisions& decisions = frozen_.decisions;
  if (const ContactFeatures* features = phase.features()) decisions.features = *features;
  systems_.own.phase->rate(t, y, f_minus_);
  systems_.own.mechanics.update(t, y, decisions);
  Y_before_ = Y_.leftCols(n_);
  zeros_.clear();
  jump_.begin();
  for (const Indicator& indicator : fired) {
    if (!indicator.quantity->only_searches()) zeros_.add(t, y, f_minus_, indicator);
  }
}

void Variation::set_span(const Discontinuity& from, const Discontinuity& to) {
  systems_.set_span(from, to);
  jump_.set_span(TimeSpan(from, to));
}

void Variation::set_inputs(const ConstVectorRef& values) {
  systems_.set_inputs(values);
  jump_.set_inputs(values);
}

void Variation::take_inputs(const ConstVectorRef& values) {
  add_fixed_time();
  set_inputs(values);
}

void Variation::cross_into(const Discontinuity& from, const Discontinuity& to) {
  zeros_.add_given_time(from);
  set_span(from, to);
}

void Variation::pass(double t, const ConstVectorRef& y, const Phase& phase,
                     const std::vector<TimedFunction>& functions) {
  before(t, y, phase, {});
  for (const TimedFunction& f : functions) add_user_zero(t, y, f);
  zeros_.check(t, y, f_minus_, Y_, total_, record_);
  dt_.setZero();
  if (zeros_.count() > 0 && zeros_[0].known) dt_ = zeros_[0].time;
  f_plus_ = f_minus_;
  zeros_.clear();
  close_part(t, true);
}

bool Variation::changes_rates() const {
  const Neighbours& near = systems_.near;
  const double time = near.flow_time(f_minus_);
  for (Index i = 0; i < n_; ++i) {
    const double rate = std::abs(f_plus_(i)) + std::abs(f_minus_(i)) + near.size(i) / time;
    if (std::abs(difference_(i)) > derivatives::kSameRate * rate) return true;
  }
  return false;
}

// Compute δy⁺ of all columns.
void Variation::cross(double t) {
  const System& system = systems_.system();
  const Matrix& J_y = jump_.J_y();
  dt_.setZero();
  difference_ = jump_.rate() - f_plus_;
  const bool differs = changes_rates();
  const EventZero* first = zeros_.first_known();
  next_.noalias() = J_y.leftCols(n_) * Y_;
  next_.rightCols(parameters()) += J_y.rightCols(parameters());
  if (first) {
    dt_ = first->time;
    const Index nq = system.nq();
    for (std::size_t k = 0; k < zeros_.count(); ++k) {
      const EventZero& zero = zeros_[k];
      if (!zero.known || !zero.apart) continue;
      for (Index j = 0; j < system.nu(); ++j) {
        if (!zeros_.moves(zero, j)) continue;
        for (const Index i : {j, nq + j}) {
          next_.row(i) += difference_(i) * zero.time.transpose();
          difference_(i) = 0.0;
        }
      }
    }
    next_.noalias() += difference_ * dt_.transpose();
  }
  if (begun_ && differs && (!first || !zeros_.all_known())) {
    const bool noted = !record_.note_t.empty() && record_.note_t.back() == t;
    if (!noted) record_.note(t, VariationNote::Unknown, zeros_.label());
  }
  Y_.swap(next_);
}

void Variation::freeze(const FrozenRoles& roles, const ElementModes& modes,
                       const ContactFeatures& features) {
  systems_.freeze(roles, modes, features);
  flow_.begin_phase();
}

void Variation::after(double t, const ConstVectorRef& y, const Transition& transition,
                      const ElementModes& modes, const ContactFeatures& features,
                      const ConstVectorRef& y_plus) {
  systems_.near.see(y);
  systems_.near.see(y_plus);
  if (!begun_) {
    // The start is at a given time and has no zeros, only a jump.
    zeros_.clear();
    f_minus_.setZero();
    const Index rows = systems_.system().rows().size();
    frozen_.decisions.held.assign(static_cast<std::size_t>(rows), false);
  } else {
    // `held` is the state before, as left by count_lost().
    zeros_.add_joint_impacts(t, y, f_minus_, transition);
  }
  jump_.decide(transition, modes, features, zeros_.count());
  jump_.differentiate(t, y, f_minus_);
  if (begun_) zeros_.check(t, y, f_minus_, Y_, total_, record_);
  freeze(transition.roles(), modes, features);
  try {
    systems_.own.phase->rate(t, y_plus, f_plus_);
  } catch (...) {
    // The instant will be resolved again from the state before.
    if (begun_) freeze(frozen_.roles, frozen_.modes, frozen_.features);
    throw;
  }
  if (!jump_.is_smooth()) record_.note(t, VariationNote::Edge, begun_ ? zeros_.label() : -1);
  cross(t);
  count_lost(transition.roles());
  frozen_.roles = transition.roles();
  frozen_.modes = modes;
  frozen_.features = features;
  zeros_.clear();
  if (!begun_) record_.rate.assign(f_plus_.data(), f_plus_.data() + n_);
  begun_ = true;
}

// Count the directions of motion that new rows take: g and γ of a normal row, γ of a tangential
// row.
void Variation::count_lost(const FrozenRoles& roles) {
  const System& system = systems_.system();
  const std::size_t count = static_cast<std::size_t>(system.rows().size());
  std::vector<bool>& held = frozen_.decisions.held;  // the rows closed before
  frozen_rows(system.rows(), roles, rows_);
  for (const Index row : rows_) {
    if (!begun_ || held[static_cast<std::size_t>(row)]) continue;
    lost_ += row < system.nc() ? 2 : 1;
  }
  held.assign(count, false);
  for (const Index row : rows_) held[static_cast<std::size_t>(row)] = true;
}

void Variation::end_part(double t, const ConstVectorRef& y, bool is_event) {
  if (!is_event) {
    systems_.own.phase->rate(t, y, f_plus_);
    dt_.setZero();
  }
  close_part(t, is_event);
}

void Variation::abandon(double t) {
  record_.note(t, VariationNote::Unknown, -1);
  break_off(t);
}

void Variation::break_off(double t) {
  f_plus_.setConstant(std::numeric_limits<double>::quiet_NaN());
  dt_.setZero();
  close_part(t, false);
}

void Variation::close_part(double t, bool is_event) {
  const auto append = [](std::vector<double>& table, const Matrix& values) {
    for (Index i = 0; i < values.rows(); ++i) {
      for (Index k = 0; k < values.cols(); ++k) table.push_back(values(i, k));
    }
  };
  record_.t.push_back(t);
  record_.is_event.push_back(is_event ? 1 : 0);
  append(record_.factors, Y_);
  if (!is_event) Y_before_ = Y_.leftCols(n_);
  append(record_.flows, Y_before_);
  append(record_.time_factors, dt_);
  append(record_.rate, f_plus_);
  record_.lost.push_back(static_cast<std::int32_t>(lost_));
  total_ = Y_.leftCols(n_) * total_;
  const double largest = total_.cwiseAbs().maxCoeff();
  total_ /= largest > 0.0 ? largest : 1.0;  // only its proportions count
  start_factor();
  lost_ = 0;
}

// Reset the factor. Modes are whole numbers, on which nothing depends smoothly.
void Variation::start_factor() {
  Y_.setIdentity();
  const System& system = systems_.system();
  for (const ForceElementDescription& element : system.elements()) {
    const Index place = n_ - system.nx() + element.state;
    if (element.state >= 0) Y_(place, place) = 0.0;
  }
}

}  // namespace nsmb
