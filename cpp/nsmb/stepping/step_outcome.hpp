// The result of a step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nsmb/simulation/run_state.hpp"
#include "nsmb/stepping/contact_table.hpp"

namespace nsmb {

/// The quality with which a step satisfies the contact laws.
enum class StepVerdict : std::int8_t {
  Solved = 0,    // to the required tolerance
  Missed = 1,    // the solver came close, and its best impulses are used
  Unsolved = 2,  // no usable result
  Coarse = 3,    // as Solved, but the shortest step exceeds the allowed error, or a penetration has
                 // not been removed
  Locked = 4,    // the solver failed and contacts have come to rest, see plastic_lock.hpp
};

/// Return the worse verdict.
inline StepVerdict worse(StepVerdict a, StepVerdict b) {
  constexpr StepVerdict kOrder[] = {StepVerdict::Unsolved, StepVerdict::Locked, StepVerdict::Missed,
                                    StepVerdict::Coarse};
  for (const StepVerdict verdict : kOrder) {
    if (a == verdict || b == verdict) return verdict;
  }
  return StepVerdict::Solved;
}

struct StepOutcome {
  explicit StepOutcome(const System& system)
      : end(system),
        Lambda_N(Vector::Zero(system.nc())),
        Lambda_T(Vector::Zero(system.nt())),
        Lambda_B(Vector::Zero(system.nb())),
        friction_loss(Vector::Zero(system.nc())),
        strikes(static_cast<std::size_t>(system.nc()), false),
        u_free(system.nu()) {}

  /// Reset the outcome for a step from `from`.
  void begin(const RunState& from) {
    end = from;
    for (Vector* values : {&Lambda_N, &Lambda_T, &Lambda_B, &friction_loss}) values->setZero();
    impact_loss = drive_work = displaced_work = gain = residual = left_in = 0.0;
    std::fill(strikes.begin(), strikes.end(), false);
    verdict = StepVerdict::Solved;
    missed.clear();
    found.clear();
    jumps = switches = interrupted = false;
    problems = iterations = 0;
    asleep = 0;
  }

  RunState end;
  Vector Lambda_N, Lambda_T, Lambda_B;  // (nc), (nt), (nb) N s, of the whole step
  Vector friction_loss;                 // (nc) J
  double impact_loss = 0.0;             // J, of normal impulses
  double drive_work = 0.0;              // J, of moving contacts and constraints
  double displaced_work = 0.0;          // J, of loads on bodies displaced at the end
  double gain = 0.0;                    // J, energy created by an impact
  std::vector<bool> strikes;            // (nc) contacts that close with an impact
  Vector u_free;                        // (nu) without contact impulses
  StepVerdict verdict = StepVerdict::Solved;
  double residual = 0.0;  // of the laws, relative to the largest velocity
  double left_in = 0.0;   // m, penetration of contacts left by a projection at the end
  // Contacts of unsolved problems: i of the description, or nc + k of `found`.
  std::vector<Index> missed;
  FoundContacts found;       // contacts between shapes, for trial steps
  bool jumps = false;        // velocities jump by an impact
  bool switches = false;     // contacts have changed, or their states have
  bool interrupted = false;  // the step was interrupted and has no end
  long problems = 0, iterations = 0;
  long asleep = 0;  // cliques that the step skips

  /// Record the penetration left in contacts in m, and mark the step if it exceeds `allowed`.
  void judge_depth(double deepest, double allowed) {
    left_in = deepest;
    if (deepest > allowed) verdict = worse(verdict, StepVerdict::Coarse);
  }

  bool has_impact() const {
    for (const bool strike : strikes) {
      if (strike) return true;
    }
    return false;
  }
};

}  // namespace nsmb
