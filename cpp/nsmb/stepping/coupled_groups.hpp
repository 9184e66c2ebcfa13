// Groups of bodies that are connected by contacts, and the contacts of each group.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse.hpp"

namespace nsmb {

/// A workspace that finds groups of connected bodies.
class CoupledGroups {
 public:
  /// Find the groups. The problem must list its bodies and must outlive this object. `held`
  /// (blocks) is the number of rows of each block with an independent velocity: all rows, or only
  /// the normal row if the contact slides.
  void assign(const SparseFrictionProblem& problem, const std::vector<Index>& held);

  /// Return the number of groups. Groups are numbered by one of their bodies, and the other numbers
  /// denote empty groups.
  std::size_t count() const { return leader_.size(); }
  std::size_t of_block(std::size_t k) const { return of_block_[k]; }
  /// Return true if the group of block k holds more rows than it has velocities. Impulses can then
  /// cancel one another without any effect, and the required velocities can contradict one another.
  bool is_redundant(std::size_t k) const { return surplus_[of_block_[k]] > 0; }
  /// List the velocities and the blocks of a group.
  void list(std::size_t group, std::vector<Index>& velocities, std::vector<std::size_t>& blocks);

 private:
  Index end_of(std::size_t body) const;
  std::size_t leader(std::size_t body);

  const SparseFrictionProblem* problem_ = nullptr;
  std::vector<std::size_t> body_of_;  // (n)
  std::vector<std::size_t> leader_, of_block_;
  std::vector<Index> surplus_;  // (groups) number of held rows minus number of velocities
};

}  // namespace nsmb
