#include "nsmb/integration/bernstein.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "nsmb/integration/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr int kMaxDepth = 30;  // intervals of 1e-9
constexpr double kNoRoot = 2.0;
constexpr double kUlp = 0.5 * std::numeric_limits<double>::epsilon();

// Compute rows first ... first + kRows - 1 of T x for a lower triangular matrix T.
template <Index kRows>
void multiply_rows(const Matrix& T, const double* x, Index first, double* y) {
  std::array<double, static_cast<std::size_t>(kRows)> sum = {};
  const double* column = T.data() + first;
  for (Index j = 0; j < first + kRows; ++j, column += T.rows()) {
    for (Index i = 0; i < kRows; ++i) sum[static_cast<std::size_t>(i)] += column[i] * x[j];
  }
  std::copy(sum.begin(), sum.end(), y + first);
}

void multiply_lower(const Matrix& T, const double* x, double* y) {
  const Index n = T.rows();
  Index first = 0;
  for (; first + 8 <= n; first += 8) multiply_rows<8>(T, x, first, y);
  if (first + 4 <= n) {
    multiply_rows<4>(T, x, first, y);
    first += 4;
  }
  if (first + 2 <= n) {
    multiply_rows<2>(T, x, first, y);
    first += 2;
  }
  if (first < n) multiply_rows<1>(T, x, first, y);
}

// Return the matrices of b_j = Σ_{i<=j} C(j,i)/C(n,i) c_i, by degree n.
std::vector<Matrix> make_conversions(Index max_degree) {
  std::vector<Matrix> conversions;
  for (Index n = 0; n <= max_degree; ++n) {
    Matrix T = Matrix::Zero(n + 1, n + 1);
    for (Index j = 0; j <= n; ++j) {
      for (Index i = 0; i <= j; ++i) T(j, i) = binomial(j, i) / binomial(n, i);
    }
    conversions.push_back(std::move(T));
  }
  return conversions;
}

// Return the conversion matrices. Those of the usual degrees are made only once, since this takes
// longer than a short run.
std::shared_ptr<const std::vector<Matrix>> conversions(Index max_degree) {
  constexpr Index kUsual = 30;
  static const auto usual = std::make_shared<const std::vector<Matrix>>(make_conversions(kUsual));
  if (max_degree <= kUsual) return usual;
  return std::make_shared<const std::vector<Matrix>>(make_conversions(max_degree));
}

}  // namespace

double binomial(Index n, Index k) {
  double result = 1.0;
  for (Index i = 1; i <= k; ++i) {
    result *= static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return result;
}

RootFinder::RootFinder(Index max_degree)
    : to_bernstein_(conversions(max_degree)),
      power_(max_degree + 1),
      stack_(max_degree + 1, 2 * kMaxDepth + 4),
      noise_(max_degree + 1, 2 * kMaxDepth + 4) {}

double RootFinder::value(Index degree, double s) const {
  double p = power_(degree);
  for (Index i = degree - 1; i >= 0; --i) p = p * s + power_(i);
  return p;
}

// Find a root by Newton's method in a bracket with one crossing, p(a) >= 0 > p(b).
double RootFinder::polish(Index degree, double a, double b) const {
  // A zero at either end is another root, or one that only touches, and rounding decides its sign.
  // The search therefore starts away from it.
  const double fa = value(degree, a);
  const double fb = value(degree, b);
  double s = 0.5 * (a + b);
  if (fa > 0.0 && fb < 0.0 && fa < 1e3 * -fb && -fb < 1e3 * fa) s = (a * fb - b * fa) / (fb - fa);
  double width = b - a;
  for (int k = 0; k < 200; ++k) {
    if (!(s > a && s < b)) s = 0.5 * (a + b);
    if (!(s > a && s < b)) break;
    double p = power_(degree), slope = 0.0;
    for (Index i = degree - 1; i >= 0; --i) {
      slope = slope * s + p;
      p = p * s + power_(i);
    }
    // A zero where p rises, or one that only touches, belongs to the nearer end.
    if (p == 0.0 && slope < 0.0) return s;
    const bool before = p != 0.0 ? p > 0.0 : s - a < b - s;
    (before ? a : b) = s;
    const double next = s - p / slope;
    if (slope < 0.0 && next >= a && next <= b && std::abs(next - s) <= roots::kPolished * s)
      return next;
    s = next;
    // Bisect where Newton's method does not halve the bracket and still takes long steps.
    if (k % 3 == 2) {
      if (b - a > 0.5 * width && std::abs(p) > 1e-3 * width * std::abs(slope)) s = 0.5 * (a + b);
      width = b - a;
    }
    if (b - a <= roots::kPolished * b) break;
  }
  return 0.5 * (a + b);
}

// Find the first root. Coefficients and their rounding are in column 2 `depth` of the stacks.
double RootFinder::search(Index degree, double left, double width, int depth, double limit) {
  if (left > limit) return kNoRoot;
  const Index column = 2 * depth;
  auto b = stack_.col(column).head(degree + 1);
  auto noise = noise_.col(column).head(degree + 1);
  int changes = 0;
  double last = 0.0;
  for (Index i = 0; i <= degree; ++i) {
    if (std::abs(b(i)) <= noise(i)) continue;
    if (last != 0.0 && (b(i) > 0.0) != (last > 0.0)) ++changes;
    if (last == 0.0 && b(i) < 0.0) return left;  // negative from the left end on
    last = b(i);
  }
  if (changes == 0) return kNoRoot;
  if (changes == 1) {
    const bool is_late = left + width > limit && value(degree, limit) > 0.0;
    return is_late ? kNoRoot : polish(degree, left, left + width);
  }
  if (depth == kMaxDepth) return left;

  // De Casteljau at the middle: the left half goes into column + 2, the right half stays in column
  // + 1. The rounding takes part in the same averages, so it shrinks with the function near a root.
  auto right = stack_.col(column + 1).head(degree + 1);
  auto half = stack_.col(column + 2).head(degree + 1);
  auto right_noise = noise_.col(column + 1).head(degree + 1);
  auto half_noise = noise_.col(column + 2).head(degree + 1);
  right = b;
  right_noise = noise;
  for (Index k = 0; k <= degree; ++k) {
    half(k) = right(0);
    half_noise(k) = right_noise(0);
    for (Index i = 0; i < degree - k; ++i) {
      right(i) = 0.5 * (right(i) + right(i + 1));
      right_noise(i) = 0.5 * (right_noise(i) + right_noise(i + 1)) + kUlp * std::abs(right(i));
    }
  }
  const double root = search(degree, left, 0.5 * width, depth + 1, limit);
  if (root <= 1.0) return root;
  stack_.col(column + 2).head(degree + 1) = stack_.col(column + 1).head(degree + 1);
  noise_.col(column + 2).head(degree + 1) = noise_.col(column + 1).head(degree + 1);
  return search(degree, left + 0.5 * width, 0.5 * width, depth + 1, limit);
}

double RootFinder::first_crossing(const ConstVectorRef& c, double limit) {
  Index zeros = 0;
  while (zeros < c.size() && c(zeros) == 0.0) ++zeros;
  Index degree = c.size() - 1;
  while (degree >= zeros && c(degree) == 0.0) --degree;
  if (degree < zeros) return kNoRoot;  // identically zero, so never negative
  degree -= zeros;
  power_.head(degree + 1) = c.segment(zeros, degree + 1);
  if (power_(0) < 0.0) return 0.0;
  // On [0, 1], p >= c_0 + Σ min(c_i, 0).
  double lower = power_(0), size = power_(0), end = power_(0), bend = 0.0;
  for (Index i = 1; i <= degree; ++i) {
    const double c_i = power_(i);
    lower += std::min(c_i, 0.0);
    size += std::abs(c_i);
    end += c_i;
    // p'' <= Σ i (i - 1) max(c_i, 0), without the term of c_2
    if (i > 2) bend += static_cast<double>(i * (i - 1)) * std::max(c_i, 0.0);
  }
  if (lower > 0.0) return kNoRoot;
  // If p is concave throughout, like a gap under a nearly constant force, it lies above its chord.
  // It crosses zero once if it ends below zero, otherwise not at all.
  const bool sinks = degree >= 2 && 2.0 * power_(2) + bend < 0.0;
  if (sinks && power_(0) > 0.0) {
    if (end > roots::kConversion * size) return kNoRoot;
    if (end < -roots::kConversion * size) {
      return limit < 1.0 && value(degree, limit) > 0.0 ? kNoRoot : polish(degree, 0.0, 1.0);
    }
  }
  multiply_lower((*to_bernstein_)[static_cast<std::size_t>(degree)], power_.data(), stack_.data());
  // b_j is a sum of c_0 ... c_j with weights up to 1.
  size = 0.0;
  for (Index i = 0; i <= degree; ++i) {
    size += std::abs(power_(i));
    noise_(i, 0) = roots::kConversion * size;
  }
  noise_(0, 0) = 0.0;  // b_0 = c_0
  return search(degree, 0.0, 1.0, 0, limit);
}

}  // namespace nsmb
