// Event-driven motion: smooth phases with frozen contact state, joined by instants.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nsmb/simulation/bouncing.hpp"
#include "nsmb/simulation/event_search.hpp"
#include "nsmb/simulation/output_times.hpp"
#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/trajectory.hpp"
#include "nsmb/simulation/transition.hpp"
#include "nsmb/simulation/user_events.hpp"
#include "nsmb/simulation/variation.hpp"
#include "nsmb/simulation/work_book.hpp"

namespace nsmb {

struct EventDrivenOptions {
  /// "auto": the closed-form flow for a linear system, "dp853" for any other. By name:
  /// "linear_flow", or a method of make_integrator().
  std::string integrator = "auto";
  double rtol = 1e-8;
  Vector atol;  // (ny); empty: rtol times the largest value each component has had
  double max_step = std::numeric_limits<double>::infinity();
  TransitionOptions transition;
  double start_tolerance = 1e-9;         // m: a start that penetrates deeper is refused
  long max_events = 10'000'000;          // altogether
  long max_events_per_instant = 10'000;  // without t moving on
  bool dense_output = true;              // keep every step as a polynomial
  double max_memory = 2e9;               // bytes that samples, events and steps may take
  /// Parts of a system that nothing joins move by themselves; without value: where they are many.
  std::optional<bool> divide;
};

/// Where a run stands beside (t, q, u, x).
struct Standing {
  ContactStates states;               // (nc)
  ElementModes modes;                 // (ne)
  std::vector<ContactFeature> slots;  // (nc); empty: contact points are looked for
};

struct SimulationStatistics {
  IntegratorStatistics integrator;
  long events = 0;
  long impacts = 0;
  TransitionCounts counts;     // of the instants
  double impact_loss = 0.0;    // J
  double friction_loss = 0.0;  // J
  double drive_work = 0.0;     // J, of moving contacts and constraints
  double rest_loss = 0.0;      // J, discarded where slow contacts were brought to rest
  long rests = 0;              // how often that was more than rounding
};

class EventDriven {
 public:
  /// Called now and then while a run goes on, with the time reached; false stops the run.
  using Monitor = std::function<bool(double)>;

  /// Throws std::invalid_argument for options out of range. `system` must outlive this object.
  EventDriven(const System& system, EventDrivenOptions options);
  ~EventDriven();

  /// Begin anew. Throws std::invalid_argument for wrong sizes, NaN, or a start that penetrates.
  /// x (nx_own), or (nx) with the places of the walls, which are else at rest or where the mass is.
  void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x);

  /// Begin where another run ended: contacts and force elements are as they were there. x (nx).
  /// Throws std::invalid_argument like reset(), and where what is closed does not touch or moves.
  void resume(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
              const Standing& standing);
  Standing standing() const;

  /// Samples at multiples of `step` after the start, besides those at events; 0: none.
  void set_output_step(double step);
  /// Samples at these increasing times instead.
  void set_output_times(std::vector<double> times);

  /// Run to t_end, or with `one_event` to the next instant with an event if that comes first.
  /// Exceptions of the system leave everything computed so far in place.
  SimulationStatus advance(double t_end, bool one_event, const Monitor& monitor);

  /// The inputs (ni) of the run from its present time on. Where they are others than so far, its
  /// contacts are decided anew when it goes on. reset() gives those of the system.
  void set_inputs(const ConstVectorRef& values);
  const Vector& inputs() const { return outside_.next_inputs; }

  /// Go on with the run of `before`, from where it stands and with all it has left; `before` is to
  /// be reset then. Throws std::invalid_argument where the system is of another shape, or its
  /// contacts or constraints do not admit the state: nothing has changed then.
  void take_over(EventDriven& before);

  /// Follow the derivative of the runs to come, also by parameters. The runs are the same. Throws
  /// std::invalid_argument in the middle of a run, and for systems of another kind.
  void follow_derivative(std::vector<ParameterShift> shifts);
  /// nullptr unless it is followed.
  const Variation* variation() const { return variation_.get(); }

  /// What the user wants to happen in the runs to come. Throws std::invalid_argument in the middle
  /// of a run.
  void watch(std::vector<UserEvent> events);

  /// The parts that move by themselves, none where the system is one.
  std::size_t part_count() const { return parts_.size(); }
  /// By component of y and by contact: the number of the part it belongs to.
  std::vector<std::int32_t> parts_of_y() const;
  std::vector<std::int32_t> parts_of_contacts() const;

  /// Leave the run as one stopped from outside.
  SimulationStatus interrupt();

  /// Drop the samples and events so far, all but a sample of the present; the motion goes on.
  void forget();

  const System& system() const { return system_; }
  double t() const { return t_; }
  const Vector& y() const { return y_; }
  const ContactStates& states() const { return states_; }
  const ElementModes& modes() const { return modes_; }
  /// Matrices of contact states kept by the closed-form flow.
  KeptStates kept_states() const;
  /// Of a run in parts it is made here, from what has come since it was asked for last.
  const Trajectory& trajectory();
  SimulationStatistics statistics() const;
  /// Bytes of samples, events and steps, those to come included.
  double kept_bytes() const;
  /// The contacts at t() are to be decided, which the next advance() does.
  bool is_undecided() const {
    return begun_ ? outside_.next_inputs != outside_.inputs && !is_final(status_)
                  : status_ == SimulationStatus::Ready;
  }
  SimulationStatus status() const { return status_; }
  const std::string& message() const { return message_; }

 private:
  SimulationStatus begin();
  void start_elements(double t, VectorRef y);
  Index find_jump() const;
  SimulationStatus fail_jump(Index contact);
  Index update_features();
  bool ends_margin() const;
  bool search_on_the_way();
  SimulationStatus fail_missed(Index contact);
  void check_constraints() const;
  SimulationStatus step(double t_end, bool& event);
  SimulationStatus look_ahead(double t_end);
  SearchedStep step_ahead() {
    return {*phase_, transition_.indicators(), phase_starts_, t_stop_, t_end_};
  }
  bool take_step();
  SimulationStatus decide();
  // Does the step ahead lead anywhere, or has an indicator crossed zero at its start?
  bool moves_ahead() const { return !fires_ || s_event_ > 0.0; }
  // Is its end an instant, and not only the end of a step?
  bool meets_instant() const {
    return fires_ ? !moves_ahead() || !ends_margin() : phase_->t() >= next_.t;
  }
  SimulationStatus decide_anew();
  SimulationStatus handle_instant(bool record_changes);
  // Events of the user: event_driven_user.cpp.
  bool find_user_event();
  StepStatus locate_user_event();
  bool is_user_due() const { return users_ && users_->is_due(t_); }
  bool ends_at_user_time(double t) const { return users_ && t >= users_->next_time(); }
  SimulationStatus act_in_time(bool& event);
  SimulationStatus act();
  bool counts_instant();
  void apply_effects();
  bool apply_effects_to(EventInstant& instant, bool logs);
  void follow_effects();
  void add_user_rows(bool kept);
  SimulationStatus stop_by_user();
  // Times of discontinuity, and inputs that have changed: event_driven_inputs.cpp.
  void expect_jump(double t);
  bool is_due() const { return next_.t - t_ <= next_.width; }
  SimulationStatus cross(bool& event);
  SimulationStatus enter_next_span();
  bool apply_inputs();
  void begin_with(const Vector& inputs, const std::function<void()>& check);
  void check_changed(const EventDriven& before);
  void check_shape_of(const EventDriven& before) const;
  void remember_inputs();
  bool inputs_changed();
  SimulationStatus run(double t_end, bool one_event, const Monitor& monitor);
  void record_grid(bool include_end);
  void record_sample(double t, const ConstVectorRef& y);
  void commit_step(bool event);
  void complete_samples();
  void observe_failed_start();
  void check_start(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x);
  void check_state(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x) const;
  void check_gap(Index i) const;
  void find_start(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                  const ConstVectorRef& x, const std::vector<ContactFeature>& slots);
  void check_standing(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x, const Standing& standing);
  void stand(const Standing& standing);
  void start_from(double t);
  void clear_run(double t);
  SimulationStatus fail_integration(StepStatus status);
  std::string endless_contacts(double& slowest) const;
  const Bouncing& slowest_bouncing() const;
  SimulationStatus check_limits();
  bool has_room();

  // A system in parts, each with a run of its own: event_driven_parts.cpp, _whole.cpp.
  struct Part;
  EventDriven(const System& system, EventDrivenOptions options, std::shared_ptr<RootFinder> roots);
  void divide();
  void unite();
  void reset_parts(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x);
  SimulationStatus run_parts(double t_end, bool one_event, const Monitor& monitor);
  SimulationStatus move_parts(double t_end, bool one_event, const Monitor& monitor);
  void begin_parts_at(double t);
  SimulationStatus begin_parts();
  SimulationStatus prepare_parts(double t_end);
  SimulationStatus prepare_part(Part& part, double t_end);
  SimulationStatus take_parts(bool& event);
  SimulationStatus decide_parts();
  SimulationStatus fail_part(const Part& part, SimulationStatus status);
  void record_parts_grid(double t_new, bool include_end);
  void record_whole(double t);
  void observe_part(Part& part, double t);
  void observe_parts(double t);
  void collect_part(const Part& part);
  void collect_states(const Part& part);
  void collect_y(double t);
  void take_part_steps(std::size_t k);
  void show_pending_steps();
  void find_losses(Part& part, double t) const;
  bool merge_events();
  void group_events(std::size_t k, std::size_t first_row, std::size_t end_row);
  void count_events();
  void add_whole_events(double t);
  void merge_event(std::size_t slot, double t);
  // Samples and events of the whole are made when they are asked for: event_driven_record.cpp,
  // _tell.cpp.
  struct Record;
  void clear_record();
  void begin_record();
  void find_forgetful(std::size_t k);
  std::size_t keep_view(Part& part);
  void keep_way(std::size_t k);
  void keep_powers(std::size_t k);
  void keep_moment(double t, bool before, const std::vector<std::size_t>& taken);
  void keep_before(double t, bool moves);
  bool keep_events();
  void keep_after(double t);
  void complete_parts();
  void tell();
  void tell_moment(std::size_t m);
  const double* show_view(Part& part, std::size_t place);
  void show_states(const Part& part, const double* numbers);
  void recall(std::size_t k, std::size_t m);

  // What comes from outside: event_driven_inputs.cpp.
  struct Outside {
    explicit Outside(const System& system);
    Vector inputs, next_inputs;    // (ni) so far, and from t_ on
    bool takes_inputs = false;     // at the instant being decided
    bool takes_over = false;       // the run of another system goes on
    SimulationStatistics earlier;  // of its integrator and its instants
    Vector held_rate, rate;        // ẏ where advance() ended, and where it goes on
    Observation held;
    bool holds = false;
  };

  const System& system_;
  EventDrivenOptions options_;
  std::unique_ptr<Phase> phase_;
  Transition transition_;
  std::shared_ptr<RootFinder> roots_;  // shared by the parts
  EventSearch search_;
  Trajectory trajectory_;

  double t_ = 0.0, t_start_ = 0.0;
  Vector y_;
  ContactStates states_;
  Vector next_y_;  // behind the instant being decided
  ContactStates next_states_;
  ElementModes modes_, next_modes_;
  ContactFeatures features_, next_features_;
  Discontinuity last_, next_;  // the equations are those between these two
  bool crosses_ = false;       // from one such span into the next
  Outside outside_;
  bool is_reset_ = false;
  bool resumes_ = false;  // states_ and modes_ are known where the run begins
  bool begun_ = false;
  bool phase_starts_ = true;
  bool phase_valid_ = true;  // the phase stands at (t_, y_)
  OutputTimes output_;

  WorkBook work_;
  Triggers triggers_;
  std::unique_ptr<Variation> variation_;
  std::vector<Indicator> fired_;
  bool part_is_open_ = false;
  bool deciding_ = false;  // an exception has left the instant at t_ undecided
  std::vector<bool> at_rest_;
  Observation observation_;
  Vector sample_y_;
  double t_end_ = 0.0, t_stop_ = 0.0;  // of the run, of the step
  // The step ahead: does it end with an event, and at which part of it?
  bool fires_ = false;
  double s_event_ = 2.0;
  bool leaves_ = false;  // an instant that does not settle
  double last_event_t_ = 0.0;
  long events_at_instant_ = 0;
  long events_ = 0, impacts_ = 0, rests_ = 0;
  Bouncing bouncing_;
  double impact_loss_ = 0.0, rest_loss_ = 0.0;
  SimulationStatus status_ = SimulationStatus::Ready;
  std::string message_;

  std::unique_ptr<UserEvents> users_;
  std::vector<TransitionEvent> user_rows_;
  bool stops_ = false;         // an event of the user ends the run
  bool effects_known_ = true;  // as functions of the instant
  Vector acted_y_;             // y_ behind effects, before the contacts are decided

  bool is_part_ = false;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<double> part_ends_;         // of the steps ahead
  std::vector<std::size_t> idle_parts_;   // without a step ahead
  std::vector<std::size_t> taken_parts_;  // whose steps end at the present instant
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> merged_;  // (part, row) of events
  std::size_t merged_count_ = 0;
  std::unique_ptr<Record> record_;
  std::unique_ptr<TransitionEvent> whole_event_;
  std::vector<std::int32_t> whole_features_;
  std::size_t shown_steps_ = 0;  // steps that are not complete, at the end of the trajectory
};

}  // namespace nsmb
