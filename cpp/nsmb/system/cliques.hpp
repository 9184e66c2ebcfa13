// Groups of velocities that nothing but forces joins.
#pragma once

#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Velocities first, ..., first + size - 1.
struct VelocityRange {
  Index first = 0, size = 0;
};
using VelocityRanges = std::vector<VelocityRange>;

/// Ascending, those that follow each other without gap as one.
void join_neighbours(VelocityRanges& ranges);

/// Neither M nor bilateral constraints join velocities of different cliques: trees of joints, and
/// what closed loops make of them. So M and M⁻¹ have blocks, wᵀ M⁻¹ w = Σ_c w_cᵀ M_c⁻¹ w_c, and
/// contacts without a common clique do not feel each other. Part of the description of a system,
/// true for every (t, q).
class Cliques {
 public:
  /// Not known: no clique at all.
  Cliques() = default;
  /// The clique of each velocity (nu), any numbers; and for each contact (nc) a velocity of each
  /// clique that its directions may have entries in.
  Cliques(const std::vector<Index>& of_velocity,
          const std::vector<std::vector<Index>>& contact_velocities);

  Index count() const { return static_cast<Index>(members_.size()); }
  /// Which one velocity k is in, 0 to count() - 1 in the order of their first velocities.
  Index of_velocity(Index k) const { return of_velocity_[at(k)]; }
  /// Ascending.
  const VelocityRanges& members(Index clique) const { return members_[at(clique)]; }
  /// Of contact i, ascending; none: it moves nothing.
  const std::vector<Index>& of_contact(Index i) const { return of_contact_[at(i)]; }
  /// All velocities in which its directions may have entries.
  const VelocityRanges& reach(Index i) const { return reach_[at(i)]; }
  /// Contacts that share a clique with contact i, and itself; ascending.
  const std::vector<Index>& neighbours(Index i) const { return neighbours_[at(i)]; }

 private:
  std::vector<Index> of_velocity_;               // (nu)
  std::vector<VelocityRanges> members_, reach_;  // (count), (nc)
  std::vector<std::vector<Index>> of_contact_;   // (nc)
  std::vector<std::vector<Index>> neighbours_;   // (nc)
};

/// aᵀb over these velocities.
template <typename A, typename B>
double dot(const VelocityRanges& ranges, const A& a, const B& b) {
  double sum = 0.0;
  for (const VelocityRange& r : ranges) {
    sum += a.segment(r.first, r.size).dot(b.segment(r.first, r.size));
  }
  return sum;
}

}  // namespace nsmb
