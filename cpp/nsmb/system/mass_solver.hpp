// Solutions with M that do not use its entries, as for trees of many bodies.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

/// A solver for M, provided by systems for which it is faster than factorising M.
class MassSolver {
 public:
  /// Prepare solve_mass at (t, q). Throw std::domain_error if M is singular.
  virtual void factorise_mass(double t, const ConstVectorRef& q, SystemWorkspace& work) const = 0;
  /// Replace B by M⁻¹ B, (nu, any).
  virtual void solve_mass(MatrixRef B, SystemWorkspace& work) const = 0;
  /// Do the same for the velocities of one clique in b (nu), without changing the others. Requires
  /// cliques().
  virtual void solve_mass(Index clique, VectorRef b, SystemWorkspace& work) const = 0;

 protected:
  ~MassSolver() = default;
};

}  // namespace nsmb
