#include "nsmb/stepping/missed_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/stepping/coupled_groups.hpp"
#include "nsmb/stepping/plastic_lock.hpp"

namespace nsmb {

namespace {

// Largest number of velocities of a group to be locked. The cost grows with its third power.
constexpr Index kMostLocked = 150;

// The dense problem of one group, and the transfer of its solution.
class MissedGroup {
 public:
  MissedGroup(const SetProblem& problem, const std::vector<Index>& velocities,
              const std::vector<std::size_t>& blocks)
      : problem_(problem), velocities_(velocities) {
    for (const std::size_t k : blocks) {
      ContactBlock block = problem.problem().blocks[k];
      for (Index row = block.first; row < block.first + block.rows(); ++row) rows_.push_back(row);
      block.first = static_cast<Index>(rows_.size()) - block.rows();
      contacts_.blocks.push_back(block);
    }
    contacts_.gamma_free = pick(problem.start() + problem.free_change());
    contacts_.given = pick(problem.given());
  }

  const CoupledContacts& contacts() const { return contacts_; }
  Vector pick(const Vector& from) const { return from(rows_); }

  void find_matrices() {
    const SparseFrictionProblem& p = problem_.problem();
    std::vector<Index> place(at(p.M.rows()), -1);
    for (std::size_t k = 0; k < velocities_.size(); ++k) {
      place[at(velocities_[k])] = static_cast<Index>(k);
    }
    const auto gather = [&](const SparseMatrix& from, const std::vector<Index>& columns,
                            Matrix& to) {
      to.setZero(static_cast<Index>(velocities_.size()), static_cast<Index>(columns.size()));
      for (std::size_t k = 0; k < columns.size(); ++k) {
        for (SparseMatrix::InnerIterator entry(from, columns[k]); entry; ++entry) {
          to(place[at(entry.row())], static_cast<Index>(k)) = entry.value();
        }
      }
    };
    gather(p.M, velocities_, contacts_.M);
    gather(p.H, rows_, contacts_.W);
  }

  void put(const PlasticLock& lock, SparseFrictionResult& result) const {
    result.v(velocities_) = problem_.free()(velocities_) + lock.change;
    result.x(rows_) = lock.Lambda;
    result.y(rows_) =
        contacts_.gamma_free + contacts_.W.transpose() * lock.change + contacts_.given;
  }

  void brake(const Vector& Lambda, const Vector& gamma, SparseFrictionResult& result) const {
    const Vector change = gamma - contacts_.gamma_free;
    const double share = braking_share(contacts_, Lambda, gamma);
    const Vector v_free = problem_.free()(velocities_);
    const Vector v = result.v(velocities_);
    result.v(velocities_) = v_free + share * (v - v_free);
    result.x(rows_) = share * Lambda;
    result.y(rows_) = contacts_.gamma_free + share * change + contacts_.given;
  }

 private:
  const SetProblem& problem_;
  const std::vector<Index>& velocities_;
  std::vector<Index> rows_;
  CoupledContacts contacts_;
};

// Start without impulses where the solver has no point at all.
void start_from_nothing(const SetProblem& problem, SparseFrictionResult& result) {
  result.x.setZero(problem.given().size());
  result.v = problem.free();
  result.y = problem.start() + problem.free_change() + problem.given();
}

StepVerdict settle_group(MissedGroup& group, bool is_large, SparseFrictionResult& result,
                         double& left) {
  const Vector Lambda = group.pick(result.x);
  const Vector gamma = group.pick(result.y) - group.contacts().given;
  if (are_acceptable(group.contacts(), Lambda, gamma)) return StepVerdict::Missed;
  if (is_large) {
    group.brake(Lambda, gamma, result);
    return StepVerdict::Missed;
  }
  group.find_matrices();
  const PlasticLock locked = lock(group.contacts(), Lambda);
  if (!locked.holds) {
    group.brake(Lambda, gamma, result);
    return StepVerdict::Unsolved;
  }
  group.put(locked, result);
  if (!locked.certified) return StepVerdict::Locked;
  left = locked.residual;
  return StepVerdict::Solved;
}

}  // namespace

StepVerdict settle_missed(const SetProblem& problem, const FrictionMeasure& measure, double tol,
                          SparseFrictionResult& result) {
  const SparseFrictionProblem& p = problem.problem();
  const bool is_known = result.x.allFinite() && result.v.allFinite();
  if (!is_known) start_from_nothing(problem, result);
  const Vector misses = is_known ? sparse_friction_misses(p, result.x, measure)
                                 : Vector::Ones(static_cast<Index>(p.blocks.size())).eval();
  CoupledGroups groups;
  groups.assign(p, std::vector<Index>(p.blocks.size(), 0));
  Vector of_group = Vector::Zero(static_cast<Index>(groups.count()));
  for (std::size_t k = 0; k < p.blocks.size(); ++k) {
    const double miss = misses(static_cast<Index>(k));
    of_group(static_cast<Index>(groups.of_block(k))) += miss * miss;
  }
  StepVerdict verdict = StepVerdict::Solved;
  std::vector<Index> velocities;
  std::vector<std::size_t> blocks;
  for (std::size_t g = 0; g < groups.count(); ++g) {
    double left = std::sqrt(of_group(static_cast<Index>(g)));
    if (!(left > tol)) continue;
    groups.list(g, velocities, blocks);
    MissedGroup group(problem, velocities, blocks);
    const bool is_large = static_cast<Index>(velocities.size()) > kMostLocked;
    const StepVerdict own =
        is_large && !is_known ? StepVerdict::Unsolved : settle_group(group, is_large, result, left);
    of_group(static_cast<Index>(g)) = left * left;
    verdict = worse(verdict, own);
  }
  result.residual = std::sqrt(of_group.sum());
  return verdict;
}

}  // namespace nsmb
