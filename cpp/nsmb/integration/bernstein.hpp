// Roots of a polynomial on [0, 1]: Bernstein coefficients enclose its range and count its sign
// changes, so an interval without a root is recognised as such and no root is overlooked.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// n over k.
double binomial(Index n, Index k);

/// Scratch for polynomials up to a degree; holds the conversion matrices.
class RootFinder {
 public:
  explicit RootFinder(Index max_degree);

  /// First s in (0, 1] where p(s) = Σ c_i sⁱ turns from not negative to negative. Leading
  /// coefficients that are exactly zero are a zero at s = 0, which does not count.
  /// Returns 0 when p is negative right behind s = 0, and a number > 1 when there is no crossing
  /// up to `limit`.
  ///
  /// Two roots closer than about 1e-9 with a dip below the rounding of the coefficients count as
  /// touching, not crossing.
  double first_crossing(const ConstVectorRef& c, double limit = 1.0);

 private:
  double search(Index degree, double left, double width, int depth, double limit);
  double polish(Index degree, double a, double b) const;
  double value(Index degree, double s) const;

  std::shared_ptr<const std::vector<Matrix>> to_bernstein_;  // by degree
  Vector power_;  // coefficients with the zeros at s = 0 divided out
  Matrix stack_;  // Bernstein coefficients, two columns per depth
  Matrix noise_;  // their rounding, likewise
};

}  // namespace nsmb
