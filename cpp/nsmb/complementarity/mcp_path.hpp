// Pieces of the map x, y = A x + b with bounds on x, and paths across them.
//
// For every i a piece determines which of x_i and y_i moves; the other one is nonbasic. On a piece
// the moving variables solve a linear system. A path
//
//   y = A x + b + s g,   (x, y) complementary,
//
// is a line within a piece and passes into the neighbouring piece where a moving variable meets its
// bound; its complement then starts to move. Ties are broken by a perturbation of the moving
// variables in one generic direction, of infinitesimal size. The perturbed path meets one bound at
// a time, so that it cannot cycle.
#pragma once

#include <vector>

#include "nsmb/complementarity/mcp_basis.hpp"

namespace nsmb::internal {

// x_i = l_i and y_i >= 0 moves; y_i = 0 and x_i moves; x_i = u_i and y_i <= 0 moves. A pair with
// l_i = u_i is always Lower, its y_i has no bound.
enum class McpState : signed char { Lower, Inside, Upper };

enum class McpPathEnd {
  Complete,  // s reached its target
  Ray,       // nothing blocks, or the path returned to its first piece
  PivotLimit,
  Singular,  // the first piece has no unique solution
};

/// A problem with data of size one, a point and a piece. The fields are inputs and outputs.
class McpPath {
 public:
  Matrix A;             // (n, n)
  Vector b;             // (n)
  Vector lower, upper;  // (n)
  std::vector<McpState> state;
  Vector x, y;  // (n) point; complementary for `state`, except for violated bounds
  double s = 0.0;
  int pivots = 0;  // cumulative

  void resize(Index n);
  /// Set the state to the piece of x moved to mid(l, x - y, u).
  void predict_state();
  /// Compute the point of the piece `state` with y = A x + b, refined once. Return false if
  /// singular.
  bool solve_piece();
  /// Return the number of variables beyond their bounds by more than `tolerance` max(1, their
  /// size).
  Index violations(double tolerance) const;
  /// Exchange every pair that violates a bound, and return their number.
  Index repair_state(double tolerance);
  /// Move x and y of the piece into their bounds.
  void clip();
  /// Follow the path from (x, y) on the piece `state`, where s = 1 and
  /// g = y - A x - b, to s = s_target < 1.
  McpPathEnd follow(double s_target, int max_pivots);

 private:
  struct Block {
    Index slot = -1;  // -1: the entering variable meets its own bound
    double theta = 0.0, phi = 0.0;
  };

  Index n() const { return b.size(); }
  bool is_fixed(Index i) const { return lower[i] == upper[i]; }
  double bound_value(Index i) const { return state[i] == McpState::Upper ? upper[i] : lower[i]; }
  double resting_value(Index i) const {  // of a nonbasic x_i
    return entering_ == n() + i ? entering_value_ : bound_value(i);
  }
  void bounds(Index variable, double& low, double& high) const;
  bool factorize();
  void start();
  void load_column(Index variable);
  bool find_block(Block& block);
  void set_state(Index i, McpState value);
  bool refactorize();
  void read_point();

  McpBasis basis_;
  std::vector<McpColumn> columns_;
  std::vector<McpState> first_state_;
  std::vector<Index> basic_;      // variable of each slot: y_i = i, x_i = n + i, s = 2 n
  std::vector<char> x_nonbasic_;  // during a path: x_i rests at its bound
  std::vector<Index> candidates_;
  Vector value_, nudge_;         // (n) of the basic variables; infinitesimal part
  Vector nudge_rhs_;             // (n) C · nudge at the start
  Vector d_, delta_, g_, work_;  // (n)
  Index entering_ = 0;
  double direction_ = 1.0;
  double entering_value_ = 0.0;
  double entering_range_ = 0.0;
  double s_target_ = 0.0;
  Index mismatches_ = 0;  // pairs whose state differs from that on the first piece
};

}  // namespace nsmb::internal
