#include "nsmb/stepping/coupled_groups.hpp"

#include <algorithm>
#include <numeric>

namespace nsmb {

void CoupledGroups::assign(const SparseFrictionProblem& problem, const std::vector<Index>& held) {
  problem_ = &problem;
  body_of_.resize(at(problem.M.rows()));
  leader_.resize(problem.bodies.size());
  std::iota(leader_.begin(), leader_.end(), std::size_t{0});
  for (std::size_t body = 0; body < leader_.size(); ++body) {
    std::fill(body_of_.begin() + problem.bodies[body], body_of_.begin() + end_of(body), body);
  }
  of_block_.resize(problem.blocks.size());
  for (std::size_t k = 0; k < of_block_.size(); ++k) {
    const ContactBlock& block = problem.blocks[k];
    bool is_first = true;
    for (Index column = block.first; column < block.first + block.rows(); ++column) {
      for (SparseMatrix::InnerIterator entry(problem.H, column); entry; ++entry) {
        const std::size_t body = body_of_[at(entry.row())];
        if (is_first) of_block_[k] = body;
        is_first = false;
        if (body != of_block_[k]) leader_[leader(body)] = leader(of_block_[k]);
      }
    }
  }
  surplus_.assign(leader_.size(), 0);
  for (std::size_t k = 0; k < of_block_.size(); ++k) {
    of_block_[k] = leader(of_block_[k]);
    surplus_[of_block_[k]] += held[k];
  }
  for (std::size_t body = 0; body < leader_.size(); ++body) {
    surplus_[leader(body)] -= end_of(body) - problem.bodies[body];
  }
}

Index CoupledGroups::end_of(std::size_t body) const {
  const std::vector<Index>& bodies = problem_->bodies;
  return body + 1 < bodies.size() ? bodies[body + 1] : problem_->M.rows();
}

std::size_t CoupledGroups::leader(std::size_t body) {
  while (leader_[body] != body) body = leader_[body] = leader_[leader_[body]];
  return body;
}

void CoupledGroups::list(std::size_t group, std::vector<Index>& velocities,
                         std::vector<std::size_t>& blocks) {
  velocities.clear();
  blocks.clear();
  for (std::size_t body = 0; body < leader_.size(); ++body) {
    if (leader(body) != group) continue;
    for (Index row = problem_->bodies[body]; row < end_of(body); ++row) velocities.push_back(row);
  }
  for (std::size_t k = 0; k < of_block_.size(); ++k) {
    if (of_block_[k] == group) blocks.push_back(k);
  }
}

}  // namespace nsmb
