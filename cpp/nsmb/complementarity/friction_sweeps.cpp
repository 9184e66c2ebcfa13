#include "nsmb/complementarity/friction_sweeps.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
/// Threads that share the units of each colour, including the caller. All wait at its end.
class SweepTeam {
 public:
  explicit SweepTeam(int threads) : size_(threads) {
    for (int k = 1; k < threads; ++k) helpers_.emplace_back([this, k] { help(k); });
  }
  ~SweepTeam() {
    leave_.store(true);
    round_.fetch_add(1);
    round_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
  }
  SweepTeam(const SweepTeam&) = delete;
  SweepTeam& operator=(const SweepTeam&) = delete;

  int size() const { return size_; }

  void sweep(const SweepPlan& plan, Vector& x, Vector& v) {
    if (plan.colors() == 0) return;  // nothing to wait for at the end
    plan_ = &plan;
    x_ = &x;
    v_ = &v;
    base_ = done_.load();
    round_.fetch_add(1);
    round_.notify_all();
    work(0);
  }

 private:
  void help(int k) {
    long seen = 0;
    while (true) {
      round_.wait(seen);
      seen = round_.load();
      if (leave_.load()) return;
      work(k);
    }
  }
  void work(int k) {
    Index target = base_;
    // Read once: the last thread to see the end of a sweep might find the plan of another problem.
    const Index colors = plan_->colors();
    for (Index color = 0; color < colors; ++color) {
      const Index begin = plan_->begin(color);
      const Index count = plan_->end(color) - begin;
      for (Index i = begin + count * k / size_; i < begin + count * (k + 1) / size_; ++i) {
        plan_->update(i, *x_, *v_);
      }
      // Counted across sweeps: a late thread must not see the count restart.
      done_.fetch_add(1);
      target += size_;
      // A colour takes microseconds: longer sleeps would cost more than they save.
      for (int spins = 0; done_.load() < target; ++spins) {
        if (spins > kSpins) std::this_thread::yield();
      }
    }
  }

  static constexpr int kSpins = 2000;
  int size_;
  std::vector<std::thread> helpers_;
  std::atomic<long> round_{0};
  std::atomic<Index> done_{0};
  Index base_ = 0;  // done before this sweep
  std::atomic<bool> leave_{false};
  const SweepPlan* plan_ = nullptr;
  Vector* x_ = nullptr;
  Vector* v_ = nullptr;
};

SweepScratch::SweepScratch() = default;
SweepScratch::~SweepScratch() = default;
SweepScratch::SweepScratch(SweepScratch&&) noexcept = default;
SweepScratch& SweepScratch::operator=(SweepScratch&&) noexcept = default;

namespace {

/// Extrapolation to the start of the next sweep.
class SweepPace {
 public:
  /// Return the extrapolation after a sweep from `begin` to x, where the previous one gave `last`.
  double next(const Vector& begin, const Vector& x, const Vector& last) {
    const double moved = (x - begin).squaredNorm();
    const bool leads_back = (begin - x).dot(x - last) > 0.0;
    if (leads_back || moved > tolerances::splitting_tuning::kSweepGrowth * moved_) theta_ = 1.0;
    moved_ = moved;
    const double before = theta_;
    theta_ = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * before * before));
    return (before - 1.0) / theta_;
  }

 private:
  double theta_ = 1.0;
  double moved_ = std::numeric_limits<double>::infinity();
};

}  // namespace

namespace {

/// Decides whether the limit of sweeps can suffice: checked after twenty, forty, eighty, ...
class SweepForesight {
 public:
  explicit SweepForesight(double residual) : residual_(residual) {}

  bool is_hopeless(long sweep, long max_sweeps, const FrictionJudge& judge) {
    if (sweep < next_) return false;
    const double gained = std::log(residual_ / judge.best()) / static_cast<double>(sweep - asked_);
    const double left = std::log(judge.best() / judge.tol());
    residual_ = judge.best();
    asked_ = sweep;
    next_ = 2 * sweep;
    const double sweeps =
        tolerances::automatic_tuning::kForesight * static_cast<double>(max_sweeps);
    return !(gained * (sweeps - static_cast<double>(sweep)) >= left);
  }

 private:
  double residual_;
  long asked_ = 0, next_ = tolerances::automatic_tuning::kFirstSweeps;
};

}  // namespace

bool run_sweeps(const ContactSystem& system, const SweepOptions& options, FrictionJudge& judge,
                SweepScratch& scratch, Vector& x) {
  const MethodClock clock(judge.result(), SparseFrictionMethod::GaussSeidel);
  if (options.threads > 1 && (!scratch.team || scratch.team->size() != options.threads)) {
    scratch.team = std::make_unique<SweepTeam>(options.threads);
  }
  Vector& v = scratch.v;
  system.velocities_of(x, v);
  scratch.last = x;
  scratch.v_last = v;
  SweepPace pace;
  SweepForesight foresight(judge.best());
  for (long sweep = 1; sweep <= options.max_sweeps; ++sweep) {
    if (judge.must_stop() || !judge.may_iterate()) break;
    scratch.begin = x;
    if (options.threads > 1) {
      scratch.team->sweep(scratch.plan, x, v);
    } else {
      const Index places = scratch.plan.begin(scratch.plan.colors());
      for (Index place = 0; place < places; ++place) scratch.plan.update(place, x, v);
    }
    if (!x.allFinite()) return false;
    if (sweep % options.check_every == 0) {
      // Recompute v, so that rounding of the updates does not accumulate.
      system.velocities_of(x, v);
      if (judge.offer(x, SparseFrictionMethod::GaussSeidel)) return true;
      if (options.foresees && foresight.is_hopeless(sweep, options.max_sweeps, judge)) return false;
    }
    const double ahead = pace.next(scratch.begin, x, scratch.last);
    scratch.last.swap(x);
    scratch.v_last.swap(v);
    x = scratch.last + ahead * (scratch.last - x);
    v = scratch.v_last + ahead * (scratch.v_last - v);
  }
  x = scratch.last;
  return judge.offer(x, SparseFrictionMethod::GaussSeidel);
}

}  // namespace nsmb::internal
