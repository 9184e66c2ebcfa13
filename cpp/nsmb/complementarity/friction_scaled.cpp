#include "nsmb/complementarity/friction_scaled.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using namespace tolerances;

using Kind = FrictionPart::Kind;

/// Return the size of the diagonal block of a part, or where it vanishes, of the largest entry
/// around it.
double block_size(const ConstMatrixRef& A, Index i, Index dim, double aspect) {
  double diagonal = std::abs(A(i, i));
  double around = std::max(A.row(i).cwiseAbs().maxCoeff(), A.col(i).cwiseAbs().maxCoeff());
  if (dim == 2) {
    diagonal = std::max(diagonal, aspect * aspect * std::abs(A(i + 1, i + 1)));
    around = std::max(around, aspect * std::max(A.row(i + 1).cwiseAbs().maxCoeff(),
                                                A.col(i + 1).cwiseAbs().maxCoeff()));
  }
  if (diagonal > friction::kVanishingBlock * around) return diagonal;
  return around > 0.0 ? around : 1.0;
}

}  // namespace

void ScaledFriction::assign(const ConstMatrixRef& A_in, const ConstVectorRef& b_in,
                            const FrictionRows& rows, const std::vector<char>& row_is_used) {
  const Index n = b_in.size();
  d.resize(n);
  parts.clear();
  const auto add = [&](Kind kind, const FrictionDisc& disc) {
    d[disc.first] = 1.0 / std::sqrt(block_size(A_in, disc.first, disc.dim, disc.aspect));
    if (disc.dim == 2) d[disc.first + 1] = disc.aspect * d[disc.first];
    parts.push_back({kind, disc.first, disc.dim, disc.normal, disc.mu, disc.bound});
  };
  for (const Index row : rows.normals) {
    add(Kind::Normal, {.first = row});
    for (const FrictionDisc& disc : rows.discs) {
      if (disc.normal == row) add(Kind::Disc, disc);
    }
  }
  for (const FrictionDisc& disc : rows.discs) {
    if (disc.normal < 0) add(Kind::Disc, disc);
  }
  for (Index i = 0; i < n; ++i) {
    if (!row_is_used[static_cast<std::size_t>(i)]) add(Kind::Free, {.first = i});
  }

  b = b_in;
  b.array() *= d.array();
  beta = n == 0 ? 1.0 : b.lpNorm<Eigen::Infinity>();
  if (!(beta > 0.0)) beta = 1.0;
  b /= beta;
  A = A_in;
  for (Index j = 0; j < n; ++j) A.col(j).array() *= d.array() * d[j];
  for (FrictionPart& part : parts) {
    if (part.kind != Kind::Disc) continue;
    if (part.normal >= 0) part.mu *= d[part.normal] / d[part.first];
    part.bound /= d[part.first] * beta;
  }
}

void ScaledFriction::to_original(const Vector& scaled, Vector& x) const {
  x = scaled;
  x.array() *= d.array() * beta;
}

void ScaledFriction::to_scaled(const Vector& x, Vector& scaled) const {
  scaled = x;
  scaled.array() /= d.array() * beta;
}

void FrictionIterate::resize(Index n, Index parts) {
  for (Vector* v : {&x, &y, &tau, &F}) v->resize(n);
  state.resize(static_cast<std::size_t>(parts));
  rim.resize(parts);
}

void evaluate_y(const ScaledFriction& problem, const Proximal& proximal, FrictionIterate& it) {
  it.y = problem.b;
  for (Index j = 0; j < it.x.size(); ++j) {
    if (it.x[j] != 0.0) it.y += it.x[j] * problem.A.col(j);
  }
  if (proximal.weight != nullptr) {
    it.y.array() += proximal.weight->array() * (it.x - *proximal.center).array();
  }
}

void evaluate_projection(const std::vector<FrictionPart>& parts, FrictionIterate& it) {
  it.tau = it.x - it.y;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const FrictionPart& part = parts[p];
    const Index i = part.first;
    PartState state = PartState::Held;
    if (part.kind == Kind::Normal) {
      if (!(it.tau[i] > 0.0)) state = PartState::Zero;
    } else if (part.kind == Kind::Disc) {
      // The radius uses the projected normal argument of the same evaluation, (36).
      const double tau_N = part.normal < 0 ? 0.0 : std::max(it.tau[part.normal], 0.0);
      const double radius = part.mu * tau_N + part.bound;
      const double size = part.dim == 1 ? std::abs(it.tau[i]) : it.tau.segment<2>(i).norm();
      if (!(radius > 0.0)) {
        state = PartState::Zero;
      } else if (size > radius) {
        state = PartState::Slides;
        it.rim[static_cast<Index>(p)] = radius / size;
      }
    }
    it.state[p] = state;
    for (Index k = i; k < i + part.dim; ++k) {
      switch (state) {
        case PartState::Held:
          it.F[k] = it.y[k];
          break;
        case PartState::Zero:
          it.F[k] = it.x[k];
          break;
        case PartState::Slides:
          it.F[k] = it.x[k] - it.rim[static_cast<Index>(p)] * it.tau[k];
          break;
      }
    }
  }
  it.norm2 = it.F.norm();
  it.largest = it.F.size() == 0 ? 0.0 : it.F.lpNorm<Eigen::Infinity>();
}

}  // namespace nsmb::internal
