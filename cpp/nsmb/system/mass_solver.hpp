// Solutions with M by other ways than its entries, as trees of many bodies have them.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

/// Handed out by systems for which this is faster than factorising M.
class MassSolver {
 public:
  /// Prepares solve_mass at (t, q). Throws std::domain_error when M is singular.
  virtual void factorise_mass(double t, const ConstVectorRef& q, SystemWorkspace& work) const = 0;
  /// B := M⁻¹ B, (nu, any).
  virtual void solve_mass(MatrixRef B, SystemWorkspace& work) const = 0;
  /// Where cliques() are known: the same in the velocities of one clique of b (nu), all others
  /// being left as they are.
  virtual void solve_mass(Index clique, VectorRef b, SystemWorkspace& work) const = 0;

 protected:
  ~MassSolver() = default;
};

}  // namespace nsmb
