// The times of events: indicators that vanish, how their zeros move, and whether they do so
// smoothly.
#include <algorithm>
#include <cmath>

#include "nsmb/simulation/variation.hpp"

namespace nsmb {

namespace {

// An event whose time moves this much more than the state that moves it has none that depends on it
// smoothly.
constexpr double kGrazing = 1e6;
// Two times of an event that differ by less, relatively, are the same.
constexpr double kSameTime = 1e-6;
// Rates of one body that change by less, relatively, with the velocities of another one do not.
constexpr double kNoInfluence = 1e-7;

}  // namespace

Variation::Zero& Variation::next_zero() {
  if (zero_count_ == zeros_.size()) zeros_.emplace_back();
  Zero& zero = zeros_[zero_count_++];
  zero.apart = false;
  zero.row.setZero(m_);
  zero.time.setZero(m_);
  zero.run_time.setZero(n_);
  return zero;
}

// h_y, h_p and ḣ of an indicator that has just vanished.
void Variation::add_zero(double t, const ConstVectorRef& y, const Indicator& indicator) {
  Zero& zero = next_zero();
  const Quantity& quantity = *indicator.quantity;
  zero.contact = indicator.contact;
  zero.is_contact = !quantity.is_of_element();
  zero.label = zero.is_contact ? zero.contact : system_.nc() + zero.contact;
  zero.known = quantity.is_differentiable();
  if (!zero.known) return;
  const auto at = [&](Follower& follower, double time, const ConstVectorRef& place) {
    follower.phase->observe(time, place, observation_);
    return value(indicator, observation_);
  };
  // Slopes that the motion knows exactly: they may be small where impacts accumulate.
  if (is_gap(indicator) && plain_rates_) {
    zero.row.head(system_.nq()) = own_.mechanics.mechanics.contacts.W_N.col(zero.contact);
  } else {
    for (Index i = 0; i < n_; ++i) {
      const double apart = near_.vary(y, i, slip_step(i));
      const double right = at(own_, t, near_.y_plus);
      zero.row(i) = (right - at(own_, t, near_.y_minus)) / apart;
    }
  }
  for (Index p = 0; p < parameters(); ++p) {
    const std::size_t k = static_cast<std::size_t>(p);
    zero.row(n_ + p) = (at(*plus_[k], t, y) - at(*minus_[k], t, y)) / shifts_[k].distance;
  }
  if (is_gap(indicator) || is_slip(indicator)) {
    at(own_, t, y);
    quantity.slope(indicator, observation_, zero.slope);
  } else {
    const double apart = near_.vary_along(t, y, f_minus_);
    const double right = at(own_, near_.t_plus, near_.y_plus);
    zero.slope = (right - at(own_, near_.t_minus, near_.y_minus)) / apart;
  }
}

// An instant whose time is given: parameters alone move it.
void Variation::add_given_time(const Discontinuity& place) {
  Zero& zero = next_zero();
  zero.contact = zero.label = -1;
  zero.is_contact = zero.known = true;
  zero.slope = 1.0;
  for (Index p = 0; p < parameters(); ++p) {
    const ParameterShift& shift = shifts_[static_cast<std::size_t>(p)];
    const double plus = shift.plus->discontinuities().corresponding(place).t;
    const double minus = shift.minus->discontinuities().corresponding(place).t;
    zero.row(n_ + p) = (minus - plus) / shift.distance;
  }
}

// Contacts that are struck because they touch within the tolerance vanish at a time of their own.
void Variation::add_joint_impacts(double t, const ConstVectorRef& y, const Transition& transition) {
  for (std::size_t k = 0; k < transition.events().size(); ++k) {
    const TransitionEvent& event = transition.events()[k];
    if (event.kind != EventKind::Impact) continue;
    for (Index i = 0; i < system_.nc(); ++i) {
      const std::size_t c = static_cast<std::size_t>(i);
      if (!event.contacts[c] || decisions_.held[c] || is_closed(roles_[c].state)) continue;
      bool fired = false;
      for (std::size_t z = 0; z < zero_count_; ++z) {
        fired = fired || (zeros_[z].is_contact && zeros_[z].contact == i);
      }
      if (!fired) add_zero(t, y, {&gap_quantity(), i});
    }
  }
}

// Velocities that impacts, closed contacts or dampers tie together: numbers of bodies_.
void Variation::find_bodies(double t, const ConstVectorRef& y) {
  const Index nq = system_.nq(), nu = system_.nu();
  bodies_.resize(static_cast<std::size_t>(nu));
  for (Index j = 0; j < nu; ++j) bodies_[static_cast<std::size_t>(j)] = j;
  const auto join = [&](Index a, Index b) {
    const Index from = bodies_[static_cast<std::size_t>(a)];
    const Index to = bodies_[static_cast<std::size_t>(b)];
    std::replace(bodies_.begin(), bodies_.end(), from, to);
  };
  const Matrix& Minv_W = jump_.base.mechanics.delassus.Minv_W;
  const auto join_row = [&](Index row) {
    Index first = -1;
    for (Index j = 0; j < nu; ++j) {
      if (Minv_W(j, row) == 0.0) continue;
      if (first >= 0) join(j, first);
      first = j;
    }
  };
  const ContactRows& rows = system_.rows();
  for (Index row = 0; row < rows.size(); ++row) {
    if (decisions_.held[static_cast<std::size_t>(row)]) join_row(row);
  }
  for (const Index row : decisions_.resting) join_row(row);
  for (const Index i : decisions_.touching) {
    join_row(i);
    for (Index d = 0; d < rows.dim(i); ++d) join_row(rows.row(i) + d);
  }
  jacobian(t, y, J_);
  const double time = near_.flow_time(f_minus_);
  for (Index i = nq; i < nq + nu; ++i) {
    const double rate = std::abs(f_minus_(i)) + near_.size(i) / time;
    for (Index j = nq; j < nq + nu; ++j) {
      if (i != j && std::abs(J_(i, j)) * near_.size(j) > kNoInfluence * rate) join(i - nq, j - nq);
    }
  }
}

// The body that a contact moves; -1: none, or more than one.
Index Variation::body_of(const Zero& zero) const {
  if (!plain_rates_ || !zero.is_contact || zero.contact < 0 || system_.nx() > 0) return -1;
  const auto w = jump_.base.mechanics.delassus.Minv_W.col(zero.contact);
  for (Index j = 0; j < system_.nu(); ++j) {
    if (w(j) != 0.0) return bodies_[static_cast<std::size_t>(j)];
  }
  return -1;
}

// Events of bodies that know nothing of each other commute.
void Variation::separate(double t, const ConstVectorRef& y, std::size_t k) {
  find_bodies(t, y);
  for (std::size_t j = 0; j <= k; ++j) zeros_[j].body = body_of(zeros_[j]);
  Zero& zero = zeros_[k];
  zero.apart = zero.body >= 0;
  for (std::size_t j = 0; j < k; ++j) {
    zero.apart = zero.apart && zeros_[j].body >= 0 && zeros_[j].body != zero.body;
  }
  if (!zero.apart) note(t, VariationNote::Simultaneous, zero.label);
}

// Times of the zeros, over the part and over the run, and whether they have derivatives.
void Variation::check_zeros(double t, const ConstVectorRef& y) {
  const double time = near_.flow_time(f_minus_);
  scaled_.noalias() = Y_.leftCols(n_) * total_;
  double growth = 0.0;
  for (Index i = 0; i < n_; ++i) {
    for (Index k = 0; k < n_; ++k) {
      growth = std::max(growth, std::abs(scaled_(i, k)) * near_.size(k) / near_.size(i));
    }
  }
  // Over the run, not the part: where impacts accumulate, parts are short and their factors large.
  const auto largest = [&](const Vector& times) {
    double most = 0.0;
    for (Index i = 0; i < n_; ++i) most = std::max(most, std::abs(times(i)) * near_.size(i));
    return most;
  };
  // A parameter is changed by its size, of which the distance of its two values is a part.
  const auto by_parameters = [&](const Vector& times) {
    double most = 0.0;
    for (Index p = 0; p < parameters(); ++p) {
      const double whole = std::abs(shifts_[static_cast<std::size_t>(p)].distance) / kShift;
      most = std::max(most, std::abs(times(n_ + p)) * whole);
    }
    return most;
  };
  const Zero* first = nullptr;
  for (std::size_t k = 0; k < zero_count_; ++k) {
    Zero& zero = zeros_[k];
    if (!zero.known) continue;
    zero.run_time.noalias() = scaled_.transpose() * zero.row.head(n_);
    zero.run_time /= -zero.slope;
    zero.time.noalias() = Y_.transpose() * zero.row.head(n_);
    zero.time.tail(parameters()) += zero.row.tail(parameters());
    zero.time /= -zero.slope;
    const double moved = largest(zero.run_time), moved_by = by_parameters(zero.time);
    const bool finite = zero.slope != 0.0 && zero.time.allFinite();
    if (!finite || moved > kGrazing * time * growth || moved_by > kGrazing * time) {
      zero.known = false;
      note(t, VariationNote::Grazing, zero.label);
      continue;
    }
    if (!first) {
      first = &zero;
      continue;
    }
    if (zero.is_contact == first->is_contact && zero.contact == first->contact) continue;
    side_ = zero.run_time - first->run_time;
    const double largest_by = std::max(moved_by, by_parameters(first->time));
    const double apart_by = by_parameters(zero.time - first->time);
    const bool same_state = largest(side_) <= kSameTime * std::max(moved, largest(first->run_time));
    const bool same_parameters = apart_by <= kSameTime * largest_by;
    if (!same_state || !same_parameters) separate(t, y, k);
  }
}

}  // namespace nsmb
