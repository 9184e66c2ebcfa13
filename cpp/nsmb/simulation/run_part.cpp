#include "nsmb/simulation/run_part.hpp"

#include <algorithm>

#include "nsmb/integration/linear_flow.hpp"

namespace nsmb {

namespace {

std::vector<Index> places_of_tangents(const SystemPart& part, const System& whole) {
  std::vector<Index> tangents;
  for (const Index i : part.contacts) {
    for (Index d = 0; d < whole.rows().dim(i); ++d) tangents.push_back(whole.rows().tangent(i) + d);
  }
  return tangents;
}

}  // namespace

std::vector<Index> places_of_y(const SystemPart& part, const System& whole) {
  std::vector<Index> y = part.q;
  for (const Index i : part.u) y.push_back(whole.nq() + i);
  for (const Index i : part.x) y.push_back(whole.nq() + whole.nu() + i);
  return y;
}

RunPart::RunPart(SystemPart places_, EventDrivenOptions options, std::shared_ptr<RootFinder> roots,
                 const System& whole)
    : places(std::move(places_)),
      y(places_of_y(places, whole)),
      tangents(places_of_tangents(places, whole)),
      run(*places.system, std::move(options), std::move(roots)),
      state(Vector::Zero(places.system->ny())) {}

void RunPart::start_from(double t) {
  run.start_from(t);
  pending = false;
  is_decided = true;
}

SimulationStatus RunPart::prepare(double t_end) {
  if (pending && is_decided) return SimulationStatus::Finished;
  pending = false;
  if (!is_decided) {
    const SimulationStatus status = run.decide_anew();
    if (status != SimulationStatus::Finished) return status;
    is_decided = true;
  }
  if (!(run.state().t < t_end)) return SimulationStatus::Finished;  // waits for the next call
  is_decided = false;                                               // unless it succeeds
  const SimulationStatus status = run.look_ahead(t_end);
  if (status != SimulationStatus::Finished) return status;
  pending = is_decided = true;
  knows_series = false;
  return SimulationStatus::Finished;
}

SimulationStatus RunPart::decide() {
  SimulationStatus status = SimulationStatus::Finished;
  if (decides) status = run.decide();
  if (status == SimulationStatus::Finished && run.is_due()) status = run.enter_next_span();
  is_decided = status == SimulationStatus::Finished;
  return status;
}

// Evaluate the dense output inside the step.
void RunPart::evaluate(double t, VectorRef result) {
  Phase& phase = run.phase();
  if (!pending || t <= run.state().t) {
    result = run.state().y;
  } else if (t >= end()) {
    result = phase.y();
  } else {
    if (!knows_series) series = phase.series().topRows(run.state().y.size());
    knows_series = true;
    const double t_old = phase.integrator().t_old();
    evaluate_series(series, phase.series_degree(), (t - t_old) / (phase.t() - t_old), result);
  }
}

void RunPart::observe(double t) {
  if (!run.has_begun()) {
    run.observe_failed_start();
    state = run.state().y;
  } else {
    evaluate(t, state);
    run.phase().observe(t, state, run.observation());
  }
  find_losses(t);
}

void RunPart::find_losses(double t) {
  WorkIntegrals& work = run.work();
  work.sample_friction = work.friction;
  work.sample_drive = work.drive;
  if (!pending || !(t > run.state().t)) return;
  Phase& phase = run.phase();
  work.find(phase);
  const double t_old = phase.integrator().t_old();
  const double length = phase.t() - t_old;
  const double s = length > 0.0 ? std::min((t - t_old) / length, 1.0) : 0.0;
  work.add_friction(phase, run.state().states, s, work.sample_friction);
  work.sample_drive += work.drive_work(phase, s);
}

}  // namespace nsmb
