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
      whole_{{0, nu}} {
  for (Index i = 0; i < rows.nc; ++i) contact_of_.push_back(i);
  for (Index i = 0; i < rows.nc; ++i) {
    contact_of_.insert(contact_of_.end(), static_cast<std::size_t>(rows.dim(i)), i);
  }
}

void Delassus::add_block_rates(const ConstVectorRef& v, Index first, VectorRef rates) const {
  for (Index k = 0; k < rates.size(); ++k) {
    rates(k) += dot(reach(first + k), W.col(first + k), v);
  }
}

void Delassus::add_block_accelerations(const Vector& lambda_N, const Vector& lambda_T,
                                       Vector& a) const {
  const Index nc = lambda_N.size();
  for (Index row = 0; row < W.cols(); ++row) {
    const double force = row < nc ? lambda_N(row) : lambda_T(row - nc);
    if (force == 0.0) continue;
    for (const VelocityRange& r : reach(row)) {
      a.segment(r.first, r.size) += force * Minv_W.col(row).segment(r.first, r.size);
    }
  }
}

}  // namespace nsmb
