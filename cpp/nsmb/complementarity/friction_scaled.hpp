// The friction problem in scaled variables, in which all solvers work.
//
// x = β D x̂, y = β D⁻¹ ŷ with one entry of D for each part (the second entry of an ellipse is
// multiplied by its aspect). Then Â = D A D has unit diagonal blocks, b̂ = D b / β has size one,
// every ellipse is a disc, and every r of (30)-(37) near one is suitable. r = 1 here is
// r_i = d_i² ~ 1 / A_ii.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_problem.hpp"

namespace nsmb::internal {

struct FrictionPart {
  enum class Kind { Normal, Disc, Free };
  Kind kind = Kind::Normal;
  Index first = 0;
  Index dim = 1;
  Index normal = -1;
  double mu = 0.0;
  double bound = 0.0;
};

struct ScaledFriction {
  Matrix A;                         // (n, n)
  Vector b;                         // (n)
  Vector d;                         // (n) diagonal of D
  double beta = 1.0;                // β
  std::vector<FrictionPart> parts;  // each normal part followed by its discs, then the rest

  void assign(const ConstMatrixRef& A, const ConstVectorRef& b, const FrictionRows& rows,
              const std::vector<char>& row_is_used);
  void to_original(const Vector& scaled, Vector& x) const;
  void to_scaled(const Vector& x, Vector& scaled) const;
};

/// State of a part at a point: one branch of (33), (37).
enum class PartState : char {
  Held,   // y = 0: closed contact, sticking, free part
  Zero,   // x = 0: open contact, disc of radius zero
  Slides  // x_T on the rim
};

/// A point, the projection equations F = x - proj(x - y) there, and the branch of each part.
struct FrictionIterate {
  Vector x, y;                   // (n)
  Vector tau;                    // (n) x - y
  Vector F;                      // (n)
  std::vector<PartState> state;  // by part
  Vector rim;                    // (parts) ρ / |τ_T| of sliding parts
  double norm2 = 0.0;            // ‖F‖₂
  double largest = 0.0;          // ‖F‖_∞

  void resize(Index n, Index parts);
};

/// y = A x + b + weight (x - center). There is no proximal term for weight = nullptr.
struct Proximal {
  const Vector* weight = nullptr;  // (n)
  const Vector* center = nullptr;  // (n)
};

void evaluate_y(const ScaledFriction& problem, const Proximal& proximal, FrictionIterate& it);
/// Compute tau, F, states and norms from x and y: O(n).
void evaluate_projection(const std::vector<FrictionPart>& parts, FrictionIterate& it);

struct NewtonScratch {
  Vector K;        // (n n) storage of the reduced matrix
  Matrix columns;  // (n, n) A R
  Vector rhs, dx, dy, x_old, y_old;
  Vector weight;              // (n) of the proximal term
  std::vector<Index> column;  // (parts) first reduced unknown; -1: none
  std::vector<Index> pivots;

  void resize(const ScaledFriction& problem);
};

struct NewtonOptions {
  int max_iterations = 40;
  double target = 1e-13;  // of ‖F‖_∞ / max(1, ‖x‖_∞)
};

/// Run semismooth Newton on F = 0 from it.x. Return true if the target was reached. it.x is the
/// best point.
bool run_newton(const ScaledFriction& problem, const Proximal& proximal,
                const NewtonOptions& options, NewtonScratch& scratch, FrictionIterate& it,
                int& iterations);

/// Run projected Gauss-Seidel sweeps. Return true if the target was reached.
bool run_gauss_seidel(const ScaledFriction& problem, int max_sweeps, double target,
                      FrictionIterate& it, int& sweeps);

}  // namespace nsmb::internal
