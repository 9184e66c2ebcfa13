// Part of a run that moves independently.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/simulation/single_run.hpp"
#include "nsmb/system/division.hpp"

namespace nsmb {

/// A run of its own without samples, which is one step ahead. Its motion is known between the
/// current time of `run` and the end of that step, so that other parts can have events there. The
/// step is taken, and its event handled, when its turn in time comes.
struct RunPart {
  RunPart(SystemPart places_, EventDrivenOptions options, std::shared_ptr<RootFinder> roots,
          const System& whole);

  SystemPart places;
  std::vector<Index> y, tangents;  // positions of its y and tangential rows in the whole
  SingleRun run;
  Vector state;            // (ny), as last observed
  bool pending = false;    // there is a pending step
  bool decides = false;    // an instant follows at the end of the last step
  bool is_decided = true;  // the contact states at the current time of `run` are known
  Matrix series;           // of the pending step, once evaluated
  bool knows_series = false;

  /// Start from the state that was checked last.
  void start_from(double t);
  /// Prepare a pending step if there is motion left before t_end.
  SimulationStatus prepare(double t_end);
  /// Resolve the instant at the end of the step that was taken.
  SimulationStatus decide();

  /// Return the time at which the pending step ends.
  double end() const { return run.moves_ahead() ? run.phase().t() : run.state().t; }
  /// Evaluate y at t, between the current time of `run` and the end of the pending step.
  void evaluate(double t, VectorRef result);
  /// Compute `state` at t, its observation, and the losses so far.
  void observe(double t);
  /// Compute the losses so far for a sample.
  void find_losses(double t);
  /// Visit every number that a sample stores, as last observed.
  template <typename Visit>
  void visit(const Visit& visit) {
    Observation& o = run.observation();
    for (double& value : state) visit(value);
    for (const Index column : {Index{kGap}, Index{kGammaN}, Index{kLambdaN}}) {
      for (Index i = 0; i < o.contacts.rows(); ++i) visit(o.contacts(i, column));
    }
    for (Vector* values : {&o.gamma_T, &o.lambda_T, &o.lambda_B, &o.element_gamma, &o.element_force,
                           &run.work().sample_friction}) {
      for (double& value : *values) visit(value);
    }
    visit(run.work().sample_drive);
  }
};

using RunParts = std::vector<std::unique_ptr<RunPart>>;

/// Return the positions of y of a part in y of the whole.
std::vector<Index> places_of_y(const SystemPart& part, const System& whole);

}  // namespace nsmb
