#include "nsmb/complementarity/friction_polygons.hpp"

#include <cmath>
#include <numbers>

namespace nsmb::internal {

using Kind = FrictionPart::Kind;

void PolygonLcp::assign(const ScaledFriction& problem, int facets) {
  unknowns.clear();
  of_row.assign(static_cast<std::size_t>(problem.b.size()), -1);
  exact = true;
  for (const FrictionPart& part : problem.parts) {
    const Index i = part.first;
    if (part.kind == Kind::Normal) {
      of_row[static_cast<std::size_t>(i)] = static_cast<Index>(unknowns.size());
      unknowns.push_back({i, 1, {1.0, 0.0}});
    } else if (part.dim == 1) {
      unknowns.push_back({i, 1, {1.0, 0.0}});
      unknowns.push_back({i, 1, {-1.0, 0.0}});
    } else {
      exact = false;
      for (int k = 0; k < facets; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / facets;
        unknowns.push_back({i, 2, {std::cos(angle), std::sin(angle)}});
      }
    }
    if (part.kind == Kind::Disc) unknowns.push_back({-1, 0, {0.0, 0.0}});
  }

  const auto size = static_cast<Index>(unknowns.size());
  A.resize(size, size);
  b.resize(size);
  for (Index l = 0; l < size; ++l) {
    const Unknown& column = unknowns[static_cast<std::size_t>(l)];
    for (Index k = 0; k < size; ++k) {
      const Unknown& row = unknowns[static_cast<std::size_t>(k)];
      double sum = 0.0;
      for (Index p = 0; column.row >= 0 && row.row >= 0 && p < row.dim; ++p) {
        for (Index q = 0; q < column.dim; ++q) {
          sum += row.direction[p] * problem.A(row.row + p, column.row + q) * column.direction[q];
        }
      }
      A(k, l) = sum;
    }
    b[l] = 0.0;
    for (Index p = 0; column.row >= 0 && p < column.dim; ++p) {
      b[l] += column.direction[p] * problem.b[column.row + p];
    }
  }

  Index first = 0;
  for (const FrictionPart& part : problem.parts) {
    const Index corners = part.kind == Kind::Normal ? 1 : part.dim == 1 ? 2 : facets;
    if (part.kind == Kind::Disc) {
      const Index multiplier = first + corners;
      for (Index k = first; k < multiplier; ++k) {
        A(k, multiplier) = 1.0;
        A(multiplier, k) = -1.0;
      }
      if (part.normal >= 0) {
        A(multiplier, of_row[static_cast<std::size_t>(part.normal)]) = part.mu;
      }
      b[multiplier] = part.bound;
      ++first;
    }
    first += corners;
  }
}

void PolygonLcp::to_scaled(const Vector& z, Vector& x) const {
  x.setZero();
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const Unknown& unknown = unknowns[k];
    for (Index p = 0; p < unknown.dim; ++p) {
      x[unknown.row + p] += unknown.direction[p] * z[static_cast<Index>(k)];
    }
  }
}

}  // namespace nsmb::internal
