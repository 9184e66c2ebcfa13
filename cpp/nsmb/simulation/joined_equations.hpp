// Linear equations of contact rows, in blocks of contacts that interact.
#pragma once

#include <vector>

#include "nsmb/contact_laws/joined_contacts.hpp"
#include "nsmb/simulation/row_equations.hpp"

namespace nsmb {

/// The equations A λ = right for some rows and as many unknown forces.
class JoinedEquations {
 public:
  /// If `cliques` is null there is always one block.
  JoinedEquations(const ContactRows& rows, const Cliques* cliques)
      : cliques_(cliques), joined_(rows, cliques) {}

  /// List the equations and the unknowns by their rows of G, and further contacts that join them.
  void list(const std::vector<Index>& equations, const std::vector<Index>& unknowns,
            const std::vector<Index>& others = {});
  /// Call fill(equations, unknowns, A) for every block, and factorise A. Factors of an unchanged A
  /// are kept.
  template <typename Fill>
  void factorise(const Fill& fill) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      RowEquations& of_block = equations_of(b);
      fill(blocks_[b].equations, blocks_[b].unknowns, of_block.A);
      of_block.factorise();
    }
  }
  /// Compute λ from `right` with the current factors.
  void substitute();
  double determinant();

  /// Return the right-hand side in the order of the equations, and λ in the order of the unknowns.
  Vector& right() { return cliques_ ? right_ : of_whole_.of(count_).right; }
  const Vector& lambda() { return cliques_ ? lambda_ : of_whole_.of(count_).lambda; }

 private:
  struct Block {
    std::vector<Index> equations, unknowns;              // by their rows of G
    std::vector<Index> equation_places, unknown_places;  // in `right` and `lambda`
  };
  RowEquations& equations_of(std::size_t block) {
    return cliques_ ? of_blocks_[block] : of_whole_.of(count_);
  }
  bool divide(const std::vector<Index>& equations, const std::vector<Index>& unknowns,
              const std::vector<Index>& others);

  const Cliques* cliques_;
  JoinedContacts joined_;
  std::size_t count_ = 0;
  std::vector<Block> blocks_;
  std::vector<Index> contacts_;
  RowWorkspaces of_whole_;
  std::vector<RowEquations> of_blocks_;
  Vector right_, lambda_;
};

}  // namespace nsmb
