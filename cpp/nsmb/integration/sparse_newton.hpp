// Newton's matrix I - γ ∂f/∂y of implicit methods where ∂f/∂y is sparse: differences of several
// columns at once, and their factors. No SUNDIALS type appears here.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/integration/sparse_lu.hpp"

namespace nsmb {

/// Columns without a common row get one colour and are varied at once [Curtis, Powell, Reid 1974].
struct ColumnColours {
  std::vector<Index> colour;  // (n)
  Index count = 0;
};
ColumnColours colour_columns(const SparsityPattern& pattern);

/// The same with its diagonal. Throws std::invalid_argument for a pattern that is none of n
/// columns.
SparsityPattern with_diagonal(const SparsityPattern& pattern, Index n);

class SparseNewton {
 public:
  /// `pattern` with its diagonal.
  explicit SparseNewton(SparsityPattern pattern);

  /// Do sparse factors win against dense ones?
  static bool pays(const SparsityPattern& pattern);

  const SparsityPattern& pattern() const { return pattern_; }
  const ColumnColours& colours() const { return colours_; }
  Index size() const { return lu_.size(); }
  SparseLu& lu() { return lu_; }

  /// ∂f/∂y at (t, y) with f there, by differences with steps `inc` (n). One call of `rhs` per
  /// colour: int rhs(t, y, f), of which a value that is not 0 ends it and comes back.
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
  /// The entries of the pattern out of a dense matrix.
  void gather(const Matrix& dfdy, double* values) const;

 private:
  void store(Index column, double y, const double* f, double* values) const;

  SparsityPattern pattern_;
  ColumnColours colours_;
  SparseLu lu_;
  Vector y_, f_;
};

}  // namespace nsmb
