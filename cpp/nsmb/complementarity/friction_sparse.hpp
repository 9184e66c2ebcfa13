// Contacts with friction in any number, with sparse data, in one of two forms:
//
//   global  M v = H x + f,  y = Hᵀ v + w     M (n, n) symmetric positive definite, H (n, m)
//   local   y = W x + q                      W = Hᵀ M⁻¹ H,  q = Hᵀ M⁻¹ f + w
//
// The rows of one contact follow each other: normal N, tangents T1 T2, rolling R1 R2, drilling D;
// what a contact has not is left out. Laws, with x the impulses and y the relative velocities:
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
  bool normal = true;    // begins with a normal row; false: friction alone, or free
  Index tangents = 2;    // 0, 1 or 2
  Index rolling = 0;     // 0, 1 or 2
  Index drilling = 0;    // 0 or 1
  Index free = 0;        // free rows: then it has no others
  Index normal_of = -1;  // friction alone: the block whose x_N enters its radius; -1: none
  double mu = 0.0, bound = 0.0, aspect = 1.0;
  double mu_R = 0.0, mu_D = 0.0;

  Index rows() const { return (normal ? 1 : 0) + tangents + rolling + drilling + free; }
};

struct SparseFrictionProblem {
  // Global form, or where M has no rows the local one.
  SparseMatrix M, H;
  Vector f;  // (n)
  SparseMatrix W;
  Vector w;                          // (m) w of the global form, q of the local one
  std::vector<ContactBlock> blocks;  // covers all m rows, in order
  // First rows of M's bodies, ascending from 0; of spheres M does not say it. Empty: guessed from
  // H, which misses bodies with rows that a contact does not move. For speed alone.
  std::vector<Index> bodies;

  bool is_global() const { return M.rows() > 0; }
  Index rows() const { return w.size(); }
};

/// Throws std::invalid_argument unless the sizes fit, all numbers are finite and in range, and the
/// blocks cover the rows in order. That M is positive definite is seen when it is factorized.
void check_sparse_friction(const SparseFrictionProblem& problem);

/// How a residual is measured; see the README.
struct FrictionMeasure {
  double impulse_scale = 1.0;  // [y / x] s of the natural map; 1: as FCLIB; 0: of each contact its
                               // mean diagonal entry of W, which makes it independent of units
  double scale = 0.0;          // [y] of q: the residual is relative to max(scale, ‖q‖₂)
};

void check_measure(const FrictionMeasure& measure);

/// ‖s x - proj_K(s x - F)‖₂ / ‖q‖₂ over all contacts, F = y + mu |y_T| e_N (De Saxcé; rolling and
/// drilling likewise), K the product of their cones, y from the original data. Inf where x is not
/// finite, an absolute number where q vanishes. Where no cone describes a block (friction alone,
/// bounds, ellipses) the natural maps of its normal row and of its sets for the x_N at hand.
double sparse_friction_residual(const SparseFrictionProblem& problem, const ConstVectorRef& x,
                                const FrictionMeasure& measure = {});

/// (blocks) What each contact adds to the residual, whose square is the sum of theirs.
Vector sparse_friction_misses(const SparseFrictionProblem& problem, const ConstVectorRef& x,
                              const FrictionMeasure& measure = {});

}  // namespace nsmb
