#include "nsmb/simulation/variation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nsmb {

namespace {

// Central differences of a smooth function are best at this part of its argument.
const double kDifference = std::cbrt(std::numeric_limits<double>::epsilon());
// A component that has been much smaller than its fellows is varied by this part of their size.
constexpr double kSmallest = 1e-3;
// An event whose time moves this much more than the state that moves it has none that depends on it
// smoothly.
constexpr double kGrazing = 1e6;
// Rates that differ by less, relatively, are the same.
constexpr double kSameRate = 1e-8;
// Two times of an event that differ by less, relatively, are the same.
constexpr double kSameTime = 1e-6;

bool has_plain_rates(const System& system) {
  if (system.nq() != system.nu()) return false;
  const auto work = system.make_workspace();
  const Vector u = Vector::LinSpaced(system.nu(), 1.0, 2.0);
  Vector rates(system.nq());
  system.coordinate_rates(0.0, u, u, rates, *work);
  return rates == u;
}

// Directions of motion that a frozen row takes: g and γ of a normal one, γ of a tangential one.
Index directions(const std::vector<Index>& rows, Index nc) {
  Index count = 0;
  for (const Index row : rows) count += row < nc ? 2 : 1;
  return count;
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
      constant_(system.constant_directions() && system.constant_mass_matrix() && system.nb() == 0),
      plain_rates_(has_plain_rates(system)),
      own_(system, options, make_phase),
      jump_(system, options),
      other_side_(system, options),
      Y_(n_, m_),
      total_(n_, n_),
      dt_(m_),
      scale_(n_),
      f_minus_(n_),
      f_plus_(n_),
      jump_rate_(n_),
      J_y_(n_, m_),
      observation_(system),
      y_(n_),
      y_side_(n_),
      side_(n_),
      other_(n_),
      difference_(n_),
      next_(n_, m_),
      scaled_(n_, n_),
      term_(n_, m_),
      J_(n_, n_),
      lu_(4 * n_) {
  for (const ParameterShift& shift : shifts_) {
    plus_.push_back(std::make_unique<Follower>(*shift.plus, options, make_phase));
    minus_.push_back(std::make_unique<Follower>(*shift.minus, options, make_phase));
  }
  J_s_.assign(4, Matrix(n_, n_));
  B_s_.assign(4, Matrix(n_, parameters()));
  stages_.resize(4 * n_, 4 * n_);
  right_.resize(4 * n_, m_);
  solution_.resize(4 * n_, m_);
  reset();
}

void Variation::reset() {
  record_ = {};
  begun_ = false;
  roles_.clear();
  Y_.setIdentity();
  total_.setIdentity();
  dt_.setZero();
  scale_.setZero();
  longest_step_ = 0.0;
  zero_count_ = 0;
  rows_.clear();
  lost_ = closed_ = 0;
  own_.phase->reset();
}

void Variation::forget() {
  const std::vector<double> rate(
      record_.rate.end() - std::min<std::ptrdiff_t>(n_, std::ssize(record_.rate)),
      record_.rate.end());
  record_ = {};
  record_.rate = rate;
}

// What a component of y is measured by.
double Variation::size(Index i) const {
  const Index nq = system_.nq(), nu = system_.nu();
  const Index begin = i < nq ? 0 : i < nq + nu ? nq : nq + nu;
  const Index count = i < nq ? nq : i < nq + nu ? nu : system_.nx();
  const double group = scale_.segment(begin, count).maxCoeff();
  return group > 0.0 ? std::max(scale_(i), kSmallest * group) : 1.0;
}

// The time in which the motion changes some component by its size, at most its longest step: what
// is at rest may still be driven.
double Variation::flow_time(const ConstVectorRef& rate) const {
  double fastest = 0.0;
  for (Index i = 0; i < n_; ++i) fastest = std::max(fastest, std::abs(rate(i)) / size(i));
  const double longest = longest_step_ > 0.0 ? longest_step_ : 1.0;
  return fastest * longest > 1.0 ? 1.0 / fastest : longest;
}

void Variation::note(double t, VariationNote kind, Index contact) {
  record_.note_t.push_back(t);
  record_.note_kind.push_back(static_cast<std::int8_t>(kind));
  record_.note_contact.push_back(static_cast<std::int32_t>(contact));
}

// h_y, h_p and ḣ of an indicator that has just vanished.
void Variation::add_zero(double t, const ConstVectorRef& y, const Indicator& indicator) {
  if (zero_count_ == zeros_.size()) zeros_.emplace_back();
  Zero& zero = zeros_[zero_count_++];
  zero.contact = indicator.contact;
  zero.known = indicator.kind != IndicatorKind::Law && indicator.kind != IndicatorKind::Regularity;
  zero.is_contact = indicator.kind != IndicatorKind::Switch;
  zero.apart = false;
  zero.row.setZero(m_);
  zero.time.setZero(m_);
  zero.run_time.setZero(n_);
  if (!zero.known) return;
  const auto at = [&](Follower& follower, double time, const ConstVectorRef& place) {
    follower.phase->observe(time, place, observation_);
    return value(indicator, observation_);
  };
  y_side_ = y;
  for (Index i = 0; i < n_; ++i) {
    const double step = kDifference * size(i);
    y_side_(i) = y(i) + step;
    const double right = at(own_, t, y_side_);
    y_side_(i) = y(i) - step;
    zero.row(i) = (right - at(own_, t, y_side_)) / (2.0 * step);
    y_side_(i) = y(i);
  }
  for (Index p = 0; p < parameters(); ++p) {
    const std::size_t k = static_cast<std::size_t>(p);
    zero.row(n_ + p) = (at(*plus_[k], t, y) - at(*minus_[k], t, y)) / shifts_[k].distance;
  }
  const double tau = kDifference * flow_time(f_minus_);
  y_side_ = y + tau * f_minus_;
  zero.slope = at(own_, t + tau, y_side_);
  y_side_ = y - tau * f_minus_;
  zero.slope = (zero.slope - at(own_, t - tau, y_side_)) / (2.0 * tau);
  // Slopes that the motion knows exactly: they may be small where impacts accumulate.
  at(own_, t, y);
  const auto row = observation_.contacts.row(std::max<Index>(indicator.contact, 0));
  if (indicator.kind == IndicatorKind::Gap) {
    zero.slope = row(kGammaN);
    if (plain_rates_) {
      own_.mechanics.update(t, y, decisions_);
      zero.row.head(n_).setZero();
      zero.row.head(system_.nq()) = own_.mechanics.mechanics.contacts.W_N.col(zero.contact);
    }
  }
  if (indicator.kind == IndicatorKind::SlipVelocity) zero.slope = indicator.sign * row(kGammaDotT);
}

void Variation::before(double t, const ConstVectorRef& y, const Phase& phase,
                       const std::vector<Indicator>& fired) {
  own_.phase->adopt(phase);
  for (const auto& follower : plus_) follower->phase->adopt(phase);
  for (const auto& follower : minus_) follower->phase->adopt(phase);
  if (const ContactFeatures* features = phase.features()) decisions_.features = *features;
  own_.phase->rate(t, y, f_minus_);
  zero_count_ = 0;
  for (const Indicator& indicator : fired) {
    if (indicator.kind != IndicatorKind::Margin) add_zero(t, y, indicator);
  }
}

void Variation::decide(const Transition& transition, const ElementModes& modes,
                       const ContactFeatures& features) {
  InstantDecisions& d = decisions_;
  d.impacts.clear();
  d.touching = transition.touching();
  d.features = features;
  d.held.assign(static_cast<std::size_t>(system_.rows().size()), false);
  if (!roles_.empty()) frozen_rows(system_.rows(), roles_, rows_);
  for (const Index row : rows_) d.held[static_cast<std::size_t>(row)] = true;
  d.resting = transition.roles().entry_rows;
  d.walls.assign(modes.size(), false);
  bool walls = false;
  for (std::size_t k = 0; k < transition.event_count(); ++k) {
    const TransitionEvent& event = transition.events()[k];
    if (event.kind == EventKind::Impact) d.impacts.push_back(event.without_collision);
    for (std::size_t e = 0; e < modes.size(); ++e) d.walls[e] = d.walls[e] || event.elements[e];
  }
  for (std::size_t e = 0; e < modes.size(); ++e) {
    d.walls[e] = d.walls[e] || modes[e] == ElementMode::Closed;
    walls = walls || (d.walls[e] && system_.wall(static_cast<Index>(e)) >= 0);
  }
  // Where nothing but the equations changes at one zero, y⁺ = y does.
  jumps_ = !d.impacts.empty() || walls || system_.rows().spatial || zero_count_ != 1;
  const Index nc = system_.nc();
  frozen_rows(system_.rows(), transition.roles(), rows_);
  const Index closed = directions(rows_, nc);
  lost_ += std::max<Index>(0, closed - closed_);
  closed_ = closed;
}

// J_y, J_p and J_y f⁻ + J_t.
void Variation::differentiate_jump(double t, const ConstVectorRef& y) {
  const Index nq = system_.nq(), nu = system_.nu();
  J_y_.setZero();
  J_y_.leftCols(n_).setIdentity();
  jump_rate_ = f_minus_;
  smooth_ = true;
  if (!jumps_) return;
  jump_.trace(t, y, decisions_);
  for (Index j = nq; j < nq + nu; ++j) jump_.change(J_y_.col(j).segment(nq, nu));
  jump_rate_.segment(nq, nu).noalias() = J_y_.block(nq, nq, nu, nu) * f_minus_.segment(nq, nu);
  const auto change_between = [&](double t_plus, double t_minus, double distance, VectorRef du) {
    own_.mechanics.update(t_plus, y_side_, decisions_);
    other_side_.update(t_minus, y_, decisions_);
    du.setZero();
    jump_.change(&own_.mechanics, &other_side_, distance, du);
  };
  if (!constant_) {
    y_side_ = y_ = y;
    for (Index i = 0; i < nq; ++i) {
      const double step = kDifference * size(i);
      y_side_(i) = y(i) + step;
      y_(i) = y(i) - step;
      change_between(t, t, 2.0 * step, J_y_.col(i).segment(nq, nu));
      y_side_(i) = y_(i) = y(i);
    }
    const double tau = kDifference * flow_time(f_minus_);
    change_between(t + tau, t - tau, 2.0 * tau, side_.head(nu));
    jump_rate_.segment(nq, nu) += side_.head(nu);
    jump_rate_.segment(nq, nu).noalias() += J_y_.block(nq, 0, nu, nq) * f_minus_.head(nq);
  }
  for (Index p = 0; p < parameters(); ++p) {
    const std::size_t k = static_cast<std::size_t>(p);
    plus_[k]->mechanics.update(t, y, decisions_);
    minus_[k]->mechanics.update(t, y, decisions_);
    jump_.change(&plus_[k]->mechanics, &minus_[k]->mechanics, shifts_[k].distance,
                 J_y_.col(n_ + p).segment(nq, nu));
  }
  smooth_ = jump_.is_smooth();
  differentiate_walls(t, y);
}

// The wall of a closed element is where the mass is, (3.22).
void Variation::differentiate_walls(double t, const ConstVectorRef& y) {
  const Index nq = system_.nq();
  if (system_.nx() == system_.nx_own()) return;
  const auto place = [&](Follower& follower, double time, const ConstVectorRef& at, Index e) {
    follower.mechanics.mechanics.update_elements(time, at);
    return follower.mechanics.mechanics.elements.gamma(e);
  };
  for (Index e = 0; e < system_.ne(); ++e) {
    if (!decisions_.walls[static_cast<std::size_t>(e)] || system_.wall(e) < 0) continue;
    const Index row = nq + system_.nu() + system_.wall(e);
    J_y_.row(row).setZero();
    y_side_ = y;
    for (Index i = 0; i < nq; ++i) {
      const double step = kDifference * size(i);
      y_side_(i) = y(i) + step;
      const double right = place(own_, t, y_side_, e);
      y_side_(i) = y(i) - step;
      J_y_(row, i) = (right - place(own_, t, y_side_, e)) / (2.0 * step);
      y_side_(i) = y(i);
    }
    for (Index p = 0; p < parameters(); ++p) {
      const std::size_t k = static_cast<std::size_t>(p);
      J_y_(row, n_ + p) =
          (place(*plus_[k], t, y, e) - place(*minus_[k], t, y, e)) / shifts_[k].distance;
    }
    const double tau = kDifference * flow_time(f_minus_);
    y_side_ = y + tau * f_minus_;
    jump_rate_(row) = place(own_, t + tau, y_side_, e);
    y_side_ = y - tau * f_minus_;
    jump_rate_(row) = (jump_rate_(row) - place(own_, t - tau, y_side_, e)) / (2.0 * tau);
  }
}

bool Variation::moves(const Zero& zero, Index velocity) const {
  const ContactRows& rows = system_.rows();
  const auto row = jump_.base.mechanics.delassus.Minv_W.row(velocity);
  if (rows.is_unilateral(zero.contact) && row(zero.contact) != 0.0) return true;
  for (Index d = 0; d < rows.dim(zero.contact); ++d) {
    if (row(rows.row(zero.contact) + d) != 0.0) return true;
  }
  return false;
}

// Events of bodies that know nothing of each other commute.
bool Variation::are_apart(const Zero& a, const Zero& b) const {
  if (!plain_rates_ || !a.is_contact || !b.is_contact) return false;
  for (Index j = 0; j < system_.nu(); ++j) {
    if (moves(a, j) && moves(b, j)) return false;
  }
  return true;
}

// Times of the zeros, over the part and over the run, and whether they have derivatives.
void Variation::check_zeros(double t) {
  const double time = flow_time(f_minus_);
  scaled_.noalias() = Y_.leftCols(n_) * total_;
  double growth = 0.0;
  for (Index i = 0; i < n_; ++i) {
    for (Index k = 0; k < n_; ++k) {
      growth = std::max(growth, std::abs(scaled_(i, k)) * size(k) / size(i));
    }
  }
  const auto largest = [&](const Vector& times) {
    double most = 0.0;
    for (Index i = 0; i < n_; ++i) most = std::max(most, std::abs(times(i)) * size(i));
    return most;
  };
  const Zero* first = nullptr;
  for (std::size_t k = 0; k < zero_count_; ++k) {
    Zero& zero = zeros_[k];
    if (!zero.known) continue;
    // Over the run, not the part: where impacts accumulate, parts are short and their factors
    // large.
    zero.run_time.noalias() = scaled_.transpose() * zero.row.head(n_);
    zero.run_time /= -zero.slope;
    zero.time.noalias() = Y_.transpose() * zero.row.head(n_);
    zero.time.tail(parameters()) += zero.row.tail(parameters());
    zero.time /= -zero.slope;
    const double moved = largest(zero.run_time);
    if (!(moved <= kGrazing * time * growth)) {
      zero.known = false;
      note(t, VariationNote::Grazing, zero.contact);
    } else if (!first) {
      first = &zero;
    } else if (zero.contact != first->contact) {
      side_ = zero.run_time - first->run_time;
      if (largest(side_) <= kSameTime * std::max(moved, largest(first->run_time))) continue;
      zero.apart = true;
      for (std::size_t j = 0; j < k; ++j) {
        zero.apart = zero.apart && (!zeros_[j].known || are_apart(zeros_[j], zero));
      }
      if (!zero.apart) note(t, VariationNote::Simultaneous, zero.contact);
    }
  }
}

// δy⁺ of all columns.
void Variation::cross(double t) {
  dt_.setZero();
  difference_ = jump_rate_ - f_plus_;
  const double time = flow_time(f_minus_);
  bool differs = false;
  for (Index i = 0; i < n_; ++i) {
    const double rate = std::abs(f_plus_(i)) + std::abs(f_minus_(i)) + size(i) / time;
    differs = differs || std::abs(difference_(i)) > kSameRate * rate;
  }
  const auto end = zeros_.begin() + static_cast<std::ptrdiff_t>(zero_count_);
  const auto first = std::find_if(zeros_.begin(), end, [](const Zero& z) { return z.known; });
  next_.noalias() = J_y_.leftCols(n_) * Y_;
  next_.rightCols(parameters()) += J_y_.rightCols(parameters());
  if (first != end) {
    dt_ = first->time;
    const Index nq = system_.nq();
    for (std::size_t k = 0; k < zero_count_; ++k) {
      const Zero& zero = zeros_[k];
      if (!zero.known || !zero.apart) continue;
      for (Index j = 0; j < system_.nu(); ++j) {
        if (!moves(zero, j)) continue;
        for (const Index i : {j, nq + j}) {
          next_.row(i) += difference_(i) * zero.time.transpose();
          difference_(i) = 0.0;
        }
      }
    }
    next_.noalias() += difference_ * dt_.transpose();
  } else if (zero_count_ > 0 && differs) {
    const bool noted = !record_.note_t.empty() && record_.note_t.back() == t;
    if (!noted) note(t, VariationNote::Unknown, zeros_[0].contact);
  }
  Y_.swap(next_);
}

void Variation::behind(double t, const ConstVectorRef& y, const Transition& transition,
                       const ElementModes& modes, const ContactFeatures& features,
                       const ConstVectorRef& y_plus) {
  scale_ = scale_.cwiseMax(y.cwiseAbs()).cwiseMax(y_plus.cwiseAbs());
  if (!begun_) {
    // The start is at a given time: nothing but a jump.
    zero_count_ = 0;
    f_minus_.setZero();
  }
  decide(transition, modes, features);
  differentiate_jump(t, y);
  if (begun_) check_zeros(t);
  if (!smooth_) note(t, VariationNote::Edge, begun_ && zero_count_ > 0 ? zeros_[0].contact : -1);
  roles_ = transition.roles();
  const auto freeze = [&](Follower& follower) {
    follower.phase->set_features(features);
    follower.phase->freeze(roles_, modes);
  };
  freeze(own_);
  for (const auto& follower : plus_) freeze(*follower);
  for (const auto& follower : minus_) freeze(*follower);
  has_constant_jacobian_ = false;
  own_.phase->rate(t, y_plus, f_plus_);
  cross(t);
  zero_count_ = 0;
  if (!begun_) record_.rate.assign(f_plus_.data(), f_plus_.data() + n_);
  begun_ = true;
}

void Variation::end_part(double t, const ConstVectorRef& y, bool is_event) {
  const auto append = [](std::vector<double>& table, const Matrix& values) {
    for (Index i = 0; i < values.rows(); ++i) {
      for (Index k = 0; k < values.cols(); ++k) table.push_back(values(i, k));
    }
  };
  if (!is_event) {
    own_.phase->rate(t, y, f_plus_);
    dt_.setZero();
  }
  record_.t.push_back(t);
  record_.is_event.push_back(is_event ? 1 : 0);
  append(record_.factors, Y_);
  append(record_.time_factors, dt_);
  append(record_.rate, f_plus_);
  record_.lost.push_back(static_cast<std::int32_t>(lost_));
  scaled_.noalias() = Y_.leftCols(n_) * total_;
  const double largest = scaled_.cwiseAbs().maxCoeff();
  total_ = scaled_ / (largest > 0.0 ? largest : 1.0);  // only its proportions count
  Y_.setIdentity();
  lost_ = 0;
}

}  // namespace nsmb
