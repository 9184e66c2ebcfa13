// Solvers for any number of frictional contacts, see friction_sparse.hpp.
//
//   GaussSeidel        one contact after the other, each solved exactly; contacts that share
//                      nothing form a colour and may be solved in parallel. W is not formed.
//   ProjectedGradient  accelerated, with restarts, for the convex problem with fixed De Saxcé
//                      term, which is updated after every step.
//   Admm               the same splitting with one sparse factorization for many steps.
//   Newton             semismooth Newton with sparse factorization, on its own or inside
//                      proximal outer steps.
//   InteriorPoint      through the interior of the cones, one sparse factorization for each step;
//                      completed by Newton. Contacts with one disc each, or none.
//   Dense              solve_friction of friction_solver.hpp on the assembled W.
//   Auto               small problems by Dense, others by a sequence of methods that was measured
//                      on real problems.
//
// Every point is evaluated by sparse_friction_residual, from the original data. A solve returns the
// best point so far, whatever ended it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string_view>

#include "nsmb/complementarity/friction_sparse.hpp"

namespace nsmb {

enum class SparseFrictionMethod {
  Auto,
  GaussSeidel,
  ProjectedGradient,
  Admm,
  Newton,
  Dense,
  InteriorPoint
};
inline constexpr std::size_t kSparseFrictionMethods = 7;

enum class SparseFrictionStatus {
  Solved,          // residual <= tol
  TimeLimit,       // max_time is used up
  IterationLimit,  // max_iterations, or the limit of the method, is used up
  Inaccurate,      // no further improvement possible, residual > tol
  Interrupted      // keep_going returned false
};

std::string_view to_text(SparseFrictionMethod method);
std::string_view to_text(SparseFrictionStatus status);

struct SparseFrictionOptions {
  SparseFrictionMethod method = SparseFrictionMethod::Auto;
  double tol = 1e-8;                 // of the residual
  FrictionMeasure measure;           // of the residual
  double max_time = 0.0;             // [s] 0: none
  long max_iterations = 0;           // sweeps, steps, factorized steps; 0: the limit of the method
  int threads = 1;                   // of GaussSeidel; the result does not depend on it
  std::function<bool()> keep_going;  // called some twenty times a second
};

/// Result of one solve. Repeated solves with the same sizes and pattern allocate little.
struct SparseFrictionResult {
  SparseFrictionStatus status = SparseFrictionStatus::Inaccurate;
  Vector x;  // (m) the best point found
  Vector y;  // (m) recomputed from the original data
  Vector v;  // (n) of the global form, recomputed
  double residual = 0.0;
  long iterations = 0;        // over all methods
  long outer_iterations = 0;  // proximal steps
  long factorizations = 0;
  SparseFrictionMethod used = SparseFrictionMethod::Auto;  // found x; Auto: x is the start
  std::array<double, kSparseFrictionMethods> seconds{};    // by method
};

namespace internal {
struct SparseFrictionScratch;
}

/// Scratch of one solve, one per thread. Only storage is carried over between solves.
class SparseFrictionWorkspace {
 public:
  SparseFrictionWorkspace();
  ~SparseFrictionWorkspace();
  SparseFrictionWorkspace(SparseFrictionWorkspace&&) noexcept;
  SparseFrictionWorkspace& operator=(SparseFrictionWorkspace&&) noexcept;

  internal::SparseFrictionScratch& scratch() { return *scratch_; }

 private:
  std::unique_ptr<internal::SparseFrictionScratch> scratch_;
};

/// Solve `problem` from `x_start` (m), or from zero. A start within tol is returned unchanged.
void solve_sparse_friction(const SparseFrictionProblem& problem,
                           const SparseFrictionOptions& options, SparseFrictionWorkspace& workspace,
                           SparseFrictionResult& result, const Vector* x_start = nullptr);

}  // namespace nsmb
