// Sign changes on a step of a function that is known only by its values.
#pragma once

#include <functional>
#include <vector>

#include "nsmb/integration/chebyshev_interpolation.hpp"

namespace nsmb {

/// A search for the first sign change of a function f on [0, 1]. Polynomials of degree 8
/// approximate f on pieces, and each is compared with f at two more points. A piece is halved until
/// its Bernstein coefficients stay clear of zero by ten times the observed error, or cross zero
/// once. The zero is then found on f itself, to rounding. Zeros of smooth functions are neither
/// missed nor reported twice. Where f jumps or has kinks, pieces are halved down to 2^-30 of the
/// step, and their total number is limited. There the signs of f at the sampled points decide.
class CrossingSearch {
 public:
  using Function = std::function<double(double)>;

  CrossingSearch();

  /// A value beyond any point on a step.
  static constexpr double kNever = 2.0;

  /// Return the first s in [0, end] after which side · f is negative, or kNever. After 0 it must be
  /// positive. With `at_zero`, f vanishes at 0, whatever its rounding, and 0 is returned if side ·
  /// f does not become positive from there. Values up to noise(s) are ignored.
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
