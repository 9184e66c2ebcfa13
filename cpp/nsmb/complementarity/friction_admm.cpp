// ADMM. When x = z at the end, -ρ u is y with De Saxcé's term.
//
// By bodies  (1 + ρ⁻¹ H Hᵀ) v = ρ⁻¹ H g,  ρ x = g - Hᵀ v,   g = ρ (z - u) - b - s,
// by contacts  (A + ρ E) x = g.
#include <algorithm>
#include <array>
#include <cmath>

#include "nsmb/complementarity/friction_splitting.hpp"
#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using namespace tolerances;

bool is_symmetric(const ContactSystem& system) {
  if (system.split) return true;
  const BlockMatrix& A = system.A;
  for (Index c = 0; c < system.count(); ++c) {
    const Index rows = system.unit(c).rows;
    for (Index b = A.begin(c); b < A.end(c); ++b) {
      const Index g = A.group(b);
      if (g < c) continue;
      const Index columns = system.unit(g).rows;
      const double* here = A.entries(b);
      const double* there = A.entries(A.find(g, c));
      for (Index j = 0; j < columns; ++j) {
        for (Index i = 0; i < rows; ++i) {
          const double difference = here[i + rows * j] - there[j + columns * i];
          if (!(std::abs(difference) <= friction::kAsymmetric)) return false;
        }
      }
    }
  }
  return true;
}

class AdmmRun {
 public:
  AdmmRun(const ContactSystem& system, FrictionJudge& judge, ContactFactors& factors,
          SplittingScratch& scratch)
      : p_(system), judge_(judge), f_(factors), s_(scratch), symmetric_(is_symmetric(system)) {}

  bool run(long max_steps, Vector& x);

 private:
  bool factorize();
  void minimize();
  void project();
  bool adapt(long step);

  const ContactSystem& p_;
  FrictionJudge& judge_;
  ContactFactors& f_;
  SplittingScratch& s_;
  bool symmetric_;
  double rho_ = splitting_tuning::kFirstPenalty;
  double primal_ = 0.0, dual_ = 0.0;
  int jumps_ = 0;
  long last_jump_ = 0;
};

bool AdmmRun::factorize() {
  ++judge_.result().factorizations;
  BlockMatrix& K = f_.K;
  if (!p_.split) {
    K.value = p_.A.value;
    K.values = p_.A.values;
    for (Index c = 0; c < p_.count(); ++c) f_.size[at(c)] = p_.unit(c).rows;
    for (Index c = 0; c < p_.count(); ++c) {
      const Index rows = p_.unit(c).rows;
      double* block = K.entries(K.find(c, c));
      for (Index i = 0; i < rows; ++i) block[i + rows * i] += rho_;
    }
    return f_.lu.factorize(K, f_.size, symmetric_);
  }
  std::fill(K.values.begin(), K.values.end(), 0.0);
  for (Index g = 0; g < p_.nodes(); ++g) {
    set_identity(p_.node_size(g), K.entries(K.find(g, g)));
  }
  const BlockMatrix& H = p_.H;
  for (Index c = 0; c < p_.count(); ++c) {
    for (Index a = H.begin(c); a < H.end(c); ++a) {
      for (Index b = H.begin(c); b < H.end(c); ++b) {
        const Index rows = p_.node_size(H.group(a));
        const Index columns = p_.node_size(H.group(b));
        double* block = K.entries(K.find(H.group(a), H.group(b)));
        for (Index q = 0; q < p_.unit(c).rows; ++q) {
          for (Index j = 0; j < columns; ++j) {
            const double factor = H.entries(b)[j + columns * q] / rho_;
            for (Index i = 0; i < rows; ++i) {
              block[i + rows * j] += H.entries(a)[i + rows * q] * factor;
            }
          }
        }
      }
    }
  }
  return f_.lu.factorize(K, f_.size, true);
}

/// Compute x of the unconstrained problem in s_.x.
void AdmmRun::minimize() {
  s_.right = rho_ * (s_.z - s_.u) - p_.b;
  for (Index c = 0; c < p_.count(); ++c) {
    const ContactUnit& unit = p_.unit(c);
    std::array<double, ContactSystem::kMostRows> y{};
    for (Index i = 0; i < unit.rows; ++i) y[at(i)] = -rho_ * s_.u[unit.first + i];
    s_.right[unit.first] -= de_saxce(p_, c, y.data());
  }
  if (!p_.split) {
    s_.x = s_.right;
    f_.lu.solve(s_.x);
    return;
  }
  s_.v.setZero(p_.velocities());
  for (Index c = 0; c < p_.count(); ++c) {
    p_.add_velocities(c, s_.right.data() + p_.unit(c).first, s_.v);
  }
  s_.v /= rho_;
  f_.lu.solve(s_.v);
  for (Index c = 0; c < p_.count(); ++c) {
    p_.relative_velocity(c, s_.right, s_.v, s_.x.data() + p_.unit(c).first);
  }
  s_.x = (s_.right - (s_.x - p_.b)) / rho_;
}

void AdmmRun::project() {
  s_.previous = s_.z;
  s_.trial = s_.x + s_.u;
  s_.z = s_.trial;
  for (Index c = 0; c < p_.count(); ++c) {
    project_unit(p_, c, s_.previous, s_.z.data() + p_.unit(c).first);
  }
  s_.u = s_.trial - s_.z;
  primal_ = (s_.x - s_.z).norm();
  dual_ = rho_ * (s_.z - s_.previous).norm();
}

/// Change the penalty to the value that would equalize both residuals, if they differ greatly.
/// Return false if the factorization fails.
bool AdmmRun::adapt(long step) {
  if (step - last_jump_ < splitting_tuning::kStepsBetweenJumps ||
      jumps_ >= splitting_tuning::kMostJumps) {
    return true;
  }
  const double ratio = primal_ / std::max(dual_, 1e-300);
  if (ratio < splitting_tuning::kJump && ratio > 1.0 / splitting_tuning::kJump) return true;
  const double factor = std::clamp(std::sqrt(ratio), 0.1, 10.0);
  rho_ *= factor;
  s_.u /= factor;
  ++jumps_;
  last_jump_ = step;
  return factorize();
}

bool AdmmRun::run(long max_steps, Vector& x) {
  constexpr long kCheckEvery = 5;
  if (!factorize()) return false;
  s_.z = x;
  s_.x = x;
  s_.u.setZero(x.size());
  if (x.squaredNorm() > 0.0) {
    p_.multiply(x, s_.v, s_.y);
    for (Index c = 0; c < p_.count(); ++c) {
      const Index first = p_.unit(c).first;
      s_.y[first] += de_saxce(p_, c, s_.y.data() + first);
    }
    s_.u = -s_.y / rho_;
  }
  for (long k = 1; k <= max_steps; ++k) {
    if (judge_.must_stop() || !judge_.may_iterate()) break;
    minimize();
    project();
    if (!s_.z.allFinite()) return false;
    x = s_.z;
    if (k % kCheckEvery == 0 && judge_.offer(s_.z, SparseFrictionMethod::Admm)) return true;
    if (!adapt(k)) return false;
  }
  return judge_.offer(s_.z, SparseFrictionMethod::Admm);
}

}  // namespace

bool run_admm(const ContactSystem& system, long max_steps, FrictionJudge& judge,
              ContactFactors& factors, SplittingScratch& scratch, Vector& x) {
  const MethodClock clock(judge.result(), SparseFrictionMethod::Admm);
  return AdmmRun(system, judge, factors, scratch).run(max_steps, x);
}

}  // namespace nsmb::internal
