// Any number of contacts with friction, with sparse data, in one of two forms:
//
//   global  M v = H x + f,  y = Hᵀ v + w     M (n, n) symmetric positive definite, H (n, m)
//   local   y = W x + q                      W = Hᵀ M⁻¹ H,  q = Hᵀ M⁻¹ f + w
//
// The rows of one contact are consecutive: normal N, tangents T1 T2, rolling R1 R2, drilling D;
// rows that a contact does not have are omitted. Laws, with x the impulses and y the relative
// velocities:
//
//   0 <= x_N ⟂ y_N >= 0
//   -y_T ∈ N_C(x_T),  C = {|x_T| <= mu x_N + bound}        discs or ellipses, as friction_problem
//   -y_R ∈ N_C(x_R),  C = {|x_R| <= mu_R x_N}              rolling, mu_R in m
//   -y_D ∈ N_C(x_D),  C = {|x_D| <= mu_D x_N}              drilling, mu_D in m
//   y = 0                                                  free rows: bilateral constraints
#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

using SparseMatrix = Eigen::SparseMatrix<double>;  // column-major, compressed

struct ContactBlock {
  Index first = 0;       // its first row
  bool normal = true;    // has a normal row; false: friction alone, or free
  Index tangents = 2;    // 0, 1 or 2
  Index rolling = 0;     // 0, 1 or 2
  Index drilling = 0;    // 0 or 1
  Index free = 0;        // free rows; then it has no other rows
  Index normal_of = -1;  // friction alone: the block whose x_N enters its radius; -1: none
  double mu = 0.0, bound = 0.0, aspect = 1.0;
  double mu_R = 0.0, mu_D = 0.0;

  Index rows() const { return (normal ? 1 : 0) + tangents + rolling + drilling + free; }
};

struct SparseFrictionProblem {
  // Global form, or local form if M has no rows.
  SparseMatrix M, H;
  Vector f;  // (n)
  SparseMatrix W;
  Vector w;                          // (m) w of the global form, q of the local one
  std::vector<ContactBlock> blocks;  // covers all m rows, in order
  // First rows of M's bodies, ascending from 0, because M does not show them for spheres. If empty,
  // they are guessed from H, which fails for bodies with rows that a contact does not move. Affects
  // speed only.
  std::vector<Index> bodies;

  bool is_global() const { return M.rows() > 0; }
  Index rows() const { return w.size(); }
};

/// Throw std::invalid_argument unless the sizes fit, all numbers are finite and in range, and the
/// blocks cover the rows in order. Whether M is positive definite is checked when it is factorized.
void check_sparse_friction(const SparseFrictionProblem& problem);

/// Definition of the residual; see the README.
struct FrictionMeasure {
  double impulse_scale = 1.0;  // [y / x] s of the natural map; 1: as FCLIB; 0: of each contact its
                               // mean diagonal entry of W, which makes it independent of units
  double scale = 0.0;          // [y] of q: the residual is relative to max(scale, ‖q‖₂)
};

void check_measure(const FrictionMeasure& measure);

/// Return ‖s x - proj_K(s x - F)‖₂ / ‖q‖₂ over all contacts, F = y + mu |y_T| e_N (De Saxcé;
/// rolling and drilling likewise), K the product of their cones, y from the original data. It is
/// inf where x is not finite, and an absolute number where q vanishes. Blocks that no cone
/// describes (friction alone, bounds, ellipses) use the natural maps of their normal row and of
/// their sets for the current x_N.
double sparse_friction_residual(const SparseFrictionProblem& problem, const ConstVectorRef& x,
                                const FrictionMeasure& measure = {});

/// Return the contribution of each block to the residual, (blocks); the square of the residual is
/// the sum of their squares.
Vector sparse_friction_misses(const SparseFrictionProblem& problem, const ConstVectorRef& x,
                              const FrictionMeasure& measure = {});

}  // namespace nsmb
