#include "nsmb/complementarity/friction_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using Kind = FrictionPart::Kind;

/// Return the largest entry in row `i` of the blocks of a list, blocks of `rows` rows.
double largest_in_row(const BlockMatrix& A, Index list, Index i, Index rows) {
  double largest = 0.0;
  for (std::size_t k = A.value[at(A.begin(list))] + at(i); k < A.value[at(A.end(list))];
       k += at(rows)) {
    largest = std::max(largest, std::abs(A.values[k]));
  }
  return largest;
}

// Nearly all blocks have three rows of a contact and six of a rigid body. Loops of known length are
// several times faster.
constexpr Index kBodyRows = 6, kContactRows = 3;

bool is_usual(Index size, Index rows) { return size == kBodyRows && rows == kContactRows; }

/// Add Z dx of one block to sum.
void add_product(const double* Z, Index size, Index rows, const double* dx, double* sum) {
  if (is_usual(size, rows)) {
    using Block = Eigen::Matrix<double, kBodyRows, kContactRows>;
    Eigen::Map<Eigen::Matrix<double, kBodyRows, 1>>(sum) +=
        Eigen::Map<const Block>(Z).lazyProduct(Eigen::Map<const Eigen::Vector3d>(dx));
    return;
  }
  for (Index j = 0; j < rows; ++j) {
    if (dx[j] == 0.0) continue;
    for (Index i = 0; i < size; ++i) sum[i] += Z[i + size * j] * dx[j];
  }
}

/// Add Zᵀ v of one block to y.
void add_transposed(const double* Z, Index size, Index rows, const double* v, double* y) {
  if (is_usual(size, rows)) {
    using Block = Eigen::Matrix<double, kBodyRows, kContactRows>;
    Eigen::Map<Eigen::Vector3d>(y) += Eigen::Map<const Block>(Z).transpose().lazyProduct(
        Eigen::Map<const Eigen::Matrix<double, kBodyRows, 1>>(v));
    return;
  }
  for (Index j = 0; j < rows; ++j) {
    double sum = 0.0;
    for (Index i = 0; i < size; ++i) sum += Z[i + size * j] * v[i];
    y[j] += sum;
  }
}

}  // namespace

void ContactSystem::assign(const OriginalFriction& original) {
  split = original.is_split();
  if (split) {
    H = original.H();
    node_first = original.mass().first();
  } else {
    A = original.W();
  }
  set_parts(original);
  scale(original);
  set_self();
}

void ContactSystem::set_parts(const OriginalFriction& original) {
  d.resize(original.problem().rows());
  units.clear();
  parts.clear();
  for (const ContactBlock& block : original.problem().blocks) {
    if (block.free > 0) {
      for (Index k = 0; k < block.free; ++k) {
        units.push_back({block.first + k, 1, static_cast<Index>(parts.size()), 0});
        add_part(original, {Kind::Free, block.first + k, 1, -1, 0.0, 0.0}, 1.0);
        units.back().part_end = static_cast<Index>(parts.size());
      }
      continue;
    }
    units.push_back({block.first, block.rows(), static_cast<Index>(parts.size()), 0});
    Index row = block.first;
    Index normal = -1;
    if (block.normal) {
      normal = row++;
      add_part(original, {Kind::Normal, normal, 1, -1, 0.0, 0.0}, 1.0);
    } else if (block.normal_of >= 0) {
      normal = original.problem().blocks[at(block.normal_of)].first;
    }
    const auto add_disc = [&](Index dim, double mu, double bound, double aspect) {
      if (dim > 0) add_part(original, {Kind::Disc, row, dim, normal, mu, bound}, aspect);
      row += dim;
    };
    add_disc(block.tangents, block.mu, block.bound, block.aspect);
    add_disc(block.rolling, block.mu_R, 0.0, 1.0);
    add_disc(block.drilling, block.mu_D, 0.0, 1.0);
    units.back().part_end = static_cast<Index>(parts.size());
  }
}

void ContactSystem::add_part(const OriginalFriction& original, const FrictionPart& part,
                             double aspect) {
  const ContactUnit& unit = units.back();
  double size = 0.0;
  double around = 0.0;
  for (Index q = 0; q < part.dim; ++q) {
    const Index row = part.first + q;
    const double stretch = q == 0 ? 1.0 : aspect;
    size = std::max(size, stretch * stretch * std::abs(original.diagonal()[row]));
    if (split) continue;
    around =
        std::max(around, stretch * largest_in_row(A, count() - 1, row - unit.first, unit.rows));
  }
  if (size <= tolerances::friction::kVanishingBlock * around) size = around;
  d[part.first] = size > 0.0 ? 1.0 / std::sqrt(size) : 1.0;
  if (part.dim == 2) d[part.first + 1] = aspect * d[part.first];
  parts.push_back(part);
}

void ContactSystem::scale(const OriginalFriction& original) {
  b = original.q();
  b.array() *= d.array();
  beta = b.size() == 0 ? 1.0 : b.lpNorm<Eigen::Infinity>();
  if (!(beta > 0.0)) beta = 1.0;
  b /= beta;
  for (FrictionPart& part : parts) {
    if (part.kind != Kind::Disc) continue;
    if (part.normal >= 0) part.mu *= d[part.normal] / d[part.first];
    part.bound /= d[part.first] * beta;
  }
  for (Index c = 0; c < count(); ++c) {
    const ContactUnit& own = unit(c);
    if (split) {
      for (Index k = H.begin(c); k < H.end(c); ++k) {
        const Index size = node_size(H.group(k));
        for (Index j = 0; j < own.rows * size; ++j) {
          H.entries(k)[j] *= d[own.first + j / size];
        }
      }
      continue;
    }
    for (Index k = A.begin(c); k < A.end(c); ++k) {
      const ContactUnit& other = unit(A.group(k));
      double* entries = A.entries(k);
      for (Index j = 0; j < other.rows; ++j) {
        for (Index i = 0; i < own.rows; ++i) {
          entries[i + own.rows * j] *= d[own.first + i] * d[other.first + j];
        }
      }
    }
  }
}

void ContactSystem::set_self() {
  std::size_t total = 0;
  for (ContactUnit& own : units) {
    own.self = total;
    total += at(own.rows * own.rows);
  }
  self.assign(total, 0.0);
  for (Index c = 0; c < count(); ++c) {
    const Index rows = unit(c).rows;
    double* block = &self[unit(c).self];
    if (!split) {
      const double* entries = A.entries(A.find(c, c));
      std::copy(entries, entries + rows * rows, block);
      continue;
    }
    for (Index k = H.begin(c); k < H.end(c); ++k) {
      const Index size = node_size(H.group(k));
      for (Index j = 0; j < rows; ++j) {
        for (Index i = 0; i < rows; ++i) {
          for (Index q = 0; q < size; ++q) {
            block[i + rows * j] += H.entries(k)[q + size * i] * H.entries(k)[q + size * j];
          }
        }
      }
    }
  }
}

void ContactSystem::to_original(const Vector& scaled, Vector& x) const {
  x = scaled;
  x.array() *= d.array() * beta;
}

void ContactSystem::to_scaled(const Vector& x, Vector& scaled) const {
  scaled = x;
  scaled.array() /= d.array() * beta;
}

void ContactSystem::velocities_of(const Vector& x, Vector& v) const {
  v.setZero(velocities());
  for (Index c = 0; c < (split ? count() : 0); ++c) {
    add_velocities(c, x.data() + unit(c).first, v);
  }
}

void ContactSystem::add_velocities(Index c, const double* dx, Vector& v) const {
  const Index rows = unit(c).rows;
  for (Index k = H.begin(c); k < H.end(c); ++k) {
    const Index g = H.group(k);
    add_product(H.entries(k), node_size(g), rows, dx, v.data() + node_first[at(g)]);
  }
}

void ContactSystem::relative_velocity(Index c, const Vector& x, const Vector& v, double* y) const {
  const ContactUnit& own = unit(c);
  for (Index i = 0; i < own.rows; ++i) y[i] = b[own.first + i];
  if (split) {
    for (Index k = H.begin(c); k < H.end(c); ++k) {
      const Index g = H.group(k);
      add_transposed(H.entries(k), node_size(g), own.rows, v.data() + node_first[at(g)], y);
    }
    return;
  }
  for (Index k = A.begin(c); k < A.end(c); ++k) {
    const ContactUnit& other = unit(A.group(k));
    const double* entries = A.entries(k);
    for (Index j = 0; j < other.rows; ++j) {
      const double x_j = x[other.first + j];
      if (x_j == 0.0) continue;
      for (Index i = 0; i < own.rows; ++i) y[i] += entries[i + own.rows * j] * x_j;
    }
  }
}

void ContactSystem::multiply(const Vector& x, Vector& v, Vector& y) const {
  velocities_of(x, v);
  y.resize(rows());
  for (Index c = 0; c < count(); ++c) relative_velocity(c, x, v, y.data() + unit(c).first);
}

}  // namespace nsmb::internal
