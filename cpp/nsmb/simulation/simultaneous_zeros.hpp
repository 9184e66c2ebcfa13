// The times of events: functions h(t, y) that vanish at an instant, how their zeros move,
//   δt = -(h_y δy + h_p δp)/ḣ,
// and whether they do so smoothly.
#pragma once

#include <vector>

#include "nsmb/simulation/variation_flow.hpp"
#include "nsmb/simulation/variation_jump.hpp"
#include "nsmb/simulation/variation_record.hpp"

namespace nsmb {

/// One function that vanishes at the instant.
struct EventZero {
  Index contact = -1;
  Index label = -1;        // contacts, then force elements
  Index body = -1;         // what it moves
  bool known = false;      // row and slope are
  bool is_contact = true;  // else a force element
  bool apart = false;  // moves other bodies than the first one does, which is as if it came alone
  Vector row;          // (ny + np) h_y, h_p
  Vector time;         // (ny + np) δt by what the part began with
  Vector run_time;     // (ny) by what the run began with, times some number
  double slope = 0.0;  // ḣ
};

class SimultaneousZeros {
 public:
  /// The flow gives influences between bodies, `jump` the directions in which contacts act.
  SimultaneousZeros(VariedSystems& systems, const FrozenChoices& frozen, VariationFlow& flow,
                    const VariationJump& jump);

  void clear() { count_ = 0; }
  std::size_t count() const { return count_; }
  const EventZero& operator[](std::size_t k) const { return zeros_[k]; }
  /// The first of which δt is known; nullptr: none.
  const EventZero* first_known() const;
  bool all_known() const;
  /// Of the first one; -1: there is none.
  Index label() const { return count_ > 0 ? zeros_[0].label : -1; }
  /// Is velocity j one of the body that a zero moves?
  bool moves(const EventZero& zero, Index j) const {
    return bodies_[static_cast<std::size_t>(j)] == zero.body;
  }

  /// h_y, h_p and ḣ of an indicator that has just vanished; ẏ = `rate`.
  void add(double t, const ConstVectorRef& y, const Vector& rate, const Indicator& indicator);
  /// The same of a function of the user.
  void add(double t, const ConstVectorRef& y, const Vector& rate, const TimedFunction& f);
  /// An instant whose time is given: that of `place`, which parameters move, or a fixed one.
  void add_given_time(const Discontinuity& place);
  void add_fixed_time();
  /// Contacts that are struck because they touch within the tolerance vanish at a time of their
  /// own.
  void add_joint_impacts(double t, const ConstVectorRef& y, const Vector& rate,
                         const Transition& transition);
  /// Times of the zeros over the part, with its factor Y, and over the run, which was `total` up to
  /// the part, times some number; notes where they have no derivatives.
  void check(double t, const ConstVectorRef& y, const Vector& rate, const Matrix& Y,
             const Matrix& total, VariationRecord& record);

 private:
  EventZero& next();
  void find_times(EventZero& zero, const Matrix& Y);
  double most_by_state(const Vector& times) const;
  double most_by_parameters(const Vector& times) const;
  bool are_one(const EventZero& a, const EventZero& b);
  bool separate(double t, const ConstVectorRef& y, const Vector& rate, std::size_t k);
  void find_bodies(double t, const ConstVectorRef& y, const Vector& rate);
  void join_rows();
  void join_row(Index row);
  void join(Index a, Index b);
  Index body_of(const EventZero& zero) const;

  VariedSystems& systems_;
  const FrozenChoices& frozen_;
  VariationFlow& flow_;
  const VariationJump& jump_;
  std::vector<EventZero> zeros_;
  std::size_t count_ = 0;
  std::vector<Index> bodies_;  // (nu)
  Observation observation_;
  Matrix run_;  // (ny, ny) over the run, times some number
  Matrix J_;    // (ny, ny)
  Vector apart_;
};

}  // namespace nsmb
