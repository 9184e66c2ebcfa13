// Block Gauss-Seidel over contacts, by colours. Contacts of one colour share no body (no entry of
// A), so that results do not depend on their order nor on the number of threads.
//
// A sweep leads from x̄_k to x_k. The next one starts at x̄_{k+1} = x_k + β_k (x_k - x_{k-1}) with
// Nesterov's β_k. It starts at x_k if the last sweep moved backwards, or further than the one
// before.
#pragma once

#include <memory>

#include "nsmb/complementarity/friction_judge.hpp"
#include "nsmb/complementarity/friction_sweep_plan.hpp"

namespace nsmb::internal {

class SweepTeam;

struct SweepScratch {
  SweepScratch();
  ~SweepScratch();
  SweepScratch(SweepScratch&&) noexcept;
  SweepScratch& operator=(SweepScratch&&) noexcept;

  SweepPlan plan;       // of the current system
  Vector v;             // velocities of the bodies
  Vector begin;         // start of the sweep
  Vector last, v_last;  // result of the previous sweep
  std::unique_ptr<SweepTeam> team;
};

struct SweepOptions {
  long max_sweeps = 1000;
  long check_every = 10;
  // Stop if, at the rate of the last half of the sweeps, the limit is far from sufficient.
  bool foresees = false;
  int threads = 1;
};

/// Sweep from x by scratch.plan until the judge accepts or stops, or the limit is reached. Return
/// true if solved.
bool run_sweeps(const ContactSystem& system, const SweepOptions& options, FrictionJudge& judge,
                SweepScratch& scratch, Vector& x);

}  // namespace nsmb::internal
