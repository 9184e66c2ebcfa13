// A part of a run that moves by itself (internal).
#pragma once

#include "nsmb/simulation/event_driven.hpp"

namespace nsmb {

/// A run of its own without samples. It goes one step ahead: between run.t_ and the end of that
/// step its motion is known, so that others can have events there; the step is taken, and its event
/// dealt with, when their turn in time has come.
struct EventDriven::Part {
  Part(SystemPart places_, EventDrivenOptions options, std::shared_ptr<RootFinder> roots,
       const System& whole);

  SystemPart places;
  std::vector<Index> y, tangents;  // places of its y and of its tangential rows
  EventDriven run;
  Vector state;          // (ny) where it was observed last
  bool pending = false;  // a step ahead
  bool decides = false;  // an instant at the end of the last one
  Matrix series;         // of the step ahead, once it was evaluated
  bool knows_series = false;

  /// Where the step ahead ends.
  double end() const { return run.moves_ahead() ? run.phase_->t() : run.t_; }
  /// y at t, not before run.t_ and not behind the end of the step ahead.
  void evaluate(double t, VectorRef result);
  /// What a sample holds of it, as it was observed last, number by number.
  template <typename Visit>
  void visit(const Visit& visit) {
    Observation& o = run.observation_;
    for (double& value : state) visit(value);
    for (const Index column : {Index{kGap}, Index{kGammaN}, Index{kLambdaN}}) {
      for (Index i = 0; i < o.contacts.rows(); ++i) visit(o.contacts(i, column));
    }
    for (Vector* values : {&o.gamma_T, &o.lambda_T, &o.lambda_B, &o.element_gamma, &o.element_force,
                           &run.work_.sample_friction}) {
      for (double& value : *values) visit(value);
    }
    visit(run.work_.sample_drive);
  }
};

/// Of the method that the options name.
std::unique_ptr<Phase> make_phase(const System& system, const EventDrivenOptions& options);

}  // namespace nsmb
