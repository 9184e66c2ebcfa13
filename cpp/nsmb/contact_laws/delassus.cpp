#include "nsmb/contact_laws/delassus.hpp"

#include "nsmb/contact_laws/tolerances.hpp"

namespace nsmb {

bool is_unmoved(double constrained, double free) {
  return !(constrained > tolerances::rounding::kUnmoved * free);
}

Delassus::Delassus(Index nu, const ContactRows& rows, const Cliques* cliques)
    : W(Matrix::Zero(nu, rows.size())),
      Minv_W(Matrix::Zero(nu, rows.size())),
      G(Matrix::Zero(rows.size(), rows.size())),
      cliques_(cliques),
      whole_{{0, nu}},
      first_row_(rows.first) {
  for (Index i = 0; i < rows.nc; ++i) contact_of_.push_back(i);
  present = contact_of_;
  for (Index i = 0; i < rows.nc; ++i) {
    contact_of_.insert(contact_of_.end(), static_cast<std::size_t>(rows.dim(i)), i);
  }
}

void Delassus::add_block_rates(const ConstVectorRef& v, VectorRef normal,
                               VectorRef tangential) const {
  const Index nc = normal.size();
  for (const Index i : present) {
    const VelocityRanges& ranges = cliques_->reach(i);
    normal(i) += dot(ranges, W.col(i), v);
    for (Index k = first_row_[at(i)]; k < first_row_[at(i) + 1]; ++k) {
      tangential(k) += dot(ranges, W.col(nc + k), v);
    }
  }
}

void Delassus::add_block_accelerations(const Vector& lambda_N, const Vector& lambda_T,
                                       VectorRef a) const {
  const Index nc = lambda_N.size();
  const auto add = [&](Index row, double force) {
    if (force == 0.0) return;
    for (const VelocityRange& r : reach(row)) {
      a.segment(r.first, r.size) += force * Minv_W.col(row).segment(r.first, r.size);
    }
  };
  for (const Index i : present) add(i, lambda_N(i));
  for (const Index i : present) {
    for (Index k = first_row_[at(i)]; k < first_row_[at(i) + 1]; ++k) add(nc + k, lambda_T(k));
  }
}

}  // namespace nsmb
