#include "nsmb/simulation/variation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nsmb {

namespace {

// Rates that differ by less, relatively, are the same.
constexpr double kSameRate = 1e-8;

bool has_plain_rates(const System& system) {
  if (system.nq() != system.nu()) return false;
  const auto work = system.workspace();
  const Vector u = Vector::LinSpaced(system.nu(), 1.0, 2.0);
  Vector rates(system.nq());
  system.coordinate_rates(0.0, u, u, rates, *work);
  return rates == u;
}

}  // namespace

Variation::Follower::Follower(const System& s, const TransitionOptions& options,
                              const PhaseFactory& make_phase)
    : system(s), phase(make_phase(s)), mechanics(s, options) {}

Variation::Variation(const System& system, const TransitionOptions& options,
                     const PhaseFactory& make_phase, std::vector<ParameterShift> shifts)
    : system_(system),
      shifts_(std::move(shifts)),
      n_(system.ny()),
      m_(system.ny() + static_cast<Index>(shifts_.size())),
      constant_(system.linear_form() != nullptr),
      plain_rates_(has_plain_rates(system)),
      own_(system, options, make_phase),
      jump_(system, options),
      other_side_(system, options),
      near_(system),
      Y_(n_, m_),
      total_(n_, n_),
      dt_(m_),
      f_minus_(n_),
      f_plus_(n_),
      jump_rate_(n_),
      J_y_(n_, m_),
      observation_(system),
      y_(n_),
      side_(n_),
      other_(n_),
      difference_(n_),
      next_(n_, m_),
      scaled_(n_, n_),
      term_(n_, m_),
      before_step_(n_, m_),
      J_(n_, n_),
      collocation_(n_, m_, parameters()) {
  for (const ParameterShift& shift : shifts_) {
    plus_.push_back(std::make_unique<Follower>(*shift.plus, options, make_phase));
    minus_.push_back(std::make_unique<Follower>(*shift.minus, options, make_phase));
  }
  reset();
}

void Variation::reset() {
  record_ = {};
  begun_ = false;
  roles_.clear();
  start_factor();
  total_.setIdentity();
  dt_.setZero();
  near_.clear();
  zero_count_ = 0;
  rows_.clear();
  lost_ = 0;
  own_.phase->reset();
}

void Variation::forget() {
  const std::size_t n = static_cast<std::size_t>(n_);
  VariationRecord& r = record_;
  if (r.rate.size() > n) std::copy(r.rate.end() - n_, r.rate.end(), r.rate.begin());
  r.rate.resize(std::min(n, r.rate.size()));
  r.t.clear();
  r.is_event.clear();
  r.factors.clear();
  r.flows.clear();
  r.time_factors.clear();
  r.lost.clear();
  r.note_t.clear();
  r.note_kind.clear();
  r.note_contact.clear();
}

void Variation::note(double t, VariationNote kind, Index label) {
  record_.note_t.push_back(t);
  record_.note_kind.push_back(static_cast<std::int8_t>(kind));
  record_.note_contact.push_back(static_cast<std::int32_t>(label));
}

void Variation::before(double t, const ConstVectorRef& y, const Phase& phase,
                       const std::vector<Indicator>& fired) {
  own_.phase->adopt(phase);
  for (const auto& follower : plus_) follower->phase->adopt(phase);
  for (const auto& follower : minus_) follower->phase->adopt(phase);
  if (const ContactFeatures* features = phase.features()) decisions_.features = *features;
  own_.phase->rate(t, y, f_minus_);
  own_.mechanics.update(t, y, decisions_);
  flow_ = Y_.leftCols(n_);
  zero_count_ = 0;
  acts_ = false;
  for (const Indicator& indicator : fired) {
    if (!indicator.quantity->only_searches()) add_zero(t, y, indicator);
  }
}

void Variation::set_span(const Discontinuity& from, const Discontinuity& to) {
  const auto one = [&](Follower& follower) {
    const Discontinuities& there = follower.system.discontinuities();
    const Discontinuity begin = there.corresponding(from), end = there.corresponding(to);
    follower.phase->set_span(begin, end);
    follower.mechanics.mechanics.set_span(TimeSpan(begin, end));
  };
  one(own_);
  jump_.base.mechanics.set_span(TimeSpan(from, to));
  other_side_.mechanics.set_span(TimeSpan(from, to));
  for (const auto& follower : plus_) one(*follower);
  for (const auto& follower : minus_) one(*follower);
}

void Variation::set_inputs(const ConstVectorRef& values) {
  const auto one = [&](Follower& follower) {
    follower.phase->set_inputs(values);
    follower.mechanics.mechanics.set_inputs(values);
  };
  one(own_);
  jump_.base.mechanics.set_inputs(values);
  other_side_.mechanics.set_inputs(values);
  for (const auto& follower : plus_) one(*follower);
  for (const auto& follower : minus_) one(*follower);
}

void Variation::take_inputs(const ConstVectorRef& values) {
  add_fixed_time();
  set_inputs(values);
}

void Variation::cross_into(const Discontinuity& from, const Discontinuity& to) {
  add_given_time(from);
  set_span(from, to);
}

// δy⁺ of all columns.
void Variation::cross(double t) {
  dt_.setZero();
  difference_ = jump_rate_ - f_plus_;
  const double time = near_.flow_time(f_minus_);
  bool differs = false;
  for (Index i = 0; i < n_; ++i) {
    const double rate = std::abs(f_plus_(i)) + std::abs(f_minus_(i)) + near_.size(i) / time;
    differs = differs || std::abs(difference_(i)) > kSameRate * rate;
  }
  const auto end = zeros_.begin() + static_cast<std::ptrdiff_t>(zero_count_);
  const auto first = std::find_if(zeros_.begin(), end, [](const Zero& z) { return z.known; });
  const bool all_known = std::all_of(zeros_.begin(), end, [](const Zero& z) { return z.known; });
  next_.noalias() = J_y_.leftCols(n_) * Y_;
  next_.rightCols(parameters()) += J_y_.rightCols(parameters());
  if (first != end) {
    dt_ = first->time;
    const Index nq = system_.nq();
    for (std::size_t k = 0; k < zero_count_; ++k) {
      const Zero& zero = zeros_[k];
      if (!zero.known || !zero.apart) continue;
      for (Index j = 0; j < system_.nu(); ++j) {
        if (bodies_[static_cast<std::size_t>(j)] != zero.body) continue;
        for (const Index i : {j, nq + j}) {
          next_.row(i) += difference_(i) * zero.time.transpose();
          difference_(i) = 0.0;
        }
      }
    }
    next_.noalias() += difference_ * dt_.transpose();
  }
  if (begun_ && differs && (first == end || !all_known)) {
    const bool noted = !record_.note_t.empty() && record_.note_t.back() == t;
    if (!noted) note(t, VariationNote::Unknown, zero_count_ > 0 ? zeros_[0].label : -1);
  }
  Y_.swap(next_);
}

void Variation::freeze(const FrozenRoles& roles, const ElementModes& modes,
                       const ContactFeatures& features) {
  const auto one = [&](Follower& follower) {
    follower.phase->set_features(features);
    follower.phase->freeze(roles, modes);
  };
  one(own_);
  for (const auto& follower : plus_) one(*follower);
  for (const auto& follower : minus_) one(*follower);
  has_constant_jacobian_ = false;
}

void Variation::behind(double t, const ConstVectorRef& y, const Transition& transition,
                       const ElementModes& modes, const ContactFeatures& features,
                       const ConstVectorRef& y_plus) {
  near_.see(y);
  near_.see(y_plus);
  if (!begun_) {
    // The start is at a given time: nothing but a jump.
    zero_count_ = 0;
    f_minus_.setZero();
  } else {
    add_joint_impacts(t, y, transition);
  }
  decide(transition, modes, features);
  differentiate_jump(t, y);
  if (acts_) J_y_.leftCols(n_) = (J_y_.leftCols(n_) * E_y_).eval();
  acts_ = false;
  if (begun_) check_zeros(t, y);
  freeze(transition.roles(), modes, features);
  try {
    own_.phase->rate(t, y_plus, f_plus_);
  } catch (...) {
    // The instant will be decided anew, from the state before.
    if (begun_) freeze(roles_, modes_, features_);
    throw;
  }
  if (!smooth_) note(t, VariationNote::Edge, begun_ && zero_count_ > 0 ? zeros_[0].label : -1);
  cross(t);
  count_lost(transition.roles());
  roles_ = transition.roles();
  modes_ = modes;
  features_ = features;
  zero_count_ = 0;
  if (!begun_) record_.rate.assign(f_plus_.data(), f_plus_.data() + n_);
  begun_ = true;
}

// Directions of motion that new rows take: g and γ of a normal one, γ of a tangential one.
void Variation::count_lost(const FrozenRoles& roles) {
  const std::size_t count = static_cast<std::size_t>(system_.rows().size());
  std::vector<bool>& held = decisions_.held;  // the rows closed before
  frozen_rows(system_.rows(), roles, rows_);
  for (const Index row : rows_) {
    if (!begun_ || held[static_cast<std::size_t>(row)]) continue;
    lost_ += row < system_.nc() ? 2 : 1;
  }
  held.assign(count, false);
  for (const Index row : rows_) held[static_cast<std::size_t>(row)] = true;
}

void Variation::end_part(double t, const ConstVectorRef& y, bool is_event) {
  if (!is_event) {
    own_.phase->rate(t, y, f_plus_);
    dt_.setZero();
  }
  close_part(t, is_event);
}

void Variation::abandon(double t) {
  note(t, VariationNote::Unknown, -1);
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
  if (!is_event) flow_ = Y_.leftCols(n_);
  append(record_.flows, flow_);
  append(record_.time_factors, dt_);
  append(record_.rate, f_plus_);
  record_.lost.push_back(static_cast<std::int32_t>(lost_));
  scaled_.noalias() = Y_.leftCols(n_) * total_;
  const double largest = scaled_.cwiseAbs().maxCoeff();
  total_ = scaled_ / (largest > 0.0 ? largest : 1.0);  // only its proportions count
  start_factor();
  lost_ = 0;
}

// Modes are whole numbers: nothing depends on them smoothly.
void Variation::start_factor() {
  Y_.setIdentity();
  for (const ForceElementDescription& element : system_.elements()) {
    const Index place = n_ - system_.nx() + element.state;
    if (element.state >= 0) Y_(place, place) = 0.0;
  }
}

}  // namespace nsmb
