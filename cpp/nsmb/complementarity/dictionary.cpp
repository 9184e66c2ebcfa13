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
  for (Index s = 0; s < kept_; ++s) {
    const Variable i = slots_[s].variable;
    if (i >= n_ || a[i] == 0.0) continue;
    add(-(a[i] * row_scale_[i] * scale), T_.data() + slots_[s].offset, column, stride_);
  }
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

  // The entering column makes room, the leaving one is kept if it is that of a y.
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
  for (Index s = 0; s < kept_; ++s) {
    double* const t = T + slots_[s].offset;
    const double factor = -reciprocal * t[row];
    if (factor == 0.0) continue;
    t[row] = 0.0;
    add(factor, column, t, stride_);
  }
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
