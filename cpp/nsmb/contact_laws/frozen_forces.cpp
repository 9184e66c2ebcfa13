#include "nsmb/contact_laws/frozen_forces.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb {

bool has_friction(const ContactRows& rows, const std::vector<UnilateralContact>& laws,
                  Index contact) {
  const UnilateralContact& law = laws[static_cast<std::size_t>(contact)];
  return rows.dim(contact) > 0 && (!rows.is_unilateral(contact) || law.mu > 0.0 || law.curve);
}

bool can_stick(const ContactRows& rows, const Matrix& G, const std::vector<UnilateralContact>& laws,
               Index contact) {
  if (!has_friction(rows, laws, contact)) return false;
  const Index t = rows.row(contact);
  for (Index d = 0; d < rows.dim(contact); ++d) {
    if (G(t + d, t + d) > 0.0) return true;
  }
  return false;
}

void frozen_column(const ContactRows& rows, const Matrix& G, const FrozenRoles& roles,
                   const Vector& mu, const std::vector<Index>& equations, Index force,
                   VectorRef column) {
  for (std::size_t r = 0; r < equations.size(); ++r) {
    column(static_cast<Index>(r)) = G(equations[r], force);
  }
  if (force >= rows.nc) return;
  // W_G μ̄_G (5.10): friction of all contacts bounded by this normal force.
  for (const Index j : rows.rubbing_under(force)) {
    if (!roles[static_cast<std::size_t>(j)].at_bound) continue;
    for (Index t = rows.tangent(j); t < rows.tangent(j) + rows.dim(j); ++t) {
      const double friction = mu(j) * roles.friction(t);
      for (std::size_t r = 0; r < equations.size(); ++r) {
        column(static_cast<Index>(r)) += friction * G(equations[r], rows.nc + t);
      }
    }
  }
}

void frozen_rows(const ContactRows& rows, const FrozenRoles& roles, std::vector<Index>& equations) {
  equations.clear();
  for (Index i = 0; i < rows.nc; ++i) {
    if (roles[static_cast<std::size_t>(i)].normal_row) equations.push_back(i);
  }
  for (Index i = 0; i < rows.nc; ++i) {
    for (Index d = 0; d < rows.dim(i); ++d) {
      const FrozenRole& role = roles[static_cast<std::size_t>(i)];
      if (role.tangential_row[static_cast<std::size_t>(d)]) equations.push_back(rows.row(i) + d);
    }
  }
}

void frozen_forces(const ContactRows& rows, const FrozenRoles& roles, std::vector<Index>& forces) {
  forces.clear();
  for (Index i = 0; i < rows.nc; ++i) {
    if (roles[static_cast<std::size_t>(i)].normal_force) forces.push_back(i);
  }
  for (Index i = 0; i < rows.nc; ++i) {
    for (Index d = 0; d < rows.dim(i); ++d) {
      const FrozenRole& role = roles[static_cast<std::size_t>(i)];
      if (role.tangential_force[static_cast<std::size_t>(d)]) forces.push_back(rows.row(i) + d);
    }
  }
}

void assemble_frozen(const ContactRows& rows, const Matrix& G, const FrozenRoles& roles,
                     const Vector& mu, const std::vector<Index>& equations,
                     const std::vector<Index>& forces, MatrixRef A_R) {
  for (std::size_t k = 0; k < forces.size(); ++k) {
    frozen_column(rows, G, roles, mu, equations, forces[k], A_R.col(static_cast<Index>(k)));
  }
}

double given_friction(const ContactRows& rows, const Matrix& G, const FrozenRoles& roles,
                      const std::vector<Index>& at_bound, const Vector& bound, Index g) {
  double sum = 0.0;
  for (const Index j : at_bound) {
    if (bound(j) == 0.0) continue;
    for (Index t = rows.tangent(j); t < rows.tangent(j) + rows.dim(j); ++t) {
      sum += bound(j) * roles.friction(t) * G(g, rows.nc + t);
    }
  }
  return sum;
}

void scatter_forces(const ContactRows& rows, const FrozenRoles& roles, const Vector& mu,
                    const Vector* bound, const std::vector<Index>& forces,
                    const ConstVectorRef& lambda_K, VectorRef lambda_N, VectorRef lambda_T) {
  lambda_N.setZero();
  lambda_T.setZero();
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const double value = lambda_K(static_cast<Index>(k));
    if (forces[k] < rows.nc) {
      lambda_N(forces[k]) = value;
    } else {
      lambda_T(forces[k] - rows.nc) = value;
    }
  }
  for (Index j = 0; j < rows.nc; ++j) {
    if (!roles[static_cast<std::size_t>(j)].at_bound) continue;
    const Index normal = rows.normal_of(j);
    const double radius =
        (bound ? (*bound)(j) : 0.0) + (normal < 0 ? 0.0 : mu(j) * lambda_N(normal));
    for (Index t = rows.tangent(j); t < rows.tangent(j) + rows.dim(j); ++t) {
      lambda_T(t) += radius * roles.friction(t);  // (5.7), (12)
    }
  }
}

}  // namespace nsmb
