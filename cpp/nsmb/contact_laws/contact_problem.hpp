// The complementarity problems of the contact laws: assembled in place, solved, scaled back.
//
//   y = A x + b,  0 <= x_N ⟂ y_N >= 0,  -y_T ∈ N_C(x_T)
//
// over the normal rows of I_N, first, and the tangential rows that are not decided yet. Planar
// friction is an interval -(μ⁻ x_N + β⁻) <= x_T <= μ⁺ x_N + β⁺ and the problem an LCP, (6.35),
// (8.87) or (8.97); friction with two tangential directions is a disc (27), (28).
#pragma once

#include <map>
#include <vector>

#include "nsmb/complementarity/friction_solver.hpp"
#include "nsmb/complementarity/lemke.hpp"
#include "nsmb/complementarity/mcp.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

struct FrictionBound {
  Index first = 0;    // its first row in x
  Index dim = 1;      // 1: interval, 2: ellipse
  Index normal = -1;  // row of x_N the bound depends on; -1: none
  double mu_plus = 0.0, mu_minus = 0.0;
  double bound_plus = 0.0, bound_minus = 0.0;  // β^±; a disc has equal bounds
  double aspect = 1.0;
};

/// The problems are positively homogeneous: with Delassus blocks divided by `scale_G` and b by
/// `scale_b`, impulses come back as x scale_b / scale_G and velocities as x scale_b, bounds enter
/// as β scale_G / scale_b. The solver then sees numbers of order one, whatever the units.
struct ContactProblem {
  Matrix A;
  Vector b;
  Index n_N = 0;
  std::vector<FrictionBound> friction;
  /// (n) of y: what may be left of a law in each row, in `solve` the rounding of its terms besides.
  /// Used where rows are judged one by one.
  Vector resolution;
  bool judged = false;
  /// Rows whose b is far larger than what acts on the contacts are decided first: fast slip, and
  /// contacts that separate fast.
  bool by_size = false;

  Vector x;  // the solution, or the best point found; NaN: there is none
  LcpStatus status = LcpStatus::NotRun;
  double residual = 0.0;
};

/// How a problem keeps to its laws, row by row and from its own data.
struct RowDefects {
  double worst = 0.0;    // largest violation over what may be left: at most 1 at a solution
  double largest = 0.0;  // largest violation
  double terms = 0.0;    // largest sum of the sizes of the terms of a row
};
RowDefects row_defects(const ContactProblem& problem);

/// What a unit of force does to its own row of y.
double own_effect(const ContactProblem& problem, Index row);

/// Rows decided by their size.
struct FastRows {
  /// Those of a problem; false: there are none, or nothing acts at all (`effect` = 0).
  bool find(const ContactProblem& problem, double& effect);

  std::vector<Index> kept;     // rows of the reduced problem, in order
  std::vector<Index> place;    // (n) of a row among them, -1: decided
  std::vector<bool> friction;  // by friction part: slides fast
  Vector direction;            // (n) y_T of these over its size
  Vector x;                    // (n) solution put together
};

class ContactSolver {
 public:
  ContactSolver() = default;
  /// A method other than Auto is asked first for problems with discs, Auto where it fails. Polygons
  /// (method Lcp) are taken for discs, their error accepted.
  explicit ContactSolver(const FrictionOptions& options, bool sliding_compression = false)
      : options_(options), sliding_compression_(sliding_compression) {}

  /// Whether compressions in which slip lasts are taken before others, see sliding_compression.hpp.
  bool sliding_compression() const { return sliding_compression_; }

  /// A and b of size n, zeroed, without friction; storage is kept per size, so a size seen before
  /// allocates nothing.
  ContactProblem& problem(Index n, Index n_N);

  /// Intervals only: Lemke; when it finds nothing and the problem is small, all pieces are tried.
  /// Many intervals of a generalized central problem (8.10): normal forces first, then friction
  /// within known bounds. Discs: solve_friction. `x_start` (n): warm start. Solved: with
  /// `resolution`, the law holds in every row, from the original data.
  void solve(ContactProblem& problem, const Vector* x_start = nullptr);

  /// Is problem.x a solution, in every row, after polishing if need be?
  bool holds(ContactProblem& problem);

  /// How far problem.x is from solving a problem with symmetric bounds.
  double residual(const ContactProblem& problem);

 private:
  void list_rows(const ContactProblem& problem, double outer);
  void solve_whole(ContactProblem& problem, const Vector* x_start);
  bool solve_by_size(ContactProblem& problem);
  bool solve_reduced(ContactProblem& problem);
  bool polish(ContactProblem& problem);
  void improve(ContactProblem& problem, bool corners, double& least, Vector& best) const;
  void linearise(const ContactProblem& problem, bool corners, Vector& F, Matrix& J) const;
  bool solve_without_pivots(ContactProblem& problem);
  bool solve_from_faster_approach(ContactProblem& problem);
  bool solve_pieces(ContactProblem& problem);
  struct LcpSlot {
    Matrix A;
    Vector b, start;
    LcpResult result;
    LemkeWorkspace workspace;
  };
  struct FrictionSlot {
    FrictionResult result;
    FrictionWorkspace workspace;
  };

  struct McpSlot {
    Matrix A;
    Vector b, lower, upper, start;
    McpResult result;
    McpWorkspace workspace;
  };

  void solve_as_friction(ContactProblem& problem, const Vector* x_start);
  bool solve_in_two_stages(ContactProblem& problem, const Vector* x_start);
  void solve_as_lcp(ContactProblem& problem, const Vector* x_start);

  FrictionOptions options_;
  bool sliding_compression_ = false;
  std::map<Index, ContactProblem> problems_;
  std::map<Index, LcpSlot> lcps_;
  std::map<Index, FrictionSlot> frictions_;
  std::map<Index, McpSlot> normals_, tangents_;
  FrictionRows rows_;
  FastRows fast_;
};

/// The LCP (6.35) of a problem with intervals only: x = (x_N, x_T⁺, x_T⁻, z⁻, z⁺).
void expand_to_lcp(const ContactProblem& problem, Matrix& A, Vector& b);

/// x of the problem from a solution of that LCP: x_T = x_T⁺ - x_T⁻ (6.20).
void collapse_from_lcp(const ContactProblem& problem, const ConstVectorRef& solution, Vector& x);

}  // namespace nsmb
