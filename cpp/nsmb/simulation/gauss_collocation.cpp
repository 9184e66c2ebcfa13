#include "nsmb/simulation/gauss_collocation.hpp"

#include <cmath>

namespace nsmb {

namespace {

constexpr Index kStages = GaussCollocation::kStages;

// Gauss points on [0, 1], their weights, and A of the collocation method.
struct GaussRule {
  Eigen::Matrix<double, kStages, 1> c, b;
  Eigen::Matrix<double, kStages, kStages> A;
};

GaussRule make_rule() {
  GaussRule rule;
  const double inner = std::sqrt(3.0 / 7.0 - 2.0 / 7.0 * std::sqrt(6.0 / 5.0));
  const double outer = std::sqrt(3.0 / 7.0 + 2.0 / 7.0 * std::sqrt(6.0 / 5.0));
  rule.c << 0.5 * (1.0 - outer), 0.5 * (1.0 - inner), 0.5 * (1.0 + inner), 0.5 * (1.0 + outer);
  const double root = std::sqrt(30.0);
  rule.b << (18.0 - root) / 72.0, (18.0 + root) / 72.0, (18.0 + root) / 72.0, (18.0 - root) / 72.0;
  // The rows of A integrate all powers below kStages exactly.
  Matrix powers(kStages, kStages), integrals(kStages, kStages), weights(kStages, kStages);
  for (Index k = 0; k < kStages; ++k) {
    const double order = static_cast<double>(k + 1);
    for (Index i = 0; i < kStages; ++i) {
      powers(k, i) = std::pow(rule.c(i), static_cast<double>(k));
      integrals(k, i) = std::pow(rule.c(i), order) / order;
    }
  }
  DenseLu lu(kStages);
  lu.compute(powers);
  lu.solve_columns_to(integrals, weights);
  rule.A = weights.transpose();
  return rule;
}

const GaussRule& rule() {
  static const GaussRule gauss = make_rule();
  return gauss;
}

}  // namespace

GaussCollocation::GaussCollocation(Index n, Index m, Index np)
    : n_(n),
      np_(np),
      J_(kStages, Matrix(n, n)),
      B_(kStages, Matrix(n, np)),
      stages_(kStages * n, kStages * n),
      right_(kStages * n, m),
      solution_(kStages * n, m),
      lu_(kStages * n) {}

double GaussCollocation::place(Index stage) { return rule().c(stage); }

void GaussCollocation::step(double h, Matrix& Y) {
  const GaussRule& gauss = rule();
  for (Index i = 0; i < kStages; ++i) {
    for (Index j = 0; j < kStages; ++j) {
      auto block = stages_.block(i * n_, j * n_, n_, n_);
      block = -h * gauss.A(i, j) * J(i);
      if (i == j) block.diagonal().array() += 1.0;
    }
    auto right = right_.middleRows(i * n_, n_);
    right.noalias() = J(i) * Y;
    if (np_ > 0) right.rightCols(np_) += B(i);
  }
  lu_.compute(stages_);
  lu_.solve_columns_to(right_, solution_);
  for (Index i = 0; i < kStages; ++i) {
    Y += h * gauss.b(i) * solution_.middleRows(i * n_, n_);
  }
}

}  // namespace nsmb
