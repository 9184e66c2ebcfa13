// Times of events: functions h(t, y) that vanish at an instant, how their zeros move,
//   δt = -(h_y δy + h_p δp)/ḣ,
// and whether they move smoothly.
#pragma once

#include <vector>

#include "nsmb/simulation/variation_flow.hpp"
#include "nsmb/simulation/variation_jump.hpp"
#include "nsmb/simulation/variation_record.hpp"

namespace nsmb {

/// A function that vanishes at the instant.
struct EventZero {
  Index contact = -1;
  Index label = -1;        // index of the contact, or nc + that of the force element
  Index body = -1;         // the body that it moves
  bool known = false;      // row and slope are known
  bool is_contact = true;  // false for force elements and functions
  bool apart = false;      // moves other bodies than the first zero, as if it came alone
  Vector row;              // (ny + np), h_y and h_p
  Vector time;             // (ny + np), δt with respect to the start of the part
  Vector run_time;         // (ny), δt with respect to the start of the run, up to a factor
  double slope = 0.0;      // ḣ
};

class SimultaneousZeros {
 public:
  /// `flow` gives the influences between bodies, `jump` the directions in which contacts act.
  SimultaneousZeros(VariedSystems& systems, const FrozenChoices& frozen, VariationFlow& flow,
                    const VariationJump& jump);

  void clear() { count_ = 0; }
  std::size_t count() const { return count_; }
  const EventZero& operator[](std::size_t k) const { return zeros_[k]; }
  /// Return the first zero whose δt is known, or nullptr.
  const EventZero* first_known() const;
  bool all_known() const;
  /// Return the label of the first zero, or -1.
  Index label() const { return count_ > 0 ? zeros_[0].label : -1; }
  /// Return true if velocity j belongs to the body that a zero moves.
  bool moves(const EventZero& zero, Index j) const {
    return bodies_[static_cast<std::size_t>(j)] == zero.body;
  }

  /// Add h_y, h_p and ḣ of an indicator that has just vanished, with ẏ = `rate`.
  void add(double t, const ConstVectorRef& y, const Vector& rate, const Indicator& indicator);
  /// Add the same for a function of the user.
  void add(double t, const ConstVectorRef& y, const Vector& rate, const TimedFunction& f);
  /// Add an instant at a given time: that of `place`, which parameters move, or a fixed one.
  void add_given_time(const Discontinuity& place);
  void add_fixed_time();
  /// Add contacts that are struck because they touch within the tolerance. Their gaps vanish at
  /// times of their own.
  void add_joint_impacts(double t, const ConstVectorRef& y, const Vector& rate,
                         const Transition& transition);
  /// Compute the times of the zeros over the part, with its factor Y, and over the run. `total` is
  /// the factor of the run up to the part, up to a scalar. Note where there are no derivatives.
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
  Matrix run_;  // (ny, ny) over the run, up to a factor
  Matrix J_;    // (ny, ny)
  Vector apart_;
};

}  // namespace nsmb
