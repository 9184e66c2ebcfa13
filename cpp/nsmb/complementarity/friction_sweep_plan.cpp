#include "nsmb/complementarity/friction_sweep_plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

constexpr Index kRecordBody = 6, kRecordRows = 3;

/// Return true if a record can hold the unit and solve_unit would use the law of a record for it.
bool fits_record(const ContactSystem& system, Index c) {
  const ContactUnit& unit = system.unit(c);
  if (!system.split || unit.rows != kRecordRows || unit.part_end - unit.part_begin != 2) {
    return false;
  }
  const FrictionPart& normal = system.part(unit.part_begin);
  const FrictionPart& disc = system.part(unit.part_begin + 1);
  if (normal.kind != FrictionPart::Kind::Normal || disc.dim != 2 || disc.bound != 0.0) return false;
  if (!(system.self_block(c)[0] > tolerances::friction_tuning::kLeastEigenvalue)) return false;
  if (system.H.end(c) - system.H.begin(c) > 2) return false;
  for (Index k = system.H.begin(c); k < system.H.end(c); ++k) {
    if (system.node_size(system.H.group(k)) != kRecordBody) return false;
  }
  return true;
}

using SweepBody = Eigen::Matrix<double, kRecordBody, 1>;
using SweepBlock = Eigen::Matrix<double, kRecordBody, kRecordRows>;

void update_record(const SweepRecord& r, double* x, double* v) {
  double* own = x + r.row;
  const Eigen::Map<const SweepBlock> H_1(r.H[0]), H_2(r.H[1]);
  const bool has_two = r.body[1] >= 0;
  SweepBody v_1 = SweepBody::Zero(), v_2 = SweepBody::Zero();
  if (r.body[0] >= 0) v_1 = Eigen::Map<const SweepBody>(v + r.body[0]);
  if (has_two) v_2 = Eigen::Map<const SweepBody>(v + r.body[1]);
  std::array<double, 3> load, next;
  for (int i = 0; i < 3; ++i) {
    const double y = r.b[i] + (H_1.col(i).cwiseProduct(v_1) + H_2.col(i).cwiseProduct(v_2)).sum();
    next[at(i)] = own[i];
    load[at(i)] = y - r.A[i] * own[0] - r.A[i + 3] * own[1] - r.A[i + 6] * own[2];
  }
  r.law.solve(load.data(), next.data());
  const Eigen::Vector3d step(next[0] - own[0], next[1] - own[1], next[2] - own[2]);
  if (step[0] == 0.0 && step[1] == 0.0 && step[2] == 0.0) return;
  std::copy_n(next.data(), 3, own);
  if (r.body[0] >= 0) Eigen::Map<SweepBody>(v + r.body[0]) = v_1 + H_1.lazyProduct(step);
  if (has_two) Eigen::Map<SweepBody>(v + r.body[1]) = v_2 + H_2.lazyProduct(step);
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

void SweepPlan::assign(const ContactSystem& system) {
  system_ = &system;
  list_readers();
  if (!is_colored()) {
    color_units();
    const BlockMatrix& shared = system.split ? system.H : system.A;
    start_ = shared.start;
    inner_ = shared.inner;
    readers_ = found_readers_;
    split_ = system.split;
  }
  set_records();
}

bool SweepPlan::is_colored() const {
  const BlockMatrix& shared = system_->split ? system_->H : system_->A;
  return split_ == system_->split && start_ == shared.start && inner_ == shared.inner &&
         readers_ == found_readers_;
}

/// List the units whose radii depend on the normal impulse of another unit, in both directions.
void SweepPlan::list_readers() {
  const ContactSystem& system = *system_;
  found_readers_.clear();
  unit_of_row_.resize(at(system.rows()));
  for (Index c = 0; c < system.count(); ++c) {
    std::fill_n(unit_of_row_.begin() + system.unit(c).first, system.unit(c).rows, c);
  }
  for (Index c = 0; c < system.count(); ++c) {
    for (Index p = system.unit(c).part_begin; p < system.unit(c).part_end; ++p) {
      const Index normal = system.part(p).normal;
      if (normal < 0 || unit_of_row_[at(normal)] == c) continue;
      found_readers_.emplace_back(c, unit_of_row_[at(normal)]);
      found_readers_.emplace_back(unit_of_row_[at(normal)], c);
    }
  }
  std::sort(found_readers_.begin(), found_readers_.end());
}

/// List units by the bodies on which they act.
void SweepPlan::list_users() {
  const BlockMatrix& H = system_->H;
  users_first_.assign(at(system_->nodes()) + 1, 0);
  for (const Index g : H.inner) ++users_first_[at(g) + 1];
  std::partial_sum(users_first_.begin(), users_first_.end(), users_first_.begin());
  next_.assign(users_first_.begin(), users_first_.end() - 1);
  users_.resize(H.inner.size());
  for (Index c = 0; c < H.lists(); ++c) {
    for (Index k = H.begin(c); k < H.end(c); ++k) users_[at(next_[at(H.group(k))]++)] = c;
  }
}

/// Colour the units greedily, in their order.
void SweepPlan::color_units() {
  const ContactSystem& system = *system_;
  if (system.split) list_users();
  color_.assign(at(system.count()), -1);
  taken_.clear();  // by colour: the last unit that is adjacent to it
  std::size_t reader = 0;
  for (Index c = 0; c < system.count(); ++c) {
    const auto see = [&](Index other) {
      if (color_[at(other)] >= 0) taken_[at(color_[at(other)])] = c;
    };
    if (system.split) {
      for (Index k = system.H.begin(c); k < system.H.end(c); ++k) {
        const Index g = system.H.group(k);
        for (Index u = users_first_[at(g)]; u < users_first_[at(g) + 1]; ++u) see(users_[at(u)]);
      }
    } else {
      for (Index k = system.A.begin(c); k < system.A.end(c); ++k) see(system.A.group(k));
    }
    for (; reader < found_readers_.size() && found_readers_[reader].first == c; ++reader) {
      see(found_readers_[reader].second);
    }
    const auto free = std::find_if(taken_.begin(), taken_.end(), [c](Index by) { return by != c; });
    color_[at(c)] = static_cast<Index>(free - taken_.begin());
    if (free == taken_.end()) taken_.push_back(-1);
  }
  sort_units(static_cast<Index>(taken_.size()));
}

void SweepPlan::sort_units(Index colors) {
  first_.assign(at(colors) + 1, 0);
  for (const Index color : color_) ++first_[at(color) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  next_.assign(first_.begin(), first_.end() - 1);
  order_.resize(color_.size());
  for (Index c = 0; c < system_->count(); ++c) order_[at(next_[at(color_[at(c)])]++)] = c;
}

void SweepPlan::set_records() {
  const ContactSystem& system = *system_;
  records_.clear();
  record_.assign(order_.size(), -1);
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const Index c = order_[place];
    if (!fits_record(system, c)) continue;
    const ContactUnit& unit = system.unit(c);
    record_[place] = static_cast<Index>(records_.size());
    SweepRecord& r = records_.emplace_back();
    r.row = unit.first;
    std::copy_n(system.b.data() + unit.first, 3, r.b);
    std::copy_n(system.self_block(c), 9, r.A);
    r.law.assign(r.A, system.part(unit.part_begin + 1).mu);
    std::size_t side = 0;
    for (Index k = system.H.begin(c); k < system.H.end(c); ++k, ++side) {
      r.body[side] = system.node_first[at(system.H.group(k))];
      std::copy_n(system.H.entries(k), kRecordBody * kRecordRows, r.H[side]);
    }
  }
}

void SweepPlan::update(Index place, Vector& x, Vector& v) const {
  const Index record = record_[at(place)];
  if (record >= 0) {
    update_record(records_[at(record)], x.data(), v.data());
  } else {
    update_unit(*system_, order_[at(place)], x, v);
  }
}

}  // namespace nsmb::internal
