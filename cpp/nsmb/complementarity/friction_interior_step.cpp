#include "nsmb/complementarity/friction_interior_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {

namespace interior_tuning = tolerances::interior_tuning;

void InteriorEquations::begin(const ContactSystem& system) {
  system_ = &system;
  rows_.assign(at(system.count()), 1);
  scale_.assign(at(system.count()), 1.0);
  for (Index c = 0; c < system.count(); ++c) {
    const ContactUnit& unit = system.unit(c);
    if (unit.part_end - unit.part_begin < 2) continue;
    const double mu = system.part(unit.part_begin + 1).mu;
    if (!(mu > 0.0)) continue;
    rows_[at(c)] = unit.rows;
    scale_[at(c)] = 1.0 / mu;
  }
  for (Matrices* matrices : {&W_, &inverse_, &P_}) matrices->setZero(9, system.count());
  for (ConePoints* points : {&r_, &left_, &correction_}) points->setZero(3, system.count());
}

void InteriorEquations::to_impulses(const ConePoints& x, Vector& impulses) const {
  impulses.setZero(system_->rows());
  for (Index c = 0; c < system_->count(); ++c) {
    const Index first = system_->unit(c).first;
    impulses[first] = scale_[at(c)] * x(0, c);
    for (Index q = 1; q < rows_[at(c)]; ++q) impulses[first + q] = x(q, c);
  }
}

void InteriorEquations::linearize(const Vector& y, double smallest, const ConePoints& F) {
  for (Index c = 0; c < system_->count(); ++c) {
    ConePoint at_y = ConePoint::Zero();
    ConeMatrix P = ConeMatrix::Identity();
    for (Index q = 0; q < rows_[at(c)]; ++q) at_y[q] = y[system_->unit(c).first + q];
    at_y[0] *= scale_[at(c)];
    if (rows_[at(c)] > 1) {
      const double slip = std::hypot(at_y[1], at_y[2], smallest);
      if (slip > 0.0) P.row(0).tail<2>() = at_y.tail<2>().transpose() / slip;
      at_y[0] += slip;
    }
    ConeMatrix::Map(P_.col(c).data()) = P;
    r_.col(c) = at_y - F.col(c);
  }
}

bool InteriorEquations::factorize(const ConePoints& x, const ConePoints& F,
                                  ContactFactors& factors) {
  for (Index c = 0; c < system_->count(); ++c) {
    const ConeScaling scaling(x.col(c), F.col(c));
    ConeMatrix::Map(W_.col(c).data()) = scaling.W;
    ConeMatrix::Map(inverse_.col(c).data()) = scaling.inverse;
  }
  if (!W_.allFinite() || !inverse_.allFinite()) return false;
  system_->split ? assemble_bodies(factors) : assemble_contacts(factors);
  return factors.lu.factorize(factors.K, factors.size, false);
}

/// Assemble K = T A T + P⁻¹ W².
void InteriorEquations::assemble_contacts(ContactFactors& factors) const {
  BlockMatrix& K = factors.K;
  factors.size = rows_;
  for (Index c = 0; c < system_->count(); ++c) {
    for (Index b = K.begin(c); b < K.end(c); ++b) {
      K.value[at(b) + 1] = K.value[at(b)] + at(rows_[at(c)] * rows_[at(K.group(b))]);
    }
  }
  K.values.resize(std::max(K.values.size(), K.value.back()));
  for (Index c = 0; c < system_->count(); ++c) {
    const Index own = rows_[at(c)];
    ConeMatrix D = matrix(W_, c) * matrix(W_, c);
    D.row(0) -= matrix(P_, c).row(0).tail<2>() * D.bottomRows<2>();
    for (Index b = K.begin(c); b < K.end(c); ++b) {
      const Index g = K.group(b);
      const Index other = rows_[at(g)];
      const Eigen::Map<const Matrix> A(system_->A.entries(b), system_->unit(c).rows,
                                       system_->unit(g).rows);
      Eigen::Map<Matrix> block(K.entries(b), own, other);
      block = A.topLeftCorner(own, other);
      block.row(0) *= scale_[at(c)];
      block.col(0) *= scale_[at(g)];
      if (g == c) block += D.topLeftCorner(own, own);
    }
  }
}

/// Assemble K = 1 + H T W⁻² P T Hᵀ.
void InteriorEquations::assemble_bodies(ContactFactors& factors) const {
  using Side =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, MassMatrix::kLargestNode, 3>;
  BlockMatrix& K = factors.K;
  const BlockMatrix& H = system_->H;
  std::fill(K.values.begin(), K.values.end(), 0.0);
  for (Index g = 0; g < system_->nodes(); ++g) {
    set_identity(system_->node_size(g), K.entries(K.find(g, g)));
  }
  for (Index c = 0; c < system_->count(); ++c) {
    const Index own = rows_[at(c)], all = system_->unit(c).rows;
    ConeMatrix D = matrix(inverse_, c) * matrix(inverse_, c) * matrix(P_, c);
    D.row(0) *= scale_[at(c)];
    D.col(0) *= scale_[at(c)];
    for (Index a = H.begin(c); a < H.end(c); ++a) {
      const Index size = system_->node_size(H.group(a));
      const Eigen::Map<const Matrix> H_a(H.entries(a), size, all);
      const Side left = H_a.leftCols(own).lazyProduct(D.topLeftCorner(own, own));
      for (Index b = H.begin(c); b < H.end(c); ++b) {
        const Index other = system_->node_size(H.group(b));
        const Eigen::Map<const Matrix> H_b(H.entries(b), other, all);
        Eigen::Map<Matrix> block(K.entries(K.find(H.group(a), H.group(b))), size, other);
        block += left.lazyProduct(H_b.leftCols(own).transpose());
      }
    }
  }
}

/// Solve (T A T + P⁻¹ W²) correction = P⁻¹ W left.
void InteriorEquations::solve_contacts(ContactFactors& factors) {
  work_.resize(factors.lu.rows());
  Index k = 0;
  for (Index c = 0; c < system_->count(); ++c) {
    ConePoint g = matrix(W_, c) * left_.col(c);
    g[0] -= matrix(P_, c).row(0).tail<2>().dot(g.tail<2>());
    for (Index q = 0; q < rows_[at(c)]; ++q) work_[k++] = g[q];
  }
  factors.lu.solve(work_);
  k = 0;
  for (Index c = 0; c < system_->count(); ++c) {
    for (Index q = 0; q < rows_[at(c)]; ++q) correction_(q, c) = work_[k++];
  }
}

/// Solve the same equation by bodies.
void InteriorEquations::solve_bodies(ContactFactors& factors) {
  work_.setZero(system_->velocities());
  std::array<double, ContactSystem::kMostRows> load{};
  for (Index c = 0; c < system_->count(); ++c) {
    ConePoint part = matrix(inverse_, c) * left_.col(c);
    part[0] *= scale_[at(c)];
    load.fill(0.0);
    std::copy_n(part.data(), rows_[at(c)], load.begin());
    system_->add_velocities(c, load.data(), work_);
  }
  factors.lu.solve(work_);
  for (Index c = 0; c < system_->count(); ++c) {
    const ConePoint dF = matrix(P_, c) * relative(c, impulses_, work_);
    correction_.col(c) = matrix(inverse_, c) * (left_.col(c) - matrix(inverse_, c) * dF);
  }
}

/// Compute T A dx of a contact, by bodies T Hᵀ dv, without b, which would cause cancellation.
ConePoint InteriorEquations::relative(Index c, const Vector& dx, const Vector& dv) const {
  ConePoint dy = ConePoint::Zero();
  const Index own = rows_[at(c)], all = system_->unit(c).rows;
  const BlockMatrix& blocks = system_->split ? system_->H : system_->A;
  for (Index k = blocks.begin(c); k < blocks.end(c); ++k) {
    const Index g = blocks.group(k);
    if (system_->split) {
      const Index size = system_->node_size(g);
      const Eigen::Map<const Matrix> H(blocks.entries(k), size, all);
      dy.head(own) +=
          H.leftCols(own).transpose().lazyProduct(dv.segment(system_->node_first[at(g)], size));
    } else {
      const ContactUnit& other = system_->unit(g);
      const Eigen::Map<const Matrix> A(blocks.entries(k), all, other.rows);
      dy.head(own) += A.topRows(own).lazyProduct(dx.segment(other.first, other.rows));
    }
  }
  dy[0] *= scale_[at(c)];
  return dy;
}

/// Compute the residual c - W dx̂ - W⁻¹ (P T A T dx̂ + r).
void InteriorEquations::find_left(const ConePoints& c_all, const ConePoints& dx) {
  to_impulses(dx, impulses_);
  if (system_->split) system_->velocities_of(impulses_, velocities_);
  for (Index c = 0; c < system_->count(); ++c) {
    const ConePoint dF = matrix(P_, c) * relative(c, impulses_, velocities_) + r_.col(c);
    left_.col(c) = c_all.col(c) - matrix(W_, c) * dx.col(c) - matrix(inverse_, c) * dF;
  }
}

// A correction is needed because rows are not exchanged between fronts, and because W² finally
// spans many decades. dF̂ follows from W: near rims this preserves the digits that P T A T dx̂ has
// lost.
void InteriorEquations::solve(const ConePoints& c_all, ContactFactors& factors, ConePoints& dx,
                              ConePoints& dF) {
  dx.setZero(3, system_->count());
  dF.resize(3, system_->count());
  for (int k = 0; k <= interior_tuning::kCorrections; ++k) {
    find_left(c_all, dx);
    system_->split ? solve_bodies(factors) : solve_contacts(factors);
    dx += correction_;
  }
  for (Index c = 0; c < system_->count(); ++c) {
    dF.col(c) = matrix(W_, c) * (c_all.col(c) - matrix(W_, c) * dx.col(c));
  }
}

}  // namespace nsmb::internal
