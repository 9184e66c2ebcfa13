// A system in motion, by whichever method: what all of them share.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "nsmb/simulation/run.hpp"
#include "nsmb/simulation/user_events.hpp"
#include "nsmb/simulation/variation.hpp"

namespace nsmb {

class Simulation {
 public:
  using Monitor = nsmb::Monitor;

  virtual ~Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Begin anew. Throws std::invalid_argument for wrong sizes, NaN, or a start that penetrates.
  /// x (nx_own), or (nx) with the places of the walls, which are else at rest or where the mass is.
  void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x) {
    run_->reset(t, q, u, x);
  }
  /// Begin where another run ended: contacts and force elements are as they were there. x (nx).
  /// Throws std::invalid_argument like reset(), and where what is closed does not touch or moves.
  void resume(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
              const Standing& standing) {
    run_->resume(t, q, u, x, standing);
  }
  Standing standing() const { return run_->standing(); }

  /// Samples at multiples of `step` after the start, besides those at events; 0: none.
  void set_output_step(double step) { run_->output().set_step(step); }
  /// Samples at these increasing times instead.
  void set_output_times(std::vector<double> times) { run_->output().set_times(std::move(times)); }

  /// Run to t_end, or with `one_event` to the next instant with an event if that comes first; a
  /// method of steps takes one step then. Exceptions of the system leave everything computed so far
  /// in place.
  SimulationStatus advance(double t_end, bool one_event, const Monitor& monitor) {
    return run_->advance(t_end, one_event, monitor);
  }

  /// The inputs (ni) of the run from its present time on. Where they are others than so far, its
  /// contacts are decided anew when it goes on. reset() gives those of the system.
  virtual void set_inputs(const ConstVectorRef& values) = 0;
  virtual Vector inputs() const = 0;

  /// Go on with the run of `before`, from where it stands and with all it has left; `before` is to
  /// be reset then. Throws std::invalid_argument where the system is of another shape, or its
  /// contacts or constraints do not admit the state: nothing has changed then.
  virtual void take_over(Simulation& before) = 0;
  /// Begin where `other`, a run of the same system by the same method, stands, with nothing that it
  /// has left. Throws std::invalid_argument where it cannot go on.
  virtual void begin_as(Simulation& other) = 0;
  /// Follow the derivative of the runs to come, also by parameters. The runs are the same. Throws
  /// std::invalid_argument in the middle of a run, for systems of another kind, and for methods
  /// that cannot.
  virtual void follow_derivative(std::vector<ParameterShift> shifts);
  /// nullptr unless it is followed.
  virtual const Variation* variation() const { return nullptr; }
  /// What the user wants to happen in the runs to come. Throws std::invalid_argument in the middle
  /// of a run.
  virtual void watch(std::vector<UserEvent> events) = 0;

  /// The parts that move by themselves, none where the system is one.
  virtual std::size_t part_count() const { return 0; }
  /// By component of y and by contact: the number of the part it belongs to.
  virtual std::vector<std::int32_t> parts_of_y() const { return {}; }
  virtual std::vector<std::int32_t> parts_of_contacts() const { return {}; }

  /// Leave the run as one stopped from outside.
  SimulationStatus interrupt() { return run_->interrupt(); }

  /// What becomes of the rows of this run and those to come; else all of them stay.
  void record(Passing passing) { run_->record(std::move(passing)); }
  /// All rows that have come go on. False: the sink has refused them.
  bool pass_on() { return run_->pass_on(); }

  /// Drop the samples and events so far, all but a sample of the present; the motion goes on.
  void forget() { run_->forget(); }

  const System& system() const { return system_; }
  double t() const { return run_->state().t; }
  const Vector& y() const { return run_->state().y; }
  const ContactStates& states() const { return run_->state().states; }
  const ElementModes& modes() const { return run_->state().modes; }
  /// Matrices of contact states kept by the closed-form flow.
  KeptStates kept_states() const { return run_->kept_states(); }
  /// Of a run in parts it is made here, from what has come since it was asked for last.
  const Recorder& trajectory() { return run_->trajectory(); }
  SimulationStatistics statistics() const { return run_->statistics(); }
  /// Bytes of samples, events and steps, those to come included.
  double kept_bytes() const { return run_->kept_bytes(); }
  /// Stopped for what an effect changes from outside: the run is to go on behind it.
  bool is_paused() const { return run_->is_paused(); }
  /// The contacts at t() are to be decided, which the next advance() does.
  bool is_undecided() const { return run_->is_undecided(); }
  SimulationStatus status() const { return run_->status(); }
  const std::string& message() const { return run_->message(); }

 protected:
  /// Throws std::invalid_argument in the middle of a run.
  void check_not_begun(const char* argument) const;
  /// Throws std::invalid_argument unless `other` is one of the same system that can go on.
  void check_goes_on(const Simulation& other) const;
  /// `system` must outlive this object.
  explicit Simulation(const System& system, std::unique_ptr<Run> run = nullptr)
      : system_(system), run_(std::move(run)) {}

  const System& system_;
  std::unique_ptr<Run> run_;
};

}  // namespace nsmb
