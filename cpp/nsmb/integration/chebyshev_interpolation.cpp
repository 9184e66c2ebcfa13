#include "nsmb/integration/chebyshev_interpolation.hpp"

#include <cmath>
#include <numbers>

#include "nsmb/core/dense_lu.hpp"
#include "nsmb/integration/bernstein.hpp"

namespace nsmb {

namespace {

constexpr Index kDegree = ChebyshevInterpolation::kDegree;

// Constants that take longer to compute than a short run.
struct Constants {
  Constants();
  Vector nodes;
  Matrix from_slopes, to_bernstein;
};

Constants::Constants() : nodes(kDegree + 1) {
  for (Index i = 0; i <= kDegree; ++i) {
    const double angle = std::numbers::pi * static_cast<double>(i) / static_cast<double>(kDegree);
    nodes(i) = 0.5 * (1.0 - std::cos(angle));
  }
  nodes(0) = 0.0;
  nodes(kDegree) = 1.0;
  Matrix powers(kDegree, kDegree);
  for (Index j = 0; j < kDegree; ++j) {
    double power = 1.0;
    for (Index k = 0; k < kDegree; ++k, power *= nodes(j + 1)) powers(j, k) = power;
  }
  from_slopes = FullLu(powers).inverse();
  Matrix bernstein(kDegree + 1, kDegree + 1);
  for (Index i = 0; i <= kDegree; ++i) {
    for (Index k = 0; k <= kDegree; ++k) {
      bernstein(i, k) = binomial(kDegree, k) * std::pow(nodes(i), static_cast<double>(k)) *
                        std::pow(1.0 - nodes(i), static_cast<double>(kDegree - k));
    }
  }
  DenseLu lu;
  lu.compute(bernstein);
  to_bernstein.resize(kDegree + 1, kDegree + 1);
  lu.solve_columns_to(Matrix::Identity(kDegree + 1, kDegree + 1), to_bernstein);
}

const Constants& constants() {
  static const Constants made;
  return made;
}

}  // namespace

ChebyshevInterpolation::ChebyshevInterpolation(const std::array<Index, kChecks>& before)
    : before_(before),
      nodes_(constants().nodes),
      from_slopes_(constants().from_slopes),
      to_bernstein_(constants().to_bernstein),
      checks_(kChecks),
      check_weights_(kChecks, kDegree + 1) {
  for (Index c = 0; c < kChecks; ++c) {
    checks_(c) = 0.5 * (nodes_(node_before(c)) + nodes_(node_before(c) + 1));
    for (Index j = 0; j <= kDegree; ++j) {
      double weight = 1.0;
      for (Index k = 0; k <= kDegree; ++k) {
        if (k != j) weight *= (checks_(c) - nodes_(k)) / (nodes_(j) - nodes_(k));
      }
      check_weights_(c, j) = weight;
    }
  }
}

}  // namespace nsmb
