// Polynomials on [0, 1] through values at given points, and checks of their accuracy.
#pragma once

#include <array>
#include <cstddef>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// An interpolation of degree 8 through both ends and seven Chebyshev points. At two more points
/// the polynomial is compared with the function. All members are constant.
class ChebyshevInterpolation {
 public:
  static constexpr Index kDegree = 8;
  static constexpr Index kChecks = 2;

  /// Place check c midway between node `before[c]` and the next node.
  explicit ChebyshevInterpolation(const std::array<Index, kChecks>& before);

  /// Position of node j = 0 ... kDegree.
  double node(Index j) const { return nodes_(j); }
  Index node_before(Index check) const { return before_[static_cast<std::size_t>(check)]; }
  double check(Index c) const { return checks_(c); }
  /// Weights of the node values for the polynomial at the checks, shape (kChecks, kDegree + 1).
  const Matrix& check_weights() const { return check_weights_; }

  /// Compute c_0 ... c_8 of Σ c_k s^k from the values `value_at(j)` at the nodes.
  template <typename Value>
  void expand(const Value& value_at, VectorRef c) const {
    std::array<double, kDegree> differences;
    c(0) = value_at(Index{0});
    for (Index j = 1; j <= kDegree; ++j) {
      differences[static_cast<std::size_t>(j - 1)] = (value_at(j) - c(0)) / nodes_(j);
    }
    c.tail(kDegree).noalias() =
        from_slopes_ * Eigen::Map<const Vector>(differences.data(), kDegree);
  }
  /// Matrix of c_1 ... c_8 from (value - c_0)/s at the nodes after 0, shape (kDegree, kDegree).
  const Matrix& from_slopes() const { return from_slopes_; }
  /// Matrix of Bernstein coefficients from all node values, shape (kDegree + 1, kDegree + 1).
  const Matrix& to_bernstein() const { return to_bernstein_; }

 private:
  std::array<Index, kChecks> before_;
  const Vector& nodes_;
  const Matrix &from_slopes_, &to_bernstein_;
  Vector checks_;
  Matrix check_weights_;
};

}  // namespace nsmb
