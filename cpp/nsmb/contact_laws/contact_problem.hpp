// The complementarity problems of the contact laws, assembled in place, solved and scaled back.
//
//   y = A x + b,  0 <= x_N ⟂ y_N >= 0,  -y_T ∈ N_C(x_T)
//
// over the normal rows of I_N, which come first, and the undecided tangential rows. Planar friction
// is an interval -(μ⁻ x_N + β⁻) <= x_T <= μ⁺ x_N + β⁺, and the problem is the LCP (6.35), (8.87) or
// (8.97). Friction with two tangential directions is a disc (27), (28).
#pragma once

#include <map>
#include <vector>

#include "nsmb/complementarity/friction_solver.hpp"
#include "nsmb/complementarity/lemke.hpp"
#include "nsmb/complementarity/mcp.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

struct FrictionBound {
  Index first = 0;    // index of its first row in x
  Index dim = 1;      // 1: interval, 2: ellipse
  Index normal = -1;  // row of x_N that the bound depends on; -1: none
  double mu_plus = 0.0, mu_minus = 0.0;
  double bound_plus = 0.0, bound_minus = 0.0;  // β^±; a disc has equal bounds
  double aspect = 1.0;
};

/// A complementarity problem. The laws are positively homogeneous, so Delassus blocks are divided
/// by `scale_G` and b by `scale_b`. Impulses are then x scale_b / scale_G, and velocities are
/// x scale_b. Bounds enter as β scale_G / scale_b. The solver thus works with numbers of order one
/// in any units.
struct ContactProblem {
  Matrix A;
  Vector b;
  Index n_N = 0;
  std::vector<FrictionBound> friction;
  /// (n) allowed violation of the law in each row of y, in addition to the rounding of its terms in
  /// `solve`. Used if rows are judged one by one.
  Vector resolution;
  bool judged = false;
  /// Rows whose b is far larger than all driving terms are decided first: fast slip, and contacts
  /// that separate fast.
  bool by_size = false;

  Vector x;  // the solution, or the best point found; NaN: none
  LcpStatus status = LcpStatus::NotRun;
  double residual = 0.0;
};

/// Violations of the laws, row by row and from the original data.
struct RowDefects {
  double worst = 0.0;    // largest violation over the allowed one, at most 1 at a solution
  double largest = 0.0;  // largest violation
  double terms = 0.0;    // largest sum of the magnitudes of the terms of a row
};
RowDefects row_defects(const ContactProblem& problem);

/// Return the effect of a unit force on its own row of y.
double own_effect(const ContactProblem& problem, Index row);

/// The rows that are decided by their size.
struct FastRows {
  /// Find these rows. Return false if there are none, or if nothing acts at all (`effect` = 0).
  bool find(const ContactProblem& problem, double& effect);

  std::vector<Index> kept;     // rows of the reduced problem, in order
  std::vector<Index> place;    // (n) index among these rows, -1: decided
  std::vector<bool> friction;  // by friction part: slides fast
  Vector direction;            // (n) normalised y_T of these friction parts
  Vector x;                    // (n) complete solution
};

class ContactSolver {
 public:
  ContactSolver() = default;
  /// Create a solver. For problems with discs a method other than Auto is tried first, with Auto as
  /// the fallback. Polygons (method Lcp) are accepted as discs with their error.
  explicit ContactSolver(const FrictionOptions& options, bool sliding_compression = false)
      : options_(options), sliding_compression_(sliding_compression) {}

  /// Return true if compressions with lasting slip are preferred, see sliding_compression.hpp.
  bool sliding_compression() const { return sliding_compression_; }

  /// Return a problem of size n, with A and b zero and without friction. Storage is kept per size,
  /// so a known size needs no allocation.
  ContactProblem& problem(Index n, Index n_N);

  /// Solve a problem. Intervals only: Lemke's method, and enumeration of all pieces if it fails and
  /// the problem is small. Many intervals of a generalized central problem (8.10): normal forces
  /// first, then friction within known bounds. Discs: solve_friction. `x_start` (n) is a warm
  /// start. With `resolution`, status Solved means that the law holds in every row of the original
  /// data.
  void solve(ContactProblem& problem, const Vector* x_start = nullptr);

  /// Return true if problem.x is a solution in every row, after polishing if necessary.
  bool holds(ContactProblem& problem);

  /// Return the residual of problem.x in a problem with symmetric bounds.
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

/// Build the LCP (6.35) of a problem with intervals only: x = (x_N, x_T⁺, x_T⁻, z⁻, z⁺).
void expand_to_lcp(const ContactProblem& problem, Matrix& A, Vector& b);

/// Compute x of the problem from a solution of that LCP: x_T = x_T⁺ - x_T⁻ (6.20).
void collapse_from_lcp(const ContactProblem& problem, const ConstVectorRef& solution, Vector& x);

}  // namespace nsmb
