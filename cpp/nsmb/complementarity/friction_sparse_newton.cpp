#include "nsmb/complementarity/friction_sparse_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using namespace tolerances;
using Kind = FrictionPart::Kind;

constexpr std::size_t kMost = ContactSystem::kMostRows;
constexpr std::size_t kMostNode = MassMatrix::kLargestNode;

class SparseNewtonRun {
 public:
  SparseNewtonRun(const ContactSystem& system, const SparseNewtonOptions& options,
                  FrictionJudge& judge, ContactFactors& factors, SparseNewtonScratch& scratch)
      : p_(system), o_(options), judge_(judge), f_(factors), s_(scratch), it_(scratch.it) {}

  bool run();

 private:
  void evaluate();
  void evaluate_y();
  void reduce();
  void reduce_unit(Index c);
  void assemble_contacts();
  void assemble_bodies();
  bool solve_contacts();
  bool solve_bodies();
  bool find_step();
  void move(double alpha);
  bool search();
  double* R(Index c) { return &s_.R[at(c) * kMost * kMost]; }
  double* L(Index c) { return &s_.L[at(c) * kMost * kMost]; }
  Index reduced(Index c) const { return s_.first[at(c) + 1] - s_.first[at(c)]; }

  const ContactSystem& p_;
  const SparseNewtonOptions& o_;
  FrictionJudge& judge_;
  ContactFactors& f_;
  SparseNewtonScratch& s_;
  FrictionIterate& it_;
  std::array<double, 4> norms_{};
  double levenberg_ = 0.0;
};

void SparseNewtonRun::evaluate_y() {
  p_.multiply(it_.x, s_.v, it_.y);
  if (o_.weight > 0.0) it_.y += o_.weight * (it_.x - s_.center);
}

void SparseNewtonRun::evaluate() {
  evaluate_y();
  evaluate_projection(p_.parts, it_);
}

/// Compute R, L, E, r of a unit, and its part of dx_0.
void SparseNewtonRun::reduce_unit(Index c) {
  const ContactUnit& unit = p_.unit(c);
  double* R_c = R(c);
  double* L_c = L(c);
  std::fill_n(R_c, kMost * kMost, 0.0);
  std::fill_n(L_c, kMost * kMost, 0.0);
  const double shift = levenberg_ + o_.weight;
  const Index begin = s_.first[at(c)];
  Index k = 0;
  Index normal_column = -1;
  const auto add = [&](double diagonal, double right) {
    s_.E[begin + k] = diagonal;
    s_.r[begin + k] = right;
    ++k;
  };
  for (Index p = unit.part_begin; p < unit.part_end; ++p) {
    const FrictionPart& part = p_.part(p);
    const Index i = part.first;
    const Index row = i - unit.first;
    const PartState state = it_.state[at(p)];
    if (state == PartState::Zero) {
      s_.dx.segment(i, part.dim) = -it_.x.segment(i, part.dim);
    } else if (state == PartState::Held) {
      if (part.kind == Kind::Normal) normal_column = k;
      for (Index q = 0; q < part.dim; ++q) {
        R_c[row + q + unit.rows * k] = 1.0;
        L_c[row + q + unit.rows * k] = 1.0;
        add(shift, -it_.y[i + q]);
      }
    } else {
      // A normal impulse of another unit is held fixed.
      const bool inside = part.normal >= unit.first && part.normal < unit.first + unit.rows;
      const bool closed = part.normal >= 0 && (!inside || normal_column >= 0);
      const double radius = part.bound + (closed ? part.mu * it_.x[part.normal] : 0.0);
      const double size = part.dim == 1 ? std::abs(it_.tau[i]) : it_.tau.segment<2>(i).norm();
      double along = radius;
      for (Index q = 0; q < part.dim; ++q) along -= it_.tau[i + q] / size * it_.x[i + q];
      for (Index q = 0; q < part.dim; ++q) {
        const double e = it_.tau[i + q] / size;
        s_.dx[i + q] = along * e;
        if (inside && closed) R_c[row + q + unit.rows * normal_column] = part.mu * e;
      }
      if (part.dim == 1) continue;
      const double t[2] = {-it_.tau[i + 1] / size, it_.tau[i] / size};
      const double rim = it_.rim[p];
      double right = 0.0;
      for (Index q = 0; q < 2; ++q) {
        R_c[row + q + unit.rows * k] = t[q];
        L_c[row + q + unit.rows * k] = rim * t[q];
        right -= t[q] * it_.x[i + q];
      }
      add(1.0 - rim + rim * shift, right);
    }
  }
}

void SparseNewtonRun::reduce() {
  s_.first.resize(at(p_.count()) + 1);
  s_.first[0] = 0;
  for (Index c = 0; c < p_.count(); ++c) {
    Index size = 0;
    for (Index p = p_.unit(c).part_begin; p < p_.unit(c).part_end; ++p) {
      const PartState state = it_.state[at(p)];
      if (state == PartState::Held) size += p_.part(p).dim;
      if (state == PartState::Slides) size += p_.part(p).dim - 1;
    }
    s_.first[at(c) + 1] = s_.first[at(c)] + size;
  }
  const Index total = s_.first.back();
  for (Vector* vector : {&s_.E, &s_.r, &s_.z}) vector->resize(total);
  s_.dx.setZero(p_.rows());
  for (Index c = 0; c < p_.count(); ++c) reduce_unit(c);
}

/// Assemble K = Lᵀ A R + E by contacts.
void SparseNewtonRun::assemble_contacts() {
  BlockMatrix& K = f_.K;
  for (Index c = 0; c < p_.count(); ++c) f_.size[at(c)] = reduced(c);
  for (Index c = 0; c < p_.count(); ++c) {
    for (Index b = K.begin(c); b < K.end(c); ++b) {
      K.value[at(b) + 1] = K.value[at(b)] + at(reduced(c) * reduced(K.group(b)));
    }
  }
  K.values.resize(std::max(K.values.size(), K.value.back()));
  std::array<double, kMost * kMost> AR;
  for (Index c = 0; c < p_.count(); ++c) {
    const Index rows = p_.unit(c).rows;
    const Index own = reduced(c);
    for (Index b = K.begin(c); b < (own > 0 ? K.end(c) : K.begin(c)); ++b) {
      const Index g = K.group(b);
      const Index columns = p_.unit(g).rows;
      const double* A = p_.A.entries(b);
      const double* R_g = R(g);
      double* block = K.entries(b);
      for (Index j = 0; j < reduced(g); ++j) {
        std::fill_n(AR.begin(), rows, 0.0);
        for (Index q = 0; q < columns; ++q) {
          const double factor = R_g[q + columns * j];
          if (factor == 0.0) continue;
          for (Index i = 0; i < rows; ++i) AR[at(i)] += A[i + rows * q] * factor;
        }
        for (Index i = 0; i < own; ++i) {
          double sum = 0.0;
          for (Index q = 0; q < rows; ++q) sum += L(c)[q + rows * i] * AR[at(q)];
          block[i + own * j] = sum;
        }
        if (g == c) block[j + own * j] += s_.E[s_.first[at(c)] + j];
      }
    }
  }
}

/// Assemble K = 1 + H R E⁻¹ Lᵀ Hᵀ by bodies.
void SparseNewtonRun::assemble_bodies() {
  BlockMatrix& K = f_.K;
  std::fill(K.values.begin(), K.values.end(), 0.0);
  for (Index g = 0; g < p_.nodes(); ++g) {
    set_identity(p_.node_size(g), K.entries(K.find(g, g)));
  }
  std::array<double, kMostNode * kMost> G, Q;
  for (Index c = 0; c < p_.count(); ++c) {
    const Index rows = p_.unit(c).rows;
    const Index own = reduced(c);
    const Index begin = s_.first[at(c)];
    for (Index a = p_.H.begin(c); a < (own > 0 ? p_.H.end(c) : p_.H.begin(c)); ++a) {
      const Index size = p_.node_size(p_.H.group(a));
      const double* H_a = p_.H.entries(a);
      for (Index k = 0; k < own; ++k) {
        for (Index i = 0; i < size; ++i) {
          double sum = 0.0;
          for (Index q = 0; q < rows; ++q) sum += H_a[i + size * q] * R(c)[q + rows * k];
          G[at(i + size * k)] = sum / s_.E[begin + k];
        }
      }
      for (Index b = p_.H.begin(c); b < p_.H.end(c); ++b) {
        const Index other = p_.node_size(p_.H.group(b));
        const double* H_b = p_.H.entries(b);
        for (Index k = 0; k < own; ++k) {
          for (Index j = 0; j < other; ++j) {
            double sum = 0.0;
            for (Index q = 0; q < rows; ++q) sum += L(c)[q + rows * k] * H_b[j + other * q];
            Q[at(j + other * k)] = sum;
          }
        }
        double* block = K.entries(K.find(p_.H.group(a), p_.H.group(b)));
        for (Index j = 0; j < other; ++j) {
          for (Index k = 0; k < own; ++k) {
            const double factor = Q[at(j + other * k)];
            for (Index i = 0; i < size; ++i) block[i + size * j] += G[at(i + size * k)] * factor;
          }
        }
      }
    }
  }
}

bool SparseNewtonRun::solve_contacts() {
  assemble_contacts();
  ++judge_.result().factorizations;
  if (!f_.lu.factorize(f_.K, f_.size, false)) return false;
  p_.multiply(s_.dx, s_.v, s_.dy);
  s_.dy -= p_.b;
  for (Index c = 0; c < p_.count(); ++c) {
    const Index rows = p_.unit(c).rows;
    for (Index k = 0; k < reduced(c); ++k) {
      double sum = s_.r[s_.first[at(c)] + k];
      for (Index q = 0; q < rows; ++q) sum -= L(c)[q + rows * k] * s_.dy[p_.unit(c).first + q];
      s_.z[s_.first[at(c)] + k] = sum;
    }
  }
  f_.lu.solve(s_.z);
  return true;
}

bool SparseNewtonRun::solve_bodies() {
  assemble_bodies();
  ++judge_.result().factorizations;
  if (!f_.lu.factorize(f_.K, f_.size, false)) return false;
  s_.dv.setZero(p_.velocities());
  std::array<double, kMost> load{};
  for (Index c = 0; c < p_.count(); ++c) {
    const ContactUnit& unit = p_.unit(c);
    for (Index q = 0; q < unit.rows; ++q) {
      load[at(q)] = s_.dx[unit.first + q];
      for (Index k = 0; k < reduced(c); ++k) {
        const Index z = s_.first[at(c)] + k;
        load[at(q)] += R(c)[q + unit.rows * k] * s_.r[z] / s_.E[z];
      }
    }
    p_.add_velocities(c, load.data(), s_.dv);
  }
  f_.lu.solve(s_.dv);
  for (Index c = 0; c < p_.count(); ++c) {
    const ContactUnit& unit = p_.unit(c);
    p_.relative_velocity(c, s_.dx, s_.dv, load.data());
    for (Index q = 0; q < unit.rows; ++q) load[at(q)] -= p_.b[unit.first + q];
    for (Index k = 0; k < reduced(c); ++k) {
      const Index z = s_.first[at(c)] + k;
      double sum = s_.r[z];
      for (Index q = 0; q < unit.rows; ++q) sum -= L(c)[q + unit.rows * k] * load[at(q)];
      s_.z[z] = sum / s_.E[z];
    }
  }
  return true;
}

/// Compute dx and dy = (A + weight E) dx.
bool SparseNewtonRun::find_step() {
  reduce();
  if (!(p_.split ? solve_bodies() : solve_contacts())) return false;
  for (Index c = 0; c < p_.count(); ++c) {
    const ContactUnit& unit = p_.unit(c);
    for (Index k = 0; k < reduced(c); ++k) {
      const double z = s_.z[s_.first[at(c)] + k];
      for (Index q = 0; q < unit.rows; ++q) s_.dx[unit.first + q] += R(c)[q + unit.rows * k] * z;
    }
  }
  p_.multiply(s_.dx, s_.v, s_.dy);
  s_.dy -= p_.b;
  if (o_.weight > 0.0) s_.dy += o_.weight * s_.dx;
  return s_.dx.allFinite() && s_.dy.allFinite();
}

void SparseNewtonRun::move(double alpha) {
  it_.x = s_.x_old + alpha * s_.dx;
  it_.y = s_.y_old + alpha * s_.dy;
  evaluate_projection(p_.parts, it_);
}

/// Search as in friction_newton.cpp.
bool SparseNewtonRun::search() {
  constexpr int kHalvings = 6;
  const double limit = *std::max_element(norms_.begin(), norms_.end());
  s_.x_old = it_.x;
  s_.y_old = it_.y;
  double best = std::numeric_limits<double>::infinity();
  double best_alpha = 0.0;
  double alpha = 1.0;
  for (int k = 0; k <= kHalvings; ++k, alpha *= 0.5) {
    move(alpha);
    if (it_.norm2 <= (1.0 - mixed_tuning::kSufficientDecrease * alpha) * limit) return true;
    if (it_.norm2 < best) {
      best = it_.norm2;
      best_alpha = alpha;
    }
  }
  move(best_alpha);
  return best_alpha > 0.0;
}

bool SparseNewtonRun::run() {
  const Vector start = it_.x;
  it_.resize(p_.rows(), static_cast<Index>(p_.parts.size()));
  it_.x = start;
  s_.R.resize(at(p_.count()) * kMost * kMost);
  s_.L.resize(s_.R.size());
  double previous = std::numeric_limits<double>::infinity();
  evaluate();
  for (int k = 0; k < o_.max_steps; ++k) {
    const double size = std::max(1.0, it_.x.lpNorm<Eigen::Infinity>());
    if (k > 0 && it_.largest <= friction::kNearSolution * size) evaluate();
    if (o_.judged && k > 0 && judge_.offer(it_.x, SparseFrictionMethod::Newton)) return true;
    if (it_.largest <= o_.target * size) return true;
    if (it_.largest <= friction::kNewtonRounding * size && it_.largest > 0.5 * previous)
      return true;
    previous = it_.largest;
    if (k == 0) norms_.fill(it_.norm2);
    norms_[static_cast<std::size_t>(k) % norms_.size()] = it_.norm2;
    levenberg_ = std::clamp(friction_tuning::kLevenbergShare * it_.norm2,
                            std::max(o_.smallest, friction_tuning::kLevenbergSmallest),
                            friction_tuning::kLevenbergLargest);
    if (judge_.must_stop() || !judge_.may_iterate()) break;
    if (!find_step() || !search()) break;
  }
  evaluate();
  if (o_.judged && judge_.offer(it_.x, SparseFrictionMethod::Newton)) return true;
  return it_.largest <= friction::kNewtonRounding * std::max(1.0, it_.x.lpNorm<Eigen::Infinity>());
}

}  // namespace

bool run_sparse_newton(const ContactSystem& system, const SparseNewtonOptions& options,
                       FrictionJudge& judge, ContactFactors& factors,
                       SparseNewtonScratch& scratch) {
  return SparseNewtonRun(system, options, judge, factors, scratch).run();
}

bool run_proximal_newton(const ContactSystem& system, int max_outer, FrictionJudge& judge,
                         ContactFactors& factors, SparseNewtonScratch& s) {
  double weight = friction_tuning::kFirstWeight;
  for (int outer = 0; outer < max_outer; ++outer) {
    s.center = s.it.x;
    ++judge.result().outer_iterations;
    const SparseNewtonOptions options{
        .max_steps = 40, .target = 0.1 * friction::kTarget, .weight = weight, .judged = false};
    const bool done = run_sparse_newton(system, options, judge, factors, s);
    if (!s.it.x.allFinite()) s.it.x = s.center;
    if (judge.offer(s.it.x, SparseFrictionMethod::Newton)) return true;
    if (judge.was_stopped()) return false;
    if (!done) s.it.x = s.center;
    if (!done && weight >= friction_tuning::kLargestWeight) return false;
    weight = done ? std::max(weight / 3.0, friction_tuning::kSmallestWeight)
                  : std::min(10.0 * weight, friction_tuning::kLargestWeight);
  }
  return false;
}

}  // namespace nsmb::internal
