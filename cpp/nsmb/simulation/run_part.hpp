// A part of a run that moves by itself.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/simulation/single_run.hpp"
#include "nsmb/system/division.hpp"

namespace nsmb {

/// A run of its own without samples. It goes one step ahead: between the present of `run` and the
/// end of that step its motion is known, so that others can have events there; the step is taken,
/// and its event dealt with, when their turn in time has come.
struct RunPart {
  RunPart(SystemPart places_, EventDrivenOptions options, std::shared_ptr<RootFinder> roots,
          const System& whole);

  SystemPart places;
  std::vector<Index> y, tangents;  // places of its y and of its tangential rows
  SingleRun run;
  Vector state;            // (ny) where it was observed last
  bool pending = false;    // a step ahead
  bool decides = false;    // an instant at the end of the last one
  bool is_decided = true;  // its contacts are, at the present of `run`
  Matrix series;           // of the step ahead, once it was evaluated
  bool knows_series = false;

  /// Begins where a start was checked last.
  void start_from(double t);
  /// Takes a step ahead, if there is motion left before t_end.
  SimulationStatus prepare(double t_end);
  /// What happens at the end of the step that was taken.
  SimulationStatus decide();

  /// Where the step ahead ends.
  double end() const { return run.moves_ahead() ? run.phase().t() : run.state().t; }
  /// y at t, not before the present of `run` and not behind the end of the step ahead.
  void evaluate(double t, VectorRef result);
  /// `state`, what is observed there, and losses so far.
  void observe(double t);
  /// To the sample of its losses.
  void find_losses(double t);
  /// What a sample holds of it, as it was observed last, number by number.
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

/// Where y of a part stands in that of the whole.
std::vector<Index> places_of_y(const SystemPart& part, const System& whole);

}  // namespace nsmb
