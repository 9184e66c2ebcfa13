#include "nsmb/stepping/contact_columns.hpp"

#include "nsmb/contact_laws/delassus.hpp"

namespace nsmb {

ContactColumns::ContactColumns(Mechanics& mechanics)
    : contact_rows_(mechanics.rows()),
      matrix_(mechanics),
      G_(Matrix::Zero(mechanics.rows().size(), mechanics.rows().size())) {}

void ContactColumns::find(const std::vector<Index>& closed, const ContactKinematics& forces,
                          const ContactKinematics& rates) {
  const ContactRows& rows = contact_rows_;
  rates_ = &rates;
  rows_.clear();
  for (const Index i : closed) {
    if (rows.is_unilateral(i)) rows_.push_back(i);
    for (Index d = 0; d < rows.dim(i); ++d) rows_.push_back(rows.row(i) + d);
  }
  const Index n = static_cast<Index>(rows_.size()), nu = forces.W_N.rows();
  if (n == 0) return;
  columns_.setZero(matrix_.size(), n);
  for (Index k = 0; k < n; ++k) {
    columns_.col(k).head(nu) = direction(forces, rows_[static_cast<std::size_t>(k)]);
  }
  matrix_.solve(columns_);
  Lambda_B_.setZero(matrix_.constraints(), n);
  if (matrix_.constraints() > 0) project(rates);
  for (Index k = 0; k < n; ++k) {
    const Index g = rows_[static_cast<std::size_t>(k)];
    for (Index l = 0; l < n; ++l) {
      G_(g, rows_[static_cast<std::size_t>(l)]) = direction(rates, g).dot(columns_.col(l).head(nu));
    }
  }
}

// What constraints hold whole is not moved by what they leave of rounding.
void ContactColumns::project(const ContactKinematics& rates) {
  const Index nu = rates.W_N.rows();
  const auto moved = [&](Index k) {
    return direction(rates, rows_[static_cast<std::size_t>(k)]).dot(columns_.col(k).head(nu));
  };
  free_.resize(columns_.cols());
  for (Index k = 0; k < columns_.cols(); ++k) free_(k) = moved(k);
  matrix_.project(columns_, Lambda_B_);
  for (Index k = 0; k < columns_.cols(); ++k) {
    if (is_unmoved(moved(k), free_(k))) columns_.col(k).setZero();
  }
}

void ContactColumns::add_normal_rates(const ConstVectorRef& v, VectorRef rates_N) const {
  for (const Index row : rows_) {
    if (row < contact_rows_.nc) rates_N(row) += direction(*rates_, row).dot(v);
  }
}

void ContactColumns::add_tangential_rates(const ConstVectorRef& v, VectorRef rates_T) const {
  const Index nc = contact_rows_.nc;
  for (const Index row : rows_) {
    if (row >= nc) rates_T(row - nc) += direction(*rates_, row).dot(v);
  }
}

void ContactColumns::add_velocities(const Vector& Lambda_N, const Vector& Lambda_T,
                                    VectorRef gamma_N, VectorRef gamma_T) const {
  const Index nc = contact_rows_.nc;
  for (const Index row : rows_) {
    double& gamma = row < nc ? gamma_N(row) : gamma_T(row - nc);
    for (const Index other : rows_) {
      const double impulse = other < nc ? Lambda_N(other) : Lambda_T(other - nc);
      gamma += G_(row, other) * impulse;
    }
  }
}

void ContactColumns::add_increments(const Vector& Lambda_N, const Vector& Lambda_T, VectorRef d,
                                    VectorRef Lambda_B) const {
  const Index nc = contact_rows_.nc;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Index row = rows_[k];
    const double impulse = row < nc ? Lambda_N(row) : Lambda_T(row - nc);
    if (impulse == 0.0) continue;
    d += impulse * columns_.col(static_cast<Index>(k));
    Lambda_B += impulse * Lambda_B_.col(static_cast<Index>(k));
  }
}

}  // namespace nsmb
