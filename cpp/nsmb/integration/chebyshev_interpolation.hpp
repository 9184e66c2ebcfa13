// Polynomials on [0, 1] through values at given places, and how well they describe what they are
// made of.
#pragma once

#include <array>
#include <cstddef>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Of degree 8, through both ends and seven Chebyshev points between them, and two places more at
/// which the polynomial is compared with the function. Constants: nothing in it changes.
class ChebyshevInterpolation {
 public:
  static constexpr Index kDegree = 8;
  static constexpr Index kChecks = 2;

  /// Check c lies in the middle between node `before[c]` and the next one.
  explicit ChebyshevInterpolation(const std::array<Index, kChecks>& before);

  /// Places, j = 0 ... kDegree.
  double node(Index j) const { return nodes_(j); }
  Index node_before(Index check) const { return before_[static_cast<std::size_t>(check)]; }
  double check(Index c) const { return checks_(c); }
  /// (kChecks, kDegree + 1): of the values at the nodes, for the polynomial at the checks.
  const Matrix& check_weights() const { return check_weights_; }

  /// c_0 ... c_8 of Σ c_k s^k, by `value_at(j)` of the nodes.
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
  /// (kDegree, kDegree): c_1 ... c_8 from (value - c_0)/s at the nodes behind 0.
  const Matrix& from_slopes() const { return from_slopes_; }
  /// (kDegree + 1, kDegree + 1): Bernstein coefficients from the values at all nodes.
  const Matrix& to_bernstein() const { return to_bernstein_; }

 private:
  std::array<Index, kChecks> before_;
  const Vector& nodes_;
  const Matrix &from_slopes_, &to_bernstein_;
  Vector checks_;
  Matrix check_weights_;
};

}  // namespace nsmb
