#include "nsmb/complementarity/friction_velocities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using namespace tolerances;
using Kind = FrictionPart::Kind;

constexpr std::size_t kMost = ContactSystem::kMostRows;
constexpr std::size_t kMostNode = MassMatrix::kLargestNode;

class VelocityNewtonRun {
 public:
  VelocityNewtonRun(const ContactSystem& system, const VelocityOptions& options,
                    FrictionJudge& judge, ContactFactors& factors, VelocityScratch& scratch)
      : p_(system), o_(options), judge_(judge), f_(factors), s_(scratch) {}

  int run();

 private:
  double evaluate();
  void find_impulses(Index c, const double* y);
  void differentiate();
  void differentiate_unit(Index c, const double* y);
  void assemble();
  bool find_step();
  bool search();
  double miss();
  bool has_converged() {
    const double noise = proximal_tuning::kRounding * (s_.r.lpNorm<1>() + o_.rho * s_.v.norm());
    return size_ <= noise || miss() <= o_.target;
  }
  double* G(Index c) { return &s_.G[at(c) * kMost * kMost]; }

  const ContactSystem& p_;
  const VelocityOptions& o_;
  FrictionJudge& judge_;
  ContactFactors& f_;
  VelocityScratch& s_;
  double size_ = 0.0;  // ‖F‖
};

double length(const double* z, Index dim) {
  return dim == 1 ? std::abs(z[0]) : std::hypot(z[0], z[1]);
}

void VelocityNewtonRun::find_impulses(Index c, const double* y) {
  const ContactUnit& unit = p_.unit(c);
  for (Index p = unit.part_begin; p < unit.part_end; ++p) {
    const FrictionPart& part = p_.part(p);
    double* r = &s_.r[part.first];
    for (Index q = 0; q < part.dim; ++q) {
      r[q] = s_.center[part.first + q] - o_.rho * y[part.first - unit.first + q];
    }
    if (part.kind == Kind::Normal) r[0] = std::max(r[0], 0.0);
    if (part.kind != Kind::Disc) continue;
    const double radius = part.bound + (part.normal >= 0 ? part.mu * s_.r[part.normal] : 0.0);
    const double size = length(r, part.dim);
    if (size <= radius) continue;
    for (Index q = 0; q < part.dim; ++q) r[q] *= radius / size;
  }
}

/// Compute r and F at v. Return ‖F‖.
double VelocityNewtonRun::evaluate() {
  std::array<double, kMost> y;
  s_.F.setZero(p_.velocities());
  for (Index c = 0; c < p_.count(); ++c) {
    p_.relative_velocity(c, s_.r, s_.v, y.data());
    find_impulses(c, y.data());
    p_.add_velocities(c, &s_.r[p_.unit(c).first], s_.F);
  }
  s_.F = s_.v - s_.F;
  return size_ = s_.F.norm();
}

/// Return ‖Hᵀ F‖ / ‖b‖, both in the original units: in velocities of contacts heavy bodies do not
/// mask light ones.
double VelocityNewtonRun::miss() {
  std::array<double, kMost> y;
  double sum = 0.0, whole = 0.0;
  for (Index c = 0; c < p_.count(); ++c) {
    const ContactUnit& unit = p_.unit(c);
    p_.relative_velocity(c, s_.r, s_.F, y.data());
    for (Index q = 0; q < unit.rows; ++q) {
      const double b = p_.b[unit.first + q], scale = 1.0 / p_.d[unit.first + q];
      sum += scale * scale * (y[at(q)] - b) * (y[at(q)] - b);
      whole += scale * scale * b * b;
    }
  }
  return std::sqrt(sum / std::max(whole, std::numeric_limits<double>::min()));
}

void VelocityNewtonRun::differentiate_unit(Index c, const double* y) {
  const ContactUnit& unit = p_.unit(c);
  double* G_c = G(c);
  std::fill_n(G_c, kMost * kMost, 0.0);
  const auto entry = [&](Index i, Index k) -> double& { return G_c[at(i + unit.rows * k)]; };
  for (Index p = unit.part_begin; p < unit.part_end; ++p) {
    const FrictionPart& part = p_.part(p);
    const Index i = part.first - unit.first;
    if (part.kind == Kind::Normal) {
      if (s_.r[part.first] > 0.0) entry(i, i) = o_.rho;
      continue;
    }
    double z[2] = {};
    for (Index q = 0; q < part.dim; ++q) z[q] = s_.center[part.first + q] - o_.rho * y[i + q];
    const bool grows = part.normal >= 0 && s_.r[part.normal] > 0.0;
    const double radius = part.bound + (grows ? part.mu * s_.r[part.normal] : 0.0);
    const double size = length(z, part.dim);
    if (part.kind == Kind::Free || (radius > 0.0 && size <= radius)) {
      for (Index q = 0; q < part.dim; ++q) entry(i + q, i + q) = o_.rho;
      continue;
    }
    if (!(radius > 0.0)) continue;
    const double e[2] = {z[0] / size, z[1] / size};
    for (Index q = 0; q < part.dim; ++q) {
      if (grows) entry(i + q, part.normal - unit.first) = o_.rho * part.mu * e[q];
      if (part.dim == 1) continue;
      for (Index k = 0; k < 2; ++k) {
        entry(i + q, i + k) = o_.rho * radius / size * ((q == k ? 1.0 : 0.0) - e[q] * e[k]);
      }
    }
  }
}

void VelocityNewtonRun::differentiate() {
  std::array<double, kMost> y;
  for (Index c = 0; c < p_.count(); ++c) {
    p_.relative_velocity(c, s_.r, s_.v, y.data());
    differentiate_unit(c, y.data());
  }
}

/// Assemble K = 1 + H G Hᵀ.
void VelocityNewtonRun::assemble() {
  BlockMatrix& K = f_.K;
  std::fill(K.values.begin(), K.values.end(), 0.0);
  for (Index g = 0; g < p_.nodes(); ++g) {
    set_identity(p_.node_size(g), K.entries(K.find(g, g)));
  }
  std::array<double, kMostNode * kMost> HG;
  for (Index c = 0; c < p_.count(); ++c) {
    const Index rows = p_.unit(c).rows;
    const double* G_c = G(c);
    if (std::all_of(G_c, G_c + rows * rows, [](double g) { return g == 0.0; })) continue;
    for (Index a = p_.H.begin(c); a < p_.H.end(c); ++a) {
      const Index size = p_.node_size(p_.H.group(a));
      const double* H_a = p_.H.entries(a);
      for (Index k = 0; k < rows; ++k) {
        double* column = &HG[at(size * k)];
        std::fill_n(column, size, 0.0);
        for (Index q = 0; q < rows; ++q) {
          const double g = G_c[q + rows * k];
          if (g == 0.0) continue;
          for (Index i = 0; i < size; ++i) column[i] += H_a[i + size * q] * g;
        }
      }
      for (Index b = p_.H.begin(c); b < p_.H.end(c); ++b) {
        const Index other = p_.node_size(p_.H.group(b));
        const double* H_b = p_.H.entries(b);
        double* block = K.entries(K.find(p_.H.group(a), p_.H.group(b)));
        for (Index j = 0; j < other; ++j) {
          for (Index k = 0; k < rows; ++k) {
            const double factor = H_b[j + other * k];
            if (factor == 0.0) continue;
            for (Index i = 0; i < size; ++i) block[i + size * j] += HG[at(i + size * k)] * factor;
          }
        }
      }
    }
  }
}

bool VelocityNewtonRun::find_step() {
  differentiate();
  assemble();
  ++judge_.result().factorizations;
  if (!f_.lu.factorize(f_.K, f_.size, false)) return false;
  s_.dv = -s_.F;
  f_.lu.solve(s_.dv);
  return s_.dv.allFinite();
}

/// Search by Armijo's rule for ‖F‖. Otherwise take the best of the lengths tried.
bool VelocityNewtonRun::search() {
  const double before = size_;
  s_.v_old = s_.v;
  double best = std::numeric_limits<double>::infinity(), alpha = 1.0;
  for (int k = 0; k <= proximal_tuning::kHalvings; ++k, alpha *= 0.5) {
    s_.v = s_.v_old + alpha * s_.dv;
    if (evaluate() <= (1.0 - mixed_tuning::kSufficientDecrease * alpha) * before) return true;
    if (size_ < best) {
      best = size_;
      s_.v_best = s_.v;
    }
  }
  s_.v = s_.v_best;
  return std::isfinite(evaluate());
}

int VelocityNewtonRun::run() {
  s_.r.resize(p_.rows());
  s_.G.resize(at(p_.count()) * kMost * kMost);
  double reached = evaluate();
  int idle = 0;
  for (int k = 0; k < o_.max_steps; ++k) {
    if (has_converged()) return k;
    if (judge_.must_stop() || !judge_.may_iterate()) return -1;
    if (!find_step() || !search()) return -1;
    if (size_ < proximal_tuning::kDecrease * reached) {
      reached = size_;
      idle = 0;
    } else if (++idle >= proximal_tuning::kIdleSteps) {
      return has_converged() ? k + 1 : -1;
    }
  }
  return has_converged() ? o_.max_steps : -1;
}

}  // namespace

bool suits_velocities(const ContactSystem& system) {
  if (!system.split) return false;
  for (const ContactUnit& unit : system.units) {
    for (Index p = unit.part_begin; p < unit.part_end; ++p) {
      const Index normal = system.part(p).normal;
      if (normal >= 0 && (normal < unit.first || normal >= unit.first + unit.rows)) return false;
    }
  }
  return true;
}

int run_velocity_newton(const ContactSystem& system, const VelocityOptions& options,
                        FrictionJudge& judge, ContactFactors& factors, VelocityScratch& s) {
  return VelocityNewtonRun(system, options, judge, factors, s).run();
}

}  // namespace nsmb::internal
