// Where a function of which nothing is known but its values changes its sign on a step.
#pragma once

#include <functional>
#include <vector>

#include "nsmb/integration/chebyshev_interpolation.hpp"

namespace nsmb {

/// Looks at a function f on [0, 1] through polynomials of degree 8 on pieces, each compared with f
/// at two points more. A piece is halved until its Bernstein coefficients either keep clear of
/// zero, by ten times what the polynomial was seen to be wrong, or fall through it once; that zero
/// is then found on f itself, to rounding. What is smooth is neither missed nor reported twice.
/// Where f jumps or bends, pieces end at 2^-30 of the step, and at so many of them in all: there
/// its signs at the points that were looked at decide.
class CrossingSearch {
 public:
  using Function = std::function<double(double)>;

  CrossingSearch();

  /// Later than anything on a step.
  static constexpr double kNever = 2.0;

  /// The first s in [0, end] behind which side · f, which is positive behind 0, is negative;
  /// kNever: nowhere. `at_zero`: f vanishes at 0, whatever rounding says there; 0 is returned where
  /// it does not leave zero to its side. Values up to noise(s) say nothing.
  double first(const Function& f, double side, double end, bool at_zero, const Function& noise);

 private:
  static constexpr Index kDegree = ChebyshevInterpolation::kDegree;
  struct Piece {
    double a, b;
    int depth;
  };

  double look(const Function& f, double side, const Piece& piece, bool at_zero);
  static double solve(const Function& f, double side, double a, double at_a, double b, double at_b);

  ChebyshevInterpolation interpolation_;
  Vector values_, bernstein_;
  std::vector<Piece> pieces_;
};

}  // namespace nsmb
