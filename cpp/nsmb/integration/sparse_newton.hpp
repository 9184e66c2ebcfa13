// Newton's matrix I - γ ∂f/∂y of implicit methods for sparse ∂f/∂y: differences of several columns
// at once, and LU factors. No SUNDIALS type appears here.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/integration/sparse_lu.hpp"

namespace nsmb {

/// A colouring of columns. Columns without a common row share a colour and are varied at once
/// [Curtis, Powell, Reid 1974].
struct ColumnColours {
  std::vector<Index> colour;  // (n)
  Index count = 0;
};
ColumnColours colour_columns(const SparsityPattern& pattern);

/// Return the pattern with its diagonal. Throws std::invalid_argument for a pattern that does not
/// have n valid columns.
SparsityPattern with_diagonal(const SparsityPattern& pattern, Index n);

class SparseNewton {
 public:
  /// `pattern` must include the diagonal.
  explicit SparseNewton(SparsityPattern pattern);

  /// Return true if sparse factors are faster than dense factors.
  static bool pays(const SparsityPattern& pattern);

  const SparsityPattern& pattern() const { return pattern_; }
  const ColumnColours& colours() const { return colours_; }
  Index size() const { return lu_.size(); }
  SparseLu& lu() { return lu_; }

  /// Compute ∂f/∂y at (t, y) from f there by differences with steps `inc` (n). This takes one call
  /// int rhs(t, y, f) per colour. A return value other than 0 ends the evaluation and is returned.
  template <typename Rhs>
  int differences(double t, const double* y, const double* f, const Vector& inc, const Rhs& rhs,
                  double* values) {
    const Index n = size();
    for (Index c = 0; c < colours_.count; ++c) {
      for (Index j = 0; j < n; ++j) {
        y_(j) = y[j] + (colours_.colour[static_cast<std::size_t>(j)] == c ? inc(j) : 0.0);
      }
      const int flag = rhs(t, y_.data(), f_.data());
      if (flag != 0) return flag;
      for (Index j = 0; j < n; ++j) {
        if (colours_.colour[static_cast<std::size_t>(j)] == c) store(j, y[j], f, values);
      }
    }
    return 0;
  }
  /// Extract the entries of the pattern from a dense matrix.
  void gather(const Matrix& dfdy, double* values) const;

 private:
  void store(Index column, double y, const double* f, double* values) const;

  SparsityPattern pattern_;
  ColumnColours colours_;
  SparseLu lu_;
  Vector y_, f_;
};

}  // namespace nsmb
