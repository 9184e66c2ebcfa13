// The dictionary of complementary pivoting, which stores only the columns that are needed.
//
// Variables of y = A x + b + e z are numbered y_i = i, x_i = n + i, z = 2 n. A dictionary writes
// the basic ones as functions of the others,
//
//   basic = q + sum over nonbasic v of T_v v.
//
// Stored are q and the columns of nonbasic y_i. They hold the inverse of the basis, so that the
// column of a nonbasic x_e can be computed on demand:
//
//   T_xe = sum over basic y_i of A_ie (unit vector of y_i) - sum over nonbasic y_i of A_ie T_yi,
//
// because A_ie x_e adds to b_i, and b_i enters like -y_i. With m of the x basic an exchange costs
// O(n m) instead of O(n²).
#pragma once

#include <cstdint>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

class Dictionary {
 public:
  using Variable = std::int32_t;
  static constexpr Variable kNone = -1;

  /// Start with y = A x + b with row and column scaling: q = b, all x nonbasic. A, row and column
  /// must outlive the use of the dictionary; b is copied. Allocates if the size differs from the
  /// last one.
  void start(const ConstMatrixRef& A, const Vector& row_scale, const Vector& column_scale,
             const Vector& b);

  Index size() const { return n_; }
  Index stride() const { return stride_; }  // vectors are zero beyond size()
  Variable artificial() const { return static_cast<Variable>(2 * n_); }
  Variable basic(Index row) const { return basic_[static_cast<std::size_t>(row)]; }
  Variable row_of(Index variable) const { return row_of_[static_cast<std::size_t>(variable)]; }
  bool is_basic(Index variable) const { return row_of(variable) >= 0; }
  const double* q() const { return q_.data(); }

  /// Write T_v of a nonbasic y or x to `column` (stride).
  void evaluate_column(Variable v, double* column) const;
  /// Return T_v of a nonbasic v whose column is stored, otherwise nullptr.
  const double* kept_column(Variable v) const;
  /// Store the column of a nonbasic x from now on, until it enters.
  void keep(Variable v);

  /// Exchange `entering`, whose column is given (and overwritten), for the basic variable of `row`.
  void exchange(Index row, Variable entering, double* column);

  /// Subtract from point (stride) the sum over stored y_i of y[i] T_yi: the correction of an
  /// approximate basic solution whose y_i are not zero as they should be.
  void correct(const Vector& y, double* point) const;

 private:
  struct Slot {
    Variable variable;
    Index offset;  // of its column in T_
  };

  const double* A_ = nullptr;
  Index A_stride_ = 0;
  const double* row_scale_ = nullptr;
  const double* column_scale_ = nullptr;
  Index n_ = -1;
  Index stride_ = 0;
  Vector T_, q_;
  std::vector<Slot> slots_;  // the first `kept_` are in use, the others hold free columns
  Index kept_ = 0;
  std::vector<Variable> basic_, row_of_, slot_of_;
};

}  // namespace nsmb
