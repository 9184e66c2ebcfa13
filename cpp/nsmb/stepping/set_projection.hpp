// Out of penetration, for contacts in any number: the smallest displacement d in the kinetic metric
// that leaves no gap negative,
//
//   M d = W_N ν,   0 <= g_N + W_Nᵀ d ⟂ ν >= 0
#pragma once

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/stepping/set_problem.hpp"

namespace nsmb {

/// Workspace.
class SetProjection {
 public:
  SetProjection(Mechanics& mechanics, ContactModel& model);

  /// (t, y) out of all contacts that penetrate there by more than `allowed`, m; linearised anew
  /// until it holds, or as long as it gains. Cliques at rest stay where they are.
  void apply(double t, VectorRef y, double allowed, const std::vector<char>* at_rest);
  /// m, what is left.
  double deepest() const { return deepest_; }

 private:
  void find(double t, const ConstVectorRef& y, double margin, const std::vector<char>* at_rest);

  Mechanics& mechanics_;
  ContactModel& model_;
  SetProblem problem_;
  ContactSet set_;
  SparseFrictionOptions solver_;
  SparseFrictionWorkspace workspace_;
  SparseFrictionResult result_;
  Vector displacement_, q_step_;
  double deepest_ = 0.0;
};

}  // namespace nsmb
