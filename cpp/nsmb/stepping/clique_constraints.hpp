// Bilateral constraints at one place, clique by clique: which velocities they leave.
#pragma once

#include <vector>

#include "nsmb/core/dense_qr.hpp"
#include "nsmb/system/cliques.hpp"

namespace nsmb {

/// Workspace. Of a clique with constraints W_Bᵀ v = b its velocities are v = v_b + Z s, with Zᵀ Z =
/// 1, W_Bᵀ Z = 0 and v_b ⟂ Z. Constraints that depend on others are left out.
class CliqueConstraints {
 public:
  CliqueConstraints(const Cliques& cliques, Index nb);

  /// W (nu, nb), each column within one clique.
  void set_directions(const Matrix& W);
  /// b (nb).
  void set_values(const Vector& b);
  /// Those that have some, ascending.
  const std::vector<Index>& constrained() const { return constrained_; }
  bool constrains(Index clique) const { return place_[at(clique)] >= 0; }
  const Matrix& basis(Index clique) const { return parts_[at(place_[at(clique)])].Z; }
  const Vector& base(Index clique) const { return parts_[at(place_[at(clique)])].base; }
  /// Λ_B (nb) += impulses that make up `force` on the velocities of a clique.
  void add_impulses(Index clique, const Vector& force, Vector& Lambda_B);

 private:
  struct Part {
    std::vector<Index> rows;  // of the constraints
    Matrix W, Z;
    Vector base, value;
    RankedQr of_W, of_transpose;
  };

  void take(Index clique, const Matrix& W, Part& part);

  const Cliques& cliques_;
  std::vector<Index> clique_of_;    // (nb) -1: not seen yet
  std::vector<Index> place_;        // (cliques) in parts_; -1: none
  std::vector<Index> constrained_;  // cliques of parts_
  std::vector<Part> parts_;
};

}  // namespace nsmb
