// What a step leads to.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nsmb/simulation/run_state.hpp"
#include "nsmb/stepping/contact_table.hpp"

namespace nsmb {

/// How a step keeps to the laws of contact.
enum class StepVerdict : std::int8_t {
  Solved = 0,    // to the tolerance asked for
  Missed = 1,    // the solver came near: its best impulses are taken
  Unsolved = 2,  // it came to nothing
  Coarse = 3,    // as Solved, but the shortest step has an error above the one asked for, or what
                 // penetrates has not come out
  Locked = 4,    // the solver did not come near: contacts have come to rest, see plastic_lock.hpp
};

/// The one that says more against a step.
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

  /// Nothing has happened yet in a step from there.
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
  double displaced_work = 0.0;          // J, of loads where bodies are put elsewhere at the end
  double gain = 0.0;                    // J, of an impact that created energy
  std::vector<bool> strikes;            // (nc) contacts that close with an impact
  Vector u_free;                        // (nu) without the impulses of contacts
  StepVerdict verdict = StepVerdict::Solved;
  double residual = 0.0;  // of the laws, part of the largest velocity
  double left_in = 0.0;   // m, how deep a projection leaves contacts at the end
  // Contacts of the problems that are not solved: i of the description, or nc + k of `found`.
  std::vector<Index> missed;
  FoundContacts found;       // contacts of shapes, where steps are tried
  bool jumps = false;        // something strikes: velocities jump
  bool switches = false;     // of contacts found: others touch behind it, or in other states
  bool interrupted = false;  // there is no end: the step was not wanted any more
  long problems = 0, iterations = 0;
  long asleep = 0;  // cliques that the step leaves out

  /// Contacts are left this deep, m, where no more than `allowed` is to be.
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
