#include "nsmb/simulation/crossing_search.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr int kBends = 8;
// Depth of the smallest pieces, 1e-9 of the step. The position of a jump is then found on the
// function.
constexpr int kDeepest = 30;
// Limit for functions that jump everywhere. Smooth ones need a few dozen pieces.
constexpr int kMostPieces = 2000;
// Depth from which the noise of the function is evaluated.
constexpr int kAskNoise = 3;

}  // namespace

CrossingSearch::CrossingSearch()
    : interpolation_({2, 5}), values_(kDegree + 1), bernstein_(kDegree + 1) {}

// Sample f on a piece, and return the error of the polynomial.
double CrossingSearch::look(const Function& f, double side, const Piece& piece, bool at_zero) {
  const auto place = [&](double x) { return piece.a + x * (piece.b - piece.a); };
  for (Index i = 0; i <= kDegree; ++i) {
    values_(i) = side * f(i == kDegree ? piece.b : place(interpolation_.node(i)));
  }
  if (at_zero) values_(0) = 0.0;
  double error = 0.0;
  for (Index c = 0; c < ChebyshevInterpolation::kChecks; ++c) {
    const double polynomial = interpolation_.check_weights().row(c).dot(values_);
    error = std::max(error, std::abs(polynomial - side * f(place(interpolation_.check(c)))));
  }
  bernstein_.noalias() = interpolation_.to_bernstein() * values_;
  return error;
}

// Find the zero of side · f between a, where it is not negative, and b, where it is. Use secants,
// with bisection where they make no progress, down to neighbouring numbers.
double CrossingSearch::solve(const Function& f, double side, double a, double at_a, double b,
                             double at_b) {
  for (int pass = 0; pass < 200 && b - a > 2.0 * kEpsilon * b; ++pass) {
    double x = a + (b - a) * (at_a / (at_a - at_b));
    if (pass % 4 == 3 || !(x > a && x < b)) x = 0.5 * (a + b);
    if (!(x > a && x < b)) break;
    const double value = side * f(x);
    if (value == 0.0) return x;
    if (value > 0.0) {
      a = x;
      at_a = value;
      at_b *= 0.5;  // Illinois
    } else {
      b = x;
      at_b = value;
      at_a *= 0.5;
    }
  }
  return b;
}

double CrossingSearch::first(const Function& f, double side, double end, bool at_zero,
                             const Function& noise) {
  pieces_.clear();
  pieces_.push_back({0.0, end, 0});
  for (int count = 0; !pieces_.empty(); ++count) {
    const Piece piece = pieces_.back();
    pieces_.pop_back();
    const bool begins = at_zero && piece.a == 0.0;
    const double error = look(f, side, piece, begins);
    const double largest = values_.cwiseAbs().maxCoeff();
    const double range = values_.maxCoeff() - values_.minCoeff();
    const double floor = 64.0 * kEpsilon * largest;
    const double clear = watching::kClear * error + floor;
    const bool is_good = error <= watching::kAgreement * range + floor || piece.depth >= kBends;
    const Index first = begins ? 1 : 0;
    if (is_good && bernstein_.tail(kDegree + 1 - first).minCoeff() > clear) continue;
    if (begins && is_good && bernstein_(1) < -clear) return 0.0;
    const double unknown = piece.depth >= kAskNoise ? noise(piece.a) : 0.0;
    if (largest <= unknown) continue;
    double at_a = values_(0);
    if (at_a < 0.0) {
      if (-at_a > unknown && piece.depth >= kAskNoise) return piece.a;
      at_a = 0.0;
    }
    const bool falls = values_(kDegree) < 0.0;
    bool is_monotone = true;
    for (Index k = 0; k < kDegree; ++k) {
      is_monotone = is_monotone && bernstein_(k + 1) - bernstein_(k) <= 0.0;
    }
    const bool is_last = piece.depth == kDeepest || count >= kMostPieces;
    if (falls && ((is_good && is_monotone) || is_last)) {
      if (begins && is_last) return 0.0;
      return solve(f, side, piece.a, at_a, piece.b, values_(kDegree));
    }
    if (is_last) continue;
    const double middle = 0.5 * (piece.a + piece.b);
    pieces_.push_back({middle, piece.b, piece.depth + 1});
    pieces_.push_back({piece.a, middle, piece.depth + 1});
  }
  return kNever;
}

}  // namespace nsmb
