// The derivative of a run by its start y₀ and by parameters p: variational equations along the
// phases, and at instants, with the jump y⁺ = J(t, y) at the zero of an indicator h(t, y),
//   δẏ = f_y δy + f_p δp,      δt = -(h_y δy + h_p δp)/ḣ,
//   δy⁺ = J_y δy + J_p δp + (J_y f⁻ + J_t - f⁺) δt.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "nsmb/simulation/gauss_collocation.hpp"
#include "nsmb/simulation/jump.hpp"
#include "nsmb/simulation/neighbours.hpp"
#include "nsmb/simulation/phase.hpp"

namespace nsmb {

/// One parameter: the system with two values of it. One of them may be the system itself.
struct ParameterShift {
  std::shared_ptr<const System> plus, minus;
  double distance = 0.0;  // between the two values
};

/// Why a derivative does not exist, or is not known.
enum class VariationNote : std::int8_t {
  Grazing,       // the indicator has a zero without slope: the time of the event no derivative
  Simultaneous,  // zeros that coincide here and beside this motion do not
  Edge,          // the impact law changes between two of its pieces
  Unknown,       // an instant without a function whose zero it is
};

/// Flat, row-major tables. A part ends behind an instant with events, or where advance() ended.
struct VariationRecord {
  std::vector<double> t;               // (k)
  std::vector<std::uint8_t> is_event;  // (k)
  std::vector<double> factors;         // (k, ny, ny + np) ∂y/∂(y behind the part before, p)
  std::vector<double> flows;           // (k, ny, ny) the same before the instant, of y alone
  std::vector<double> time_factors;    // (k, ny + np) the same of the time of the event
  std::vector<double> rate;            // (k + 1, ny) ẏ behind the start and behind each part
  std::vector<std::int32_t> lost;      // (k) directions of motion that ended there
  std::vector<double> note_t;
  std::vector<std::int8_t> note_kind;      // VariationNote
  std::vector<std::int32_t> note_contact;  // contacts, then force elements; -1: none
};

/// The distance of the two values over the size of the parameter, as central differences like it.
inline constexpr double kShift = 1.2e-5;

/// y behind an effect, of (t, y).
using EffectMap = std::function<void(double, const ConstVectorRef&, VectorRef)>;

using PhaseFactory = std::function<std::unique_ptr<Phase>(const System&)>;

/// Follows a run from outside: the run is the same with and without it.
class Variation {
 public:
  Variation(const System& system, const TransitionOptions& options, const PhaseFactory& make_phase,
            std::vector<ParameterShift> shifts);

  Index parameters() const { return static_cast<Index>(shifts_.size()); }
  const VariationRecord& record() const { return record_; }

  void reset();
  /// Drop the parts so far; the last rate becomes the first.
  void forget();
  /// Along the last step of `phase`, as it stands after a location.
  void step(const Phase& phase);
  /// An instant is about to be decided at (t, y), because `fired` vanished, the first one first.
  void before(double t, const ConstVectorRef& y, const Phase& phase,
              const std::vector<Indicator>& fired);
  /// Values of the inputs from now on, before the run begins.
  void set_inputs(const ConstVectorRef& values);
  /// Likewise at the instant that before() was told of: its time is given.
  void take_inputs(const ConstVectorRef& values);
  /// The equations from now on are those between these discontinuities.
  void set_span(const Discontinuity& from, const Discontinuity& to);
  /// Likewise, at the instant that before() was told of: its time is that of `from`.
  void cross_into(const Discontinuity& from, const Discontinuity& to);
  /// At that instant f vanished, or its time was given: an event of the user.
  void add_user_zero(double t, const ConstVectorRef& y, const TimedFunction& f);
  void add_fixed_time();
  /// What was done to y before the contacts were decided: the derivative of `effect` at (t, y) by
  /// differences.
  void follow_effect(double t, const ConstVectorRef& y, const EffectMap& effect);
  /// That is not known.
  void doubt_effect(double t) { note(t, VariationNote::Unknown, -1); }
  /// An event without effect: a part ends.
  void pass(double t, const ConstVectorRef& y, const Phase& phase,
            const std::vector<TimedFunction>& functions);
  /// It has been decided, or the run begins. `y` as it was before the instant.
  void behind(double t, const ConstVectorRef& y, const Transition& transition,
              const ElementModes& modes, const ContactFeatures& features,
              const ConstVectorRef& y_plus);
  /// A part ends at the present (t, y).
  void end_part(double t, const ConstVectorRef& y, bool is_event);
  /// A part ends at an instant that could not be decided: its derivative is not known.
  void abandon(double t);
  /// A part ends where a function of the system threw; the run may go on from there.
  void break_off(double t);

 private:
  // A system with the frozen equations and the jumps of the run.
  struct Follower {
    Follower(const System& s, const TransitionOptions& options, const PhaseFactory& make_phase);
    const System& system;
    std::unique_ptr<Phase> phase;
    JumpMechanics mechanics;
  };
  struct Zero {
    Index contact = -1;
    Index label = -1;        // contacts, then force elements
    Index body = -1;         // of bodies_
    bool known = false;      // row and slope are
    bool is_contact = true;  // else a force element
    bool apart = false;  // moves other bodies than the first one does, which is as if it came alone
    Vector row;          // (ny + np) h_y, h_p
    Vector time;         // (ny + np) δt by what the part began with
    Vector run_time;     // (ny) by what the run began with, times some number
    double slope = 0.0;  // ḣ
  };

  // variation_flow.cpp
  void multiply_exponential(double h, MatrixRef Y);
  void propagate_linear(double t, double h, const Phase& phase);
  void propagate(double t, double h, const Phase& phase);
  void state_on_step(double t, const Phase& phase, VectorRef y) const;
  double slip_step(Index component) const;
  void jacobian(double t, const ConstVectorRef& y, MatrixRef J);
  void parameter_rates(double t, const ConstVectorRef& y, MatrixRef B);
  int parts_of_step(double h);

  // variation_zeros.cpp
  void add_zero(double t, const ConstVectorRef& y, const Indicator& indicator);
  void add_given_time(const Discontinuity& place);
  Zero& next_zero();
  void add_joint_impacts(double t, const ConstVectorRef& y, const Transition& transition);
  void find_bodies(double t, const ConstVectorRef& y);
  Index body_of(const Zero& zero) const;
  void separate(double t, const ConstVectorRef& y, std::size_t k);
  void check_zeros(double t, const ConstVectorRef& y);

  // variation_jump.cpp
  void decide(const Transition& transition, const ElementModes& modes,
              const ContactFeatures& features);
  void differentiate_jump(double t, const ConstVectorRef& y);
  void differentiate_walls(double t, const ConstVectorRef& y);

  void cross(double t);
  void freeze(const FrozenRoles& roles, const ElementModes& modes, const ContactFeatures& features);
  void count_lost(const FrozenRoles& roles);
  void start_factor();
  void close_part(double t, bool is_event);
  void note(double t, VariationNote kind, Index label);

  const System& system_;
  std::vector<ParameterShift> shifts_;
  Index n_, m_;  // ny, ny + np
  bool constant_, plain_rates_;
  Follower own_;
  Jump jump_;
  JumpMechanics other_side_;  // the system itself beside own_
  std::vector<std::unique_ptr<Follower>> plus_, minus_;
  VariationRecord record_;

  bool begun_ = false;
  FrozenRoles roles_;  // and modes and features, as they are frozen
  ElementModes modes_;
  ContactFeatures features_;
  InstantDecisions decisions_;
  bool smooth_ = true;  // as far as the impacts of the instant are concerned
  bool jumps_ = false;  // the instant is more than a change of equations
  Neighbours near_;
  Matrix Y_;                             // (ny, ny + np) since the end of the last part
  Matrix flow_;                          // (ny, ny) where the instant began that is decided
  Matrix total_;                         // (ny, ny) up to there, times some number
  Vector dt_;                            // (ny + np) of the last event
  Vector f_minus_, f_plus_, jump_rate_;  // ẏ before and behind, J_y f⁻ + J_t
  Matrix J_y_;                           // (ny, ny + np) J_y, J_p
  Matrix E_y_;                           // (ny, ny) of an effect
  bool acts_ = false;                    // there is one
  std::vector<Zero> zeros_;
  std::size_t zero_count_ = 0;
  std::vector<Index> rows_;
  std::vector<Index> bodies_;  // (nu)
  Index lost_ = 0;
  Observation observation_;

  // Scratch.
  Vector y_, side_, other_, difference_;
  Matrix next_, scaled_, term_, before_step_;
  bool has_constant_jacobian_ = false;  // constant_jacobian_ is that of the frozen state
  Matrix constant_jacobian_;
  Matrix J_;  // (ny, ny)
  GaussCollocation collocation_;
};

}  // namespace nsmb
