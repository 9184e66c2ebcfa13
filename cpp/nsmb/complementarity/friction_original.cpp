#include "nsmb/complementarity/friction_original.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/friction_cone.hpp"
#include "nsmb/complementarity/friction_problem.hpp"
#include "nsmb/core/check.hpp"

namespace nsmb::internal {
namespace {

double square(double value) { return value * value; }

/// Get the sets of a block that is one cone. Return their number.
Index cone_sets(const ContactBlock& block, std::array<ConeSet, 3>& sets) {
  Index count = 0;
  Index row = 1;
  const auto add = [&](Index dim, double mu) {
    if (dim > 0) sets[static_cast<std::size_t>(count++)] = {row, dim, mu};
    row += dim;
  };
  add(block.tangents, block.mu);
  add(block.rolling, block.mu_R);
  add(block.drilling, block.mu_D);
  return count;
}

/// Return |s x - proj(s x - F)|² of a cone, F with De Saxcé's term.
double cone_miss(const ContactBlock& block, const double* x, const double* y, double s) {
  std::array<ConeSet, 3> sets;
  const Index count = cone_sets(block, sets);
  std::array<double, 6> z{};
  const Index rows = block.rows();
  for (Index i = 0; i < rows; ++i) z[static_cast<std::size_t>(i)] = s * x[i] - y[i];
  double saxce = 0.0;
  for (Index k = 0; k < count; ++k) {
    const ConeSet& set = sets[static_cast<std::size_t>(k)];
    saxce += set.mu * set_size(set, y);
  }
  z[0] -= saxce;
  double sum = 0.0;
  if (project_cone(sets.data(), count, z.data())) {
    // Use F itself: next to a very large x the difference would lose it.
    for (Index i = 0; i < rows; ++i) sum += square(i == 0 ? y[0] + saxce : y[i]);
    return sum;
  }
  for (Index i = 0; i < rows; ++i) sum += square(s * x[i] - z[static_cast<std::size_t>(i)]);
  return sum;
}

double disc_miss(Index dim, double radius, double aspect, const double* x, const double* y,
                 double s) {
  const double a = dim == 2 ? aspect : 1.0;
  const double x_T[2] = {s * x[0], dim == 2 ? s * x[1] / a : 0.0};
  double tau[2] = {x_T[0] - y[0], dim == 2 ? x_T[1] - a * y[1] : 0.0};
  project_disc({.first = 0, .dim = dim}, s * radius, tau);
  return square(x_T[0] - tau[0]) + square(x_T[1] - tau[1]);
}

}  // namespace

void OriginalFriction::assign(const SparseFrictionProblem& problem,
                              const FrictionMeasure& measure) {
  problem_ = &problem;
  const Index m = problem.rows();
  q_ = problem.w;
  set_units();
  if (problem.is_global()) {
    problem.bodies.empty() ? compare_rows() : number_bodies();
    mass_.assign(problem.M, alike_);
    v_free_ = problem.f;
    mass_.solve(v_free_);
    q_ += problem.H.transpose() * v_free_;
  }
  diagonal_.setZero(m);
  if (is_split()) {
    split();
  } else {
    form_W();
  }
  set_scales(measure);
}

void OriginalFriction::set_units() {
  units_.assign(1, 0);
  for (const ContactBlock& block : problem_->blocks) {
    const Index parts = std::max(block.free, Index{1});
    for (Index k = 0; k < parts; ++k) units_.push_back(units_.back() + block.rows() / parts);
  }
}

void OriginalFriction::number_bodies() {
  const std::vector<Index>& bodies = problem_->bodies;
  alike_.resize(static_cast<std::size_t>(problem_->M.rows()));
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Index end = k + 1 < bodies.size() ? bodies[k + 1] : problem_->M.rows();
    std::fill(alike_.begin() + bodies[k], alike_.begin() + end, k + 1);
  }
}

void OriginalFriction::compare_rows() {
  const SparseMatrix& H = problem_->H;
  alike_.assign(static_cast<std::size_t>(H.rows()), 0);
  last_.assign(alike_.size(), -1);
  for (Index c = 0; c + 1 < static_cast<Index>(units_.size()); ++c) {
    // Sums of hash values distinguish different sets of contacts.
    std::uint64_t number = static_cast<std::uint64_t>(c + 1) * 0x9e3779b97f4a7c15ULL;
    number = (number ^ (number >> 31)) * 0xbf58476d1ce4e5b9ULL;
    for (Index j = units_[static_cast<std::size_t>(c)]; j < units_[static_cast<std::size_t>(c) + 1];
         ++j) {
      for (SparseMatrix::InnerIterator it(H, j); it; ++it) {
        const auto row = static_cast<std::size_t>(it.row());
        if (last_[row] != c) alike_[row] += number;
        last_[row] = c;
      }
    }
  }
}

void OriginalFriction::split() {
  gather_columns(problem_->H, units_, mass_.node(), mass_.place(), mass_.first(), H_);
  for (Index c = 0; c < H_.lists(); ++c) {
    const Index first = units_[static_cast<std::size_t>(c)];
    const Index rows = units_[static_cast<std::size_t>(c) + 1] - first;
    for (Index b = H_.begin(c); b < H_.end(c); ++b) {
      const Index size = mass_.size(H_.group(b));
      for (Index j = 0; j < rows; ++j) {
        double* h = H_.entries(b) + size * j;
        mass_.solve_lower(H_.group(b), h);
        for (Index i = 0; i < size; ++i) diagonal_[first + j] += h[i] * h[i];
      }
    }
  }
}

/// Compute W. If the mass matrix is not block-diagonal, W has few zeros, and its columns are
/// computed by solving.
void OriginalFriction::form_W() {
  const SparseFrictionProblem& p = *problem_;
  const Index m = p.rows();
  if (!p.is_global()) {
    gather_rows(p.W, units_, W_);
    diagonal_ = p.W.diagonal();
    return;
  }
  std::vector<Eigen::Triplet<double>> entries;
  Vector column(p.M.rows());
  Vector effect(m);
  for (Index j = 0; j < m; ++j) {
    column = p.H.col(j);
    mass_.solve(column);
    effect.noalias() = p.H.transpose() * column;
    for (Index i = 0; i < m; ++i) {
      if (effect[i] != 0.0) entries.emplace_back(i, j, effect[i]);
    }
    diagonal_[j] = effect[j];
  }
  SparseMatrix W(m, m);
  W.setFromTriplets(entries.begin(), entries.end());
  gather_rows(W, units_, W_);
}

void OriginalFriction::set_scales(const FrictionMeasure& measure) {
  const double largest = diagonal_.size() == 0 ? 0.0 : diagonal_.maxCoeff();
  s_.assign(problem_->blocks.size(), measure.impulse_scale);
  for (std::size_t k = 0; k < s_.size() && measure.impulse_scale == 0.0; ++k) {
    const ContactBlock& block = problem_->blocks[k];
    const Index rows = std::max(Index{1}, (block.normal ? 1 : 0) + block.tangents);
    const double mean = diagonal_.segment(block.first, rows).mean();
    s_[k] = mean > 0.0 ? mean : (largest > 0.0 ? largest : 1.0);
  }
  size_ = std::max(measure.scale, q_.norm());
  if (!(size_ > 0.0)) size_ = 1.0;
}

void OriginalFriction::evaluate(const ConstVectorRef& x, Vector& y, Vector& v) const {
  const SparseFrictionProblem& p = *problem_;
  y = p.w;
  if (!p.is_global()) {
    v.resize(0);
    y.noalias() += p.W * x;
    return;
  }
  v = p.f;
  v.noalias() += p.H * x;
  mass_.solve(v);
  y.noalias() += p.H.transpose() * v;
}

double OriginalFriction::miss(const ContactBlock& block, const Vector& x, const Vector& y,
                              double s) const {
  const double* x_block = x.data() + block.first;
  const double* y_block = y.data() + block.first;
  if (block.free > 0) return y.segment(block.first, block.free).squaredNorm();
  if (block.normal && block.bound == 0.0 && block.aspect == 1.0) {
    return cone_miss(block, x_block, y_block, s);
  }
  double sum = 0.0;
  double x_N = 0.0;
  Index row = 0;
  if (block.normal) {
    sum += square(std::min(s * x_block[0], y_block[0]));
    x_N = std::max(x_block[0], 0.0);
    row = 1;
  } else if (block.normal_of >= 0) {
    const auto of = static_cast<std::size_t>(block.normal_of);
    x_N = std::max(x[problem_->blocks[of].first], 0.0);
  }
  const auto add = [&](Index dim, double radius, double aspect) {
    if (dim > 0) sum += disc_miss(dim, radius, aspect, x_block + row, y_block + row, s);
    row += dim;
  };
  add(block.tangents, block.mu * x_N + block.bound, block.aspect);
  add(block.rolling, block.mu_R * x_N, 1.0);
  add(block.drilling, block.mu_D * x_N, 1.0);
  return sum;
}

double OriginalFriction::residual(const Vector& x, const Vector& y) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < problem_->blocks.size(); ++k) {
    sum += miss(problem_->blocks[k], x, y, s_[k]);
  }
  // Comparisons with NaN are false, and some sets hide a NaN.
  if (!std::isfinite(sum) || !x.allFinite()) return std::numeric_limits<double>::infinity();
  return std::sqrt(sum) / size_;
}

Vector OriginalFriction::misses(const Vector& x, const Vector& y) const {
  Vector found(static_cast<Index>(problem_->blocks.size()));
  for (std::size_t k = 0; k < problem_->blocks.size(); ++k) {
    const double sum = miss(problem_->blocks[k], x, y, s_[k]);
    found(static_cast<Index>(k)) =
        std::isfinite(sum) ? std::sqrt(sum) / size_ : std::numeric_limits<double>::infinity();
  }
  return found;
}

}  // namespace nsmb::internal

namespace nsmb {

double sparse_friction_residual(const SparseFrictionProblem& problem, const ConstVectorRef& x,
                                const FrictionMeasure& measure) {
  check_sparse_friction(problem);
  check_measure(measure);
  check_size("x", x, problem.rows());
  internal::OriginalFriction original;
  original.assign(problem, measure);
  Vector y, v;
  original.evaluate(x, y, v);
  return original.residual(x, y);
}

Vector sparse_friction_misses(const SparseFrictionProblem& problem, const ConstVectorRef& x,
                              const FrictionMeasure& measure) {
  check_sparse_friction(problem);
  check_measure(measure);
  check_size("x", x, problem.rows());
  internal::OriginalFriction original;
  original.assign(problem, measure);
  Vector y, v;
  original.evaluate(x, y, v);
  return original.misses(x, y);
}

}  // namespace nsmb
