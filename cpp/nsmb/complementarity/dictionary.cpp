#include "nsmb/complementarity/dictionary.hpp"

#include <algorithm>

namespace nsmb {
namespace {

constexpr Index kLanes = 4;  // columns are padded to a multiple of this

/// y += a x
void add(double a, const double* __restrict x, double* __restrict y, Index stride) {
  for (Index i = 0; i < stride; i += kLanes) {
    for (Index k = 0; k < kLanes; ++k) y[i + k] += a * x[i + k];
  }
}

/// Columns with a factor each, processed kWidth at a time, so that the data they share are loaded
/// once. The operations are the same as one after the other.
template <class Entry>
class Columns {
 public:
  static constexpr Index kWidth = 4;

  explicit Columns(Index stride) : stride_(stride) {}

  /// Return true when kWidth columns are present.
  bool push(double factor, Entry* column) {
    factors_[count_] = factor;
    columns_[count_] = column;
    return ++count_ == kWidth;
  }

  /// Add to each column its factor times x.
  void take(const double* x) {
    if (count_ == kWidth) {
      take_all(x, columns_[0], columns_[1], columns_[2], columns_[3]);
    } else {
      for (Index k = 0; k < count_; ++k) add(factors_[k], x, columns_[k], stride_);
    }
    count_ = 0;
  }

  /// Add each column times its factor to y.
  void give(double* y) {
    if (count_ == kWidth) {
      give_all(y, columns_[0], columns_[1], columns_[2], columns_[3]);
    } else {
      for (Index k = 0; k < count_; ++k) add(factors_[k], columns_[k], y, stride_);
    }
    count_ = 0;
  }

 private:
  void take_all(const double* __restrict x, double* __restrict t0, double* __restrict t1,
                double* __restrict t2, double* __restrict t3) const {
    const double f0 = factors_[0], f1 = factors_[1], f2 = factors_[2], f3 = factors_[3];
    for (Index i = 0; i < stride_; i += kLanes) {
      for (Index k = i; k < i + kLanes; ++k) {
        t0[k] += f0 * x[k];
        t1[k] += f1 * x[k];
        t2[k] += f2 * x[k];
        t3[k] += f3 * x[k];
      }
    }
  }

  void give_all(double* __restrict y, const double* __restrict t0, const double* __restrict t1,
                const double* __restrict t2, const double* __restrict t3) const {
    const double f0 = factors_[0], f1 = factors_[1], f2 = factors_[2], f3 = factors_[3];
    for (Index i = 0; i < stride_; i += kLanes) {
      for (Index k = i; k < i + kLanes; ++k) {
        y[k] = (((y[k] + f0 * t0[k]) + f1 * t1[k]) + f2 * t2[k]) + f3 * t3[k];
      }
    }
  }

  Index stride_;
  Index count_ = 0;
  double factors_[kWidth];
  Entry* columns_[kWidth];
};

}  // namespace

void Dictionary::start(const ConstMatrixRef& A, const Vector& row_scale, const Vector& column_scale,
                       const Vector& b) {
  A_ = A.data();
  A_stride_ = A.outerStride();
  row_scale_ = row_scale.data();
  column_scale_ = column_scale.data();
  if (b.size() != n_) {
    n_ = b.size();
    stride_ = (n_ + kLanes - 1) / kLanes * kLanes;
    const auto n = static_cast<std::size_t>(n_);
    T_.resize(stride_ * (n_ + 1));
    q_.resize(stride_);
    slots_.resize(n + 1);
    for (std::size_t s = 0; s <= n; ++s) slots_[s].offset = static_cast<Index>(s) * stride_;
    basic_.resize(n);
    row_of_.resize(2 * n + 1);
    slot_of_.resize(2 * n + 1);
  }
  kept_ = 0;
  for (Index i = 0; i < n_; ++i) {
    basic_[i] = static_cast<Variable>(i);
    row_of_[i] = static_cast<Variable>(i);
    q_[i] = b[i];
  }
  std::fill(q_.data() + n_, q_.data() + stride_, 0.0);
  std::fill(row_of_.begin() + n_, row_of_.end(), kNone);
  std::fill(slot_of_.begin(), slot_of_.end(), kNone);
}

void Dictionary::evaluate_column(Variable v, double* column) const {
  if (const double* kept = kept_column(v)) {
    std::copy(kept, kept + stride_, column);
    return;
  }
  const Index e = v - n_;
  const double* const a = A_ + e * A_stride_;
  const double scale = column_scale_[e];
  std::fill(column, column + stride_, 0.0);
  for (Index i = 0; i < n_; ++i) {
    if (row_of_[i] >= 0) column[row_of_[i]] = a[i] * row_scale_[i] * scale;
  }
  Columns<const double> columns(stride_);
  for (Index s = 0; s < kept_; ++s) {
    const Variable i = slots_[s].variable;
    if (i >= n_ || a[i] == 0.0) continue;
    const double factor = -(a[i] * row_scale_[i] * scale);
    if (columns.push(factor, T_.data() + slots_[s].offset)) columns.give(column);
  }
  columns.give(column);
}

const double* Dictionary::kept_column(Variable v) const {
  const Variable slot = slot_of_[static_cast<std::size_t>(v)];
  return slot < 0 ? nullptr : T_.data() + slots_[static_cast<std::size_t>(slot)].offset;
}

void Dictionary::keep(Variable v) {
  if (slot_of_[static_cast<std::size_t>(v)] >= 0) return;
  evaluate_column(v, T_.data() + slots_[kept_].offset);
  slots_[kept_].variable = v;
  slot_of_[static_cast<std::size_t>(v)] = static_cast<Variable>(kept_++);
}

void Dictionary::exchange(Index row, Variable entering, double* column) {
  const double reciprocal = 1.0 / column[row];
  const Variable leaving = basic_[row];
  column[row] = 1.0;

  // The entering column is freed. The leaving one is stored if it is that of a y.
  const Variable slot = slot_of_[static_cast<std::size_t>(entering)];
  if (slot >= 0) {
    slot_of_[static_cast<std::size_t>(entering)] = kNone;
    --kept_;
    if (slot != kept_) {
      std::swap(slots_[slot], slots_[kept_]);
      slot_of_[static_cast<std::size_t>(slots_[slot].variable)] = slot;
    }
  }
  double* const T = T_.data();
  Columns<double> columns(stride_);
  for (Index s = 0; s < kept_; ++s) {
    double* const t = T + slots_[s].offset;
    const double factor = -reciprocal * t[row];
    if (factor == 0.0) continue;
    t[row] = 0.0;
    if (columns.push(factor, t)) columns.take(column);
  }
  columns.take(column);
  const double step = -reciprocal * q_[row];
  q_[row] = 0.0;
  if (step != 0.0) add(step, column, q_.data(), stride_);
  if (leaving < n_) {
    double* const t = T + slots_[kept_].offset;
    for (Index i = 0; i < stride_; ++i) t[i] = reciprocal * column[i];
    slots_[kept_].variable = leaving;
    slot_of_[static_cast<std::size_t>(leaving)] = static_cast<Variable>(kept_++);
  }
  basic_[row] = entering;
  row_of_[static_cast<std::size_t>(entering)] = static_cast<Variable>(row);
  row_of_[static_cast<std::size_t>(leaving)] = kNone;
}

void Dictionary::correct(const Vector& y, double* point) const {
  for (Index s = 0; s < kept_; ++s) {
    const Variable i = slots_[s].variable;
    if (i < n_ && y[i] != 0.0) add(-y[i], T_.data() + slots_[s].offset, point, stride_);
  }
}

}  // namespace nsmb
