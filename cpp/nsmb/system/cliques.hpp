// Groups of velocities that are coupled only by forces.
#pragma once

#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// The velocities first, ..., first + size - 1.
struct VelocityRange {
  Index first = 0, size = 0;
};
using VelocityRanges = std::vector<VelocityRange>;

/// Sort the ranges, and merge adjacent ones.
void join_neighbours(VelocityRanges& ranges);

/// Groups of velocities. Neither M nor bilateral constraints couple velocities of different
/// cliques, which are trees of joints, merged by closed loops. M and M⁻¹ thus consist of blocks,
/// and wᵀ M⁻¹ w = Σ_c w_cᵀ M_c⁻¹ w_c. Contacts without a common clique do not influence each other.
/// Cliques belong to the description of a system and are valid for every (t, q).
class Cliques {
 public:
  /// Create an empty object without cliques, if they are not known.
  Cliques() = default;
  /// Create cliques from the clique of each velocity (nu), with any numbers. For each contact (nc)
  /// list a velocity of each clique in which its directions may have entries.
  Cliques(const std::vector<Index>& of_velocity,
          const std::vector<std::vector<Index>>& contact_velocities);

  Index count() const { return static_cast<Index>(members_.size()); }
  /// Return the clique of velocity k, 0 to count() - 1 in the order of their first velocities.
  Index of_velocity(Index k) const { return of_velocity_[at(k)]; }
  /// Velocities of a clique, ascending.
  const VelocityRanges& members(Index clique) const { return members_[at(clique)]; }
  /// Cliques of contact i, ascending; empty if it moves nothing.
  const std::vector<Index>& of_contact(Index i) const { return of_contact_[at(i)]; }
  /// All velocities in which the directions of contact i may have entries.
  const VelocityRanges& reach(Index i) const { return reach_[at(i)]; }
  /// Contact i and all contacts that share a clique with it, ascending.
  const std::vector<Index>& neighbours(Index i) const { return neighbours_[at(i)]; }

 private:
  std::vector<Index> of_velocity_;               // (nu)
  std::vector<VelocityRanges> members_, reach_;  // (count), (nc)
  std::vector<std::vector<Index>> of_contact_;   // (nc)
  std::vector<std::vector<Index>> neighbours_;   // (nc)
};

/// Return aᵀb over these velocities.
template <typename A, typename B>
double dot(const VelocityRanges& ranges, const A& a, const B& b) {
  double sum = 0.0;
  for (const VelocityRange& r : ranges) {
    sum += a.segment(r.first, r.size).dot(b.segment(r.first, r.size));
  }
  return sum;
}

}  // namespace nsmb
