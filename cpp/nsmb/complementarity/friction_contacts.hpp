// A sparse friction problem in scaled variables, in which its solvers work.
//
// As in friction_scaled.hpp: x = β D x̂, y = β D⁻¹ ŷ with one entry of D for each part, so that the
// diagonal of Â and b̂ are of size one and every ellipse is a disc.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_original.hpp"
#include "nsmb/complementarity/friction_scaled.hpp"

namespace nsmb::internal {

/// Rows and parts that are treated together: those of one contact, or one free row.
struct ContactUnit {
  Index first = 0;
  Index rows = 0;
  Index part_begin = 0, part_end = 0;
  std::size_t self = 0;  // first entry of its diagonal block of A
};

struct ContactSystem {
  static constexpr Index kMostRows = 6;

  bool split = false;             // A = Hᵀ H by bodies; otherwise A by contacts
  BlockMatrix A;                  // list i: the row group i
  BlockMatrix H;                  // list c: the columns of contact c, in velocities Lᵀ v, M = L Lᵀ
  std::vector<Index> node_first;  // of H
  std::vector<double> self;       // diagonal blocks of A
  Vector b, d;                    // (m)
  double beta = 1.0;
  std::vector<ContactUnit> units;
  std::vector<FrictionPart> parts;  // of a unit: normal, then its discs

  Index rows() const { return b.size(); }
  Index count() const { return static_cast<Index>(units.size()); }
  const ContactUnit& unit(Index c) const { return units[static_cast<std::size_t>(c)]; }
  const FrictionPart& part(Index p) const { return parts[static_cast<std::size_t>(p)]; }
  const double* self_block(Index c) const { return &self[unit(c).self]; }
  Index nodes() const { return static_cast<Index>(node_first.size()) - 1; }
  Index node_size(Index g) const {
    const auto k = static_cast<std::size_t>(g);
    return node_first[k + 1] - node_first[k];
  }
  Index velocities() const { return split ? node_first.back() : 0; }

  void assign(const OriginalFriction& original);
  void to_original(const Vector& scaled, Vector& x) const;
  void to_scaled(const Vector& x, Vector& scaled) const;

  /// Compute v = H x, only if split.
  void velocities_of(const Vector& x, Vector& v) const;
  /// Compute v += H_c dx for one unit, only if split.
  void add_velocities(Index c, const double* dx, Vector& v) const;
  /// Compute y of one unit: A x + b, from v if split.
  void relative_velocity(Index c, const Vector& x, const Vector& v, double* y) const;
  /// Compute y = A x + b; v is scratch if split.
  void multiply(const Vector& x, Vector& v, Vector& y) const;

 private:
  void set_parts(const OriginalFriction& original);
  void add_part(const OriginalFriction& original, const FrictionPart& part, double aspect);
  void scale(const OriginalFriction& original);
  void set_self();
};

}  // namespace nsmb::internal
