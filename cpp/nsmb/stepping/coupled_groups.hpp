// Bodies that contacts join, and the contacts of each such group.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse.hpp"

namespace nsmb {

/// Workspace.
class CoupledGroups {
 public:
  /// Its bodies must be named; it has to stay where it is. `held` (blocks): rows with a velocity of
  /// their own, all but those of what slides.
  void assign(const SparseFrictionProblem& problem, const std::vector<Index>& held);

  /// Groups are numbered by one of their bodies: those of the others are empty.
  std::size_t count() const { return leader_.size(); }
  std::size_t of_block(std::size_t k) const { return of_block_[k]; }
  /// Block k is in a group that holds more rows than it has velocities: impulses may oppose each
  /// other there without any effect, and so may what is asked of velocities.
  bool is_redundant(std::size_t k) const { return surplus_[of_block_[k]] > 0; }
  /// Its velocities and its blocks.
  void list(std::size_t group, std::vector<Index>& velocities, std::vector<std::size_t>& blocks);

 private:
  Index end_of(std::size_t body) const;
  std::size_t leader(std::size_t body);

  const SparseFrictionProblem* problem_ = nullptr;
  std::vector<std::size_t> body_of_;  // (n)
  std::vector<std::size_t> leader_, of_block_;
  std::vector<Index> surplus_;  // (groups) rows that are held less velocities
};

}  // namespace nsmb
