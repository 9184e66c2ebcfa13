#include "nsmb/simulation/simultaneous_zeros.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

SimultaneousZeros::SimultaneousZeros(VariedSystems& systems, const FrozenChoices& frozen,
                                     VariationFlow& flow, const VariationJump& jump)
    : systems_(systems),
      frozen_(frozen),
      flow_(flow),
      jump_(jump),
      observation_(systems.system()),
      run_(systems.system().ny(), systems.system().ny()),
      J_(systems.system().ny(), systems.system().ny()) {}

EventZero& SimultaneousZeros::next() {
  if (count_ == zeros_.size()) zeros_.emplace_back();
  EventZero& zero = zeros_[count_++];
  zero.apart = false;
  zero.row.setZero(systems_.columns());
  zero.time.setZero(systems_.columns());
  zero.run_time.setZero(systems_.system().ny());
  return zero;
}

const EventZero* SimultaneousZeros::first_known() const {
  for (std::size_t k = 0; k < count_; ++k) {
    if (zeros_[k].known) return &zeros_[k];
  }
  return nullptr;
}

bool SimultaneousZeros::all_known() const {
  const auto end = zeros_.begin() + static_cast<std::ptrdiff_t>(count_);
  return std::all_of(zeros_.begin(), end, [](const EventZero& zero) { return zero.known; });
}

void SimultaneousZeros::add(double t, const ConstVectorRef& y, const Vector& rate,
                            const Indicator& indicator) {
  const System& system = systems_.system();
  Follower& own = systems_.own;
  Neighbours& near = systems_.near;
  EventZero& zero = next();
  const Quantity& quantity = *indicator.quantity;
  zero.contact = indicator.contact;
  zero.is_contact = !quantity.is_of_element();
  zero.label = zero.is_contact ? zero.contact : system.nc() + zero.contact;
  zero.known = quantity.is_differentiable();
  if (!zero.known) return;
  const auto at = [&](Follower& follower, double time, const ConstVectorRef& place) {
    follower.phase->observe(time, place, observation_);
    return value(indicator, observation_);
  };
  // Use slopes that the motion knows exactly, since they may be small where impacts accumulate.
  if (is_gap(indicator) && systems_.has_plain_rates()) {
    zero.row.head(system.nq()) = own.mechanics.mechanics.contacts.W_N.col(zero.contact);
  } else {
    for (Index i = 0; i < y.size(); ++i) {
      const double apart = near.vary(y, i, systems_.slip_step(frozen_.roles, i));
      const double right = at(own, t, near.y_plus);
      zero.row(i) = (right - at(own, t, near.y_minus)) / apart;
    }
  }
  for (Index p = 0; p < systems_.parameters(); ++p) {
    zero.row(y.size() + p) =
        (at(systems_.plus(p), t, y) - at(systems_.minus(p), t, y)) / systems_.distance(p);
  }
  if (is_gap(indicator) || is_slip(indicator)) {
    at(own, t, y);
    quantity.slope(indicator, observation_, zero.slope);
  } else {
    const double apart = near.vary_along(t, y, rate);
    const double right = at(own, near.t_plus, near.y_plus);
    zero.slope = (right - at(own, near.t_minus, near.y_minus)) / apart;
  }
}

void SimultaneousZeros::add(double t, const ConstVectorRef& y, const Vector& rate,
                            const TimedFunction& f) {
  Neighbours& near = systems_.near;
  const Index number = static_cast<Index>(count_);
  EventZero& zero = next();
  zero.contact = -2 - number;  // equals no other
  zero.label = -1;
  zero.is_contact = false;
  zero.known = true;
  for (Index i = 0; i < y.size(); ++i) {
    const double apart = near.vary(y, i);
    zero.row(i) = (f(t, near.y_plus) - f(t, near.y_minus)) / apart;
  }
  const double apart = near.vary_along(t, y, rate);
  zero.slope = (f(near.t_plus, near.y_plus) - f(near.t_minus, near.y_minus)) / apart;
}

void SimultaneousZeros::add_given_time(const Discontinuity& place) {
  add_fixed_time();
  EventZero& zero = zeros_[count_ - 1];
  for (Index p = 0; p < systems_.parameters(); ++p) {
    const double plus = systems_.plus(p).system.discontinuities().corresponding(place).t;
    const double minus = systems_.minus(p).system.discontinuities().corresponding(place).t;
    zero.row(systems_.system().ny() + p) = (minus - plus) / systems_.distance(p);
  }
}

void SimultaneousZeros::add_fixed_time() {
  EventZero& zero = next();
  zero.contact = zero.label = -1;
  zero.is_contact = zero.known = true;
  zero.slope = 1.0;
}

void SimultaneousZeros::add_joint_impacts(double t, const ConstVectorRef& y, const Vector& rate,
                                          const Transition& transition) {
  for (std::size_t k = 0; k < transition.events().size(); ++k) {
    const TransitionEvent& event = transition.events()[k];
    if (event.kind != EventKind::Impact) continue;
    for (Index i = 0; i < systems_.system().nc(); ++i) {
      const std::size_t c = static_cast<std::size_t>(i);
      if (!event.contacts[c] || frozen_.decisions.held[c]) continue;
      if (is_closed(frozen_.roles[c].state)) continue;
      bool fired = false;
      for (std::size_t z = 0; z < count_; ++z) {
        fired = fired || (zeros_[z].is_contact && zeros_[z].contact == i);
      }
      if (!fired) add(t, y, rate, Indicator{&gap_quantity(), i});
    }
  }
}

void SimultaneousZeros::join(Index a, Index b) {
  const Index from = bodies_[static_cast<std::size_t>(a)];
  const Index to = bodies_[static_cast<std::size_t>(b)];
  std::replace(bodies_.begin(), bodies_.end(), from, to);
}

void SimultaneousZeros::join_row(Index row) {
  const Matrix& Minv_W = jump_.mechanics().delassus.Minv_W;
  Index first = -1;
  for (Index j = 0; j < Minv_W.rows(); ++j) {
    if (Minv_W(j, row) == 0.0) continue;
    if (first >= 0) join(j, first);
    first = j;
  }
}

void SimultaneousZeros::join_rows() {
  const ContactRows& rows = systems_.system().rows();
  const InstantDecisions& decisions = frozen_.decisions;
  for (Index row = 0; row < rows.size(); ++row) {
    if (decisions.held[static_cast<std::size_t>(row)]) join_row(row);
  }
  for (const Index row : decisions.resting) join_row(row);
  for (const Index i : decisions.touching) {
    join_row(i);
    for (Index d = 0; d < rows.dim(i); ++d) join_row(rows.row(i) + d);
  }
}

// Find the velocities that impacts, closed contacts or dampers couple, as numbers in bodies_.
void SimultaneousZeros::find_bodies(double t, const ConstVectorRef& y, const Vector& rate) {
  const System& system = systems_.system();
  const Neighbours& near = systems_.near;
  const Index nq = system.nq(), nu = system.nu();
  bodies_.resize(static_cast<std::size_t>(nu));
  for (Index j = 0; j < nu; ++j) bodies_[static_cast<std::size_t>(j)] = j;
  join_rows();
  flow_.jacobian(t, y, J_);
  const double time = near.flow_time(rate);
  for (Index i = nq; i < nq + nu; ++i) {
    const double size = std::abs(rate(i)) + near.size(i) / time;
    for (Index j = nq; j < nq + nu; ++j) {
      if (i != j && std::abs(J_(i, j)) * near.size(j) > derivatives::kNoInfluence * size)
        join(i - nq, j - nq);
    }
  }
}

// Return the body of the first velocity that a contact moves. Return -1 if there is none, for zeros
// that are no contacts, and for systems with states or without q̇ = u.
Index SimultaneousZeros::body_of(const EventZero& zero) const {
  const System& system = systems_.system();
  if (!systems_.has_plain_rates() || !zero.is_contact || zero.contact < 0 || system.nx() > 0) {
    return -1;
  }
  const auto w = jump_.mechanics().delassus.Minv_W.col(zero.contact);
  for (Index j = 0; j < system.nu(); ++j) {
    if (w(j) != 0.0) return bodies_[static_cast<std::size_t>(j)];
  }
  return -1;
}

// Events of bodies that do not influence each other commute. Return true if zero k is such an
// event.
bool SimultaneousZeros::separate(double t, const ConstVectorRef& y, const Vector& rate,
                                 std::size_t k) {
  find_bodies(t, y, rate);
  for (std::size_t j = 0; j <= k; ++j) zeros_[j].body = body_of(zeros_[j]);
  EventZero& zero = zeros_[k];
  zero.apart = zero.body >= 0;
  for (std::size_t j = 0; j < k; ++j) {
    zero.apart = zero.apart && zeros_[j].body >= 0 && zeros_[j].body != zero.body;
  }
  return zero.apart;
}

double SimultaneousZeros::most_by_state(const Vector& times) const {
  double most = 0.0;
  for (Index i = 0; i < times.size(); ++i) {
    most = std::max(most, std::abs(times(i)) * systems_.near.size(i));
  }
  return most;
}

// Return the largest change of a time by parameters. Each parameter changes by its size, of which
// the distance between its two values is a fraction.
double SimultaneousZeros::most_by_parameters(const Vector& times) const {
  double most = 0.0;
  for (Index p = 0; p < systems_.parameters(); ++p) {
    const double whole = std::abs(systems_.distance(p)) / derivatives::kParameterShift;
    most = std::max(most, std::abs(times(systems_.system().ny() + p)) * whole);
  }
  return most;
}

void SimultaneousZeros::find_times(EventZero& zero, const Matrix& Y) {
  const Index n = systems_.system().ny(), parameters = systems_.parameters();
  zero.run_time.noalias() = run_.transpose() * zero.row.head(n);
  zero.run_time /= -zero.slope;
  zero.time.noalias() = Y.transpose() * zero.row.head(n);
  zero.time.tail(parameters) += zero.row.tail(parameters);
  zero.time /= -zero.slope;
}

bool SimultaneousZeros::are_one(const EventZero& a, const EventZero& b) {
  apart_ = b.run_time - a.run_time;
  const double moved = std::max(most_by_state(a.run_time), most_by_state(b.run_time));
  const double moved_by = std::max(most_by_parameters(a.time), most_by_parameters(b.time));
  return most_by_state(apart_) <= derivatives::kSameTime * moved &&
         most_by_parameters(b.time - a.time) <= derivatives::kSameTime * moved_by;
}

void SimultaneousZeros::check(double t, const ConstVectorRef& y, const Vector& rate,
                              const Matrix& Y, const Matrix& total, VariationRecord& record) {
  const Index n = y.size();
  const Neighbours& near = systems_.near;
  const double time = near.flow_time(rate);
  run_.noalias() = Y.leftCols(n) * total;
  double growth = 0.0;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) {
      growth = std::max(growth, std::abs(run_(i, k)) * near.size(k) / near.size(i));
    }
  }
  const EventZero* first = nullptr;
  for (std::size_t k = 0; k < count_; ++k) {
    EventZero& zero = zeros_[k];
    if (!zero.known) continue;
    find_times(zero, Y);
    // Compare over the run, not over the part. Where impacts accumulate, parts are short and their
    // factors large.
    const bool grazes = most_by_state(zero.run_time) > derivatives::kGrazing * time * growth ||
                        most_by_parameters(zero.time) > derivatives::kGrazing * time;
    if (zero.slope == 0.0 || !zero.time.allFinite() || grazes) {
      zero.known = false;
      record.note(t, VariationNote::Grazing, zero.label);
      continue;
    }
    if (!first) {
      first = &zero;
      continue;
    }
    if (zero.is_contact == first->is_contact && zero.contact == first->contact) continue;
    if (!are_one(*first, zero) && !separate(t, y, rate, k)) {
      record.note(t, VariationNote::Simultaneous, zero.label);
    }
  }
}

}  // namespace nsmb
