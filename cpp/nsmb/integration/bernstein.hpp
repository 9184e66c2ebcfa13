// Roots of a polynomial on [0, 1]. Bernstein coefficients enclose its range and count its sign
// changes. Intervals without a root are recognised as such, and no root is overlooked.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Return the binomial coefficient n over k.
double binomial(Index n, Index k);

/// A root finder for polynomials up to a given degree, with conversion matrices and scratch space.
class RootFinder {
 public:
  explicit RootFinder(Index max_degree);

  /// Return the first s in (0, 1] where p(s) = Σ c_i sⁱ changes from non-negative to negative.
  /// Leading coefficients that are exactly zero are a zero at s = 0, which does not count. Return 0
  /// if p is negative right after s = 0, and a number > 1 if there is no crossing up to `limit`.
  ///
  /// Two roots that are closer than about 1e-9, with a dip below the rounding of the coefficients,
  /// count as touching and not as crossing.
  double first_crossing(const ConstVectorRef& c, double limit = 1.0);

 private:
  double search(Index degree, double left, double width, int depth, double limit);
  double polish(Index degree, double a, double b) const;
  double value(Index degree, double s) const;

  std::shared_ptr<const std::vector<Matrix>> to_bernstein_;  // by degree
  Vector power_;  // coefficients, with the zeros at s = 0 divided out
  Matrix stack_;  // Bernstein coefficients, two columns per depth
  Matrix noise_;  // their rounding, likewise
};

}  // namespace nsmb
