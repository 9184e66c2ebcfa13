#include "nsmb/complementarity/friction_sweeps.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "nsmb/complementarity/friction_unit.hpp"
#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

/// What units must not share with others of their colour: bodies, or columns of A. Radii that ask
/// for the normal impulse of another unit share that one.
void list_shared(const ContactSystem& system, std::vector<std::vector<Index>>& users) {
  users.assign(at(system.split ? system.nodes() : 0), {});
  for (Index c = 0; c < (system.split ? system.count() : 0); ++c) {
    for (Index k = system.H.begin(c); k < system.H.end(c); ++k) {
      users[at(system.H.group(k))].push_back(c);
    }
  }
}

std::vector<Index> units_of_rows(const ContactSystem& system) {
  std::vector<Index> unit(at(system.rows()));
  for (Index c = 0; c < system.count(); ++c) {
    std::fill_n(unit.begin() + system.unit(c).first, system.unit(c).rows, c);
  }
  return unit;
}

void update_unit(const ContactSystem& system, Index c, Vector& x, Vector& v) {
  std::array<double, ContactSystem::kMostRows> load{}, next{}, step{};
  const ContactUnit& unit = system.unit(c);
  const double* A = system.self_block(c);
  system.relative_velocity(c, x, v, load.data());
  for (Index j = 0; j < unit.rows; ++j) {
    const double x_j = x[unit.first + j];
    next[at(j)] = x_j;
    for (Index i = 0; i < unit.rows; ++i) load[at(i)] -= A[i + unit.rows * j] * x_j;
  }
  solve_unit(system, c, load.data(), x, next.data());
  for (Index i = 0; i < unit.rows; ++i) {
    step[at(i)] = next[at(i)] - x[unit.first + i];
    x[unit.first + i] = next[at(i)];
  }
  if (system.split) system.add_velocities(c, step.data(), v);
}

}  // namespace

/// Threads that take a share of each colour, the caller among them; all wait at its end.
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

  void sweep(const ContactSystem& system, const SweepScratch& scratch, Vector& x, Vector& v) {
    system_ = &system;
    scratch_ = &scratch;
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
    const auto colors = static_cast<Index>(scratch_->first.size()) - 1;
    Index target = base_;
    for (Index color = 0; color < colors; ++color) {
      const Index begin = scratch_->first[at(color)];
      const Index count = scratch_->first[at(color) + 1] - begin;
      for (Index i = begin + count * k / size_; i < begin + count * (k + 1) / size_; ++i) {
        update_unit(*system_, scratch_->order[at(i)], *x_, *v_);
      }
      // Counted on from sweep to sweep: who is late must not see it begin anew.
      done_.fetch_add(1);
      target += size_;
      // A colour takes microseconds: longer sleeps than that would cost more than they save.
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
  const ContactSystem* system_ = nullptr;
  const SweepScratch* scratch_ = nullptr;
  Vector* x_ = nullptr;
  Vector* v_ = nullptr;
};

SweepScratch::SweepScratch() = default;
SweepScratch::~SweepScratch() = default;
SweepScratch::SweepScratch(SweepScratch&&) noexcept = default;
SweepScratch& SweepScratch::operator=(SweepScratch&&) noexcept = default;

void color_units(const ContactSystem& system, SweepScratch& scratch) {
  std::vector<std::vector<Index>> users;
  list_shared(system, users);
  const std::vector<Index> unit_of = units_of_rows(system);
  std::vector<std::vector<Index>> extra(at(system.count()));  // by way of radii
  for (Index c = 0; c < system.count(); ++c) {
    for (Index p = system.unit(c).part_begin; p < system.unit(c).part_end; ++p) {
      const Index normal = system.part(p).normal;
      if (normal < 0 || unit_of[at(normal)] == c) continue;
      extra[at(c)].push_back(unit_of[at(normal)]);
      extra[at(unit_of[at(normal)])].push_back(c);
    }
  }
  std::vector<Index> color(at(system.count()), -1);
  std::vector<Index> taken;  // by colour: the unit that saw it last
  std::vector<Index> sizes;
  for (Index c = 0; c < system.count(); ++c) {
    const auto see = [&](Index other) {
      if (color[at(other)] >= 0) taken[at(color[at(other)])] = c;
    };
    if (system.split) {
      for (Index k = system.H.begin(c); k < system.H.end(c); ++k) {
        for (const Index other : users[at(system.H.group(k))]) see(other);
      }
    } else {
      for (Index k = system.A.begin(c); k < system.A.end(c); ++k) see(system.A.group(k));
    }
    for (const Index other : extra[at(c)]) see(other);
    const auto free = std::find_if(taken.begin(), taken.end(), [c](Index by) { return by != c; });
    color[at(c)] = static_cast<Index>(free - taken.begin());
    if (free == taken.end()) {
      taken.push_back(-1);
      sizes.push_back(0);
    }
    ++sizes[at(color[at(c)])];
  }
  scratch.first.assign(1, 0);
  for (const Index size : sizes) scratch.first.push_back(scratch.first.back() + size);
  scratch.order.resize(at(system.count()));
  std::vector<Index> next(scratch.first.begin(), scratch.first.end() - 1);
  for (Index c = 0; c < system.count(); ++c) scratch.order[at(next[at(color[at(c)])]++)] = c;
}

namespace {

/// How far ahead the next sweep begins.
class SweepPace {
 public:
  /// Of the sweep that led from `begin` to x, behind one that found `last`.
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
  double before = judge.best();
  for (long sweep = 1; sweep <= options.max_sweeps; ++sweep) {
    if (judge.must_stop() || !judge.may_iterate()) break;
    scratch.begin = x;
    if (options.threads > 1) {
      scratch.team->sweep(system, scratch, x, v);
    } else {
      for (const Index c : scratch.order) update_unit(system, c, x, v);
    }
    if (!x.allFinite()) return false;
    if (sweep % options.check_every == 0) {
      // Rounding of the updates does not pile up.
      system.velocities_of(x, v);
      if (judge.offer(x, SparseFrictionMethod::GaussSeidel)) return true;
      if (options.stall > 0.0 && judge.residual() > options.stall * before) return false;
      before = judge.residual();
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
