#include "nsmb/simulation/joined_equations.hpp"

#include <algorithm>
#include <numeric>

namespace nsmb {

void JoinedEquations::list(const std::vector<Index>& equations, const std::vector<Index>& unknowns,
                           const std::vector<Index>& others) {
  count_ = equations.size();
  if (!cliques_ || !divide(equations, unknowns, others)) {
    blocks_.resize(count_ > 0 ? 1 : 0);
    for (Block& block : blocks_) {
      block.equations = equations;
      block.unknowns = unknowns;
    }
    if (!cliques_) return;
    for (Block& block : blocks_) {
      block.equation_places.resize(count_);
      std::iota(block.equation_places.begin(), block.equation_places.end(), Index{0});
      block.unknown_places = block.equation_places;
    }
  }
  right_.resize(static_cast<Index>(count_));
  lambda_.resize(static_cast<Index>(count_));
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto size = static_cast<Index>(blocks_[b].equations.size());
    if (b == of_blocks_.size()) of_blocks_.emplace_back(size);
    if (of_blocks_[b].right.size() != size) of_blocks_[b] = RowEquations(size);
  }
}

// Divide the equations into blocks. Return false if some block has different numbers of equations
// and unknowns.
bool JoinedEquations::divide(const std::vector<Index>& equations,
                             const std::vector<Index>& unknowns, const std::vector<Index>& others) {
  contacts_ = others;
  for (const std::vector<Index>* list : {&equations, &unknowns}) {
    for (const Index row : *list) contacts_.push_back(joined_.contact_of(row));
  }
  joined_.find(contacts_);
  blocks_.resize(static_cast<std::size_t>(joined_.count()));
  for (Block& block : blocks_) {
    for (auto* list :
         {&block.equations, &block.unknowns, &block.equation_places, &block.unknown_places}) {
      list->clear();
    }
  }
  const auto block_of = [&](Index row) -> Block& {
    return blocks_[static_cast<std::size_t>(joined_.of_row(row))];
  };
  for (std::size_t k = 0; k < equations.size(); ++k) {
    block_of(equations[k]).equations.push_back(equations[k]);
    block_of(equations[k]).equation_places.push_back(static_cast<Index>(k));
  }
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    block_of(unknowns[k]).unknowns.push_back(unknowns[k]);
    block_of(unknowns[k]).unknown_places.push_back(static_cast<Index>(k));
  }
  std::erase_if(blocks_, [](const Block& b) { return b.equations.empty() && b.unknowns.empty(); });
  return std::all_of(blocks_.begin(), blocks_.end(), [](const Block& block) {
    return block.equations.size() == block.unknowns.size();
  });
}

void JoinedEquations::substitute() {
  if (count_ == 0) return;
  if (!cliques_) return of_whole_.of(count_).substitute();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    of_blocks_[b].right = right_(blocks_[b].equation_places);
    of_blocks_[b].substitute();
    lambda_(blocks_[b].unknown_places) = of_blocks_[b].lambda;
  }
}

double JoinedEquations::determinant() {
  double product = 1.0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) product *= equations_of(b).lu.determinant();
  return product;
}

}  // namespace nsmb
