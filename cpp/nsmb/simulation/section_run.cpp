#include "nsmb/simulation/section_run.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/monitor_clock.hpp"

namespace nsmb {

namespace {

// Rows kept before they are dropped. This keeps tables small at no cost.
constexpr std::size_t kMostRows = 4096;

void append(std::vector<double>& table, const double* begin, Index count) {
  table.insert(table.end(), begin, begin + count);
}

void add_to_last(std::vector<double>& table, const double* values, Index count) {
  for (Index k = 0; k < count; ++k)
    table[table.size() - static_cast<std::size_t>(count - k)] += values[k];
}

class Iteration {
 public:
  Iteration(Simulation& run, const SectionOptions& options, SectionPoints& points)
      : run_(run), system_(run.system()), options_(options), points_(points) {}

  // Add the events from row `first` on that belong to the section, as one point. Return true if
  // there is one.
  bool add_events(std::size_t first) {
    const EventTable& r = run_.trajectory().events;
    bool found = false;
    for (std::size_t k = first; k < r.t.size(); ++k) {
      if (!belongs(k)) continue;
      const Index nq = system_.nq(), nu = system_.nu(), nx = system_.nx();
      const double* q = r.q.row(k);
      const double* u_minus = r.u_minus.row(k);
      const double* Lambda_N = r.Lambda_N.row(k);
      const double* Lambda_T = r.Lambda_T.row(k);
      if (found) {
        add_to_last(points_.Lambda_N, Lambda_N, system_.nc());
        add_to_last(points_.Lambda_T, Lambda_T, system_.nt());
        continue;
      }
      found = true;
      points_.t.push_back(r.t[k]);
      append(points_.y_minus, q, nq);
      append(points_.y_minus, u_minus, nu);
      append(points_.y_minus, r.x.row(k), nx);
      append(points_.Lambda_N, Lambda_N, system_.nc());
      append(points_.Lambda_T, Lambda_T, system_.nt());
    }
    // This is the state after all impacts and rests of the instant.
    if (found) append(points_.y_plus, run_.y().data(), system_.ny());
    return found;
  }

  void add_time() {
    points_.t.push_back(run_.t());
    append(points_.y_minus, run_.y().data(), system_.ny());
    append(points_.y_plus, run_.y().data(), system_.ny());
    points_.Lambda_N.resize(points_.Lambda_N.size() + static_cast<std::size_t>(system_.nc()), 0.0);
    points_.Lambda_T.resize(points_.Lambda_T.size() + static_cast<std::size_t>(system_.nt()), 0.0);
  }

  void limit_memory() {
    const Trajectory& r = run_.trajectory();
    if (!options_.keep && (r.samples.rows() > kMostRows || r.steps.rows() > kMostRows))
      run_.forget();
  }

 private:
  bool belongs(std::size_t k) const {
    const EventTable& r = run_.trajectory().events;
    if (options_.kind && r.kind[k] != static_cast<std::int8_t>(*options_.kind)) return false;
    const std::size_t nc = static_cast<std::size_t>(system_.nc());
    return options_.contact < 0 ||
           r.contacts[k * nc + static_cast<std::size_t>(options_.contact)] != 0;
  }

  Simulation& run_;
  const System& system_;
  const SectionOptions& options_;
  SectionPoints& points_;
};

void check_options(const SectionOptions& options, const System& system) {
  if (!(options.period >= 0.0) || std::isinf(options.period)) {
    reject("period", "a number >= 0", to_text(options.period));
  }
  check_finite("t_0", options.t_0);
  check_finite("t_max", options.t_max);
  if (options.count < 1) reject("count", "a number >= 1", std::to_string(options.count));
  if (options.contact < -1 || options.contact >= system.nc()) {
    reject("contact", "an index below " + std::to_string(system.nc()) + " or -1",
           std::to_string(options.contact));
  }
}

// Return the first section time after t. A time that lies after t only by rounding counts as
// passed.
double next_time(const SectionOptions& options, double t) {
  const double passed = std::floor((t - options.t_0) / options.period + 1e-9);
  return options.t_0 + (passed + 1.0) * options.period;
}

}  // namespace

SimulationStatus iterate(Simulation& run, const SectionOptions& options, const Monitor& monitor,
                         SectionPoints& points) {
  check_options(options, run.system());
  Iteration iteration(run, options, points);
  const bool timed = options.period > 0.0;
  MonitorClock clock(monitor, 1);
  for (long met = 0; met < options.count;) {
    const double stop = timed ? next_time(options, run.t()) : options.t_max;
    const bool last = stop >= options.t_max;
    const std::size_t known = run.trajectory().events.t.size();
    const SimulationStatus status = run.advance(std::min(stop, options.t_max), !timed, monitor);
    const bool went = status == SimulationStatus::Finished || status == SimulationStatus::Ready;
    if (!went) return status;  // also where an event of the user ended the run
    if (timed && stop <= options.t_max) {
      iteration.add_time();
      ++met;
    } else if (!timed && iteration.add_events(known)) {
      ++met;
    }
    if (last && status == SimulationStatus::Finished && met < options.count) {
      return SimulationStatus::Ready;
    }
    iteration.limit_memory();
    // advance() only checks a clock of its own.
    if (clock.stops(run.t())) return run.interrupt();
  }
  return SimulationStatus::Finished;
}

}  // namespace nsmb
