// Block Gauss-Seidel over contacts, by colours: contacts of one colour share no body (no entry of
// A), so that what they do does not depend on their order, nor on who does it.
//
// A sweep leads from x̄_k to x_k; the next one begins at x̄_{k+1} = x_k + β_k (x_k - x_{k-1}) with
// Nesterov's β_k, and at x_k where the last sweep led back, or moved further than the one before.
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

  SweepPlan plan;       // of the system at hand
  Vector v;             // velocities of the bodies
  Vector begin;         // where the sweep began
  Vector last, v_last;  // what the sweep before found
  std::unique_ptr<SweepTeam> team;
};

struct SweepOptions {
  long max_sweeps = 1000;
  long check_every = 10;
  // Stop where at the pace of the last half of them the limit does not suffice by far.
  bool foresees = false;
  int threads = 1;
};

/// Sweeps from x by scratch.plan, until the judge is content, stops, or the limit; true: solved.
bool run_sweeps(const ContactSystem& system, const SweepOptions& options, FrictionJudge& judge,
                SweepScratch& scratch, Vector& x);

}  // namespace nsmb::internal
