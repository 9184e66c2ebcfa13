#include "nsmb/stepping/unit_constraints.hpp"

#include <utility>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

UnitConstraints::UnitConstraints(const StepInertia& inertia, Index nb)
    : inertia_(inertia), unit_of_(at(nb), -1), place_(at(inertia.units().count()), -1) {}

void UnitConstraints::set_directions(const Matrix& W) {
  bool changed = false;
  for (Index i = 0; i < W.cols(); ++i) {
    if (unit_of_[at(i)] >= 0) continue;
    for (Index k = 0; k < W.rows() && unit_of_[at(i)] < 0; ++k) {
      if (W(k, i) != 0.0) unit_of_[at(i)] = inertia_.units().of_velocity(k);
    }
    changed = changed || unit_of_[at(i)] >= 0;
  }
  if (changed) {
    constrained_.clear();
    parts_.clear();
    for (Index c = 0; c < inertia_.units().count(); ++c) {
      std::vector<Index> rows;
      for (Index i = 0; i < W.cols(); ++i) {
        if (unit_of_[at(i)] == c) rows.push_back(i);
      }
      place_[at(c)] = rows.empty() ? -1 : static_cast<Index>(parts_.size());
      if (rows.empty()) continue;
      constrained_.push_back(c);
      parts_.emplace_back().rows = std::move(rows);
    }
  }
  for (std::size_t k = 0; k < parts_.size(); ++k) take(constrained_[k], W, parts_[k]);
}

void UnitConstraints::take(Index unit, const Matrix& W, Part& part) {
  const Index n = inertia_.size(unit);
  part.W.resize(n, static_cast<Index>(part.rows.size()));
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    inertia_.gather(unit, W.col(part.rows[i]), part.value);
    part.W.col(static_cast<Index>(i)) = part.value;
  }
  part.of_W.set_threshold(stepping::kDependentConstraint);
  part.of_W.compute(part.W);
  part.of_transpose.set_threshold(stepping::kDependentConstraint);
  part.of_transpose.compute(part.W.transpose());
  part.Z = part.of_W.Q().rightCols(n - part.of_W.rank());
}

void UnitConstraints::set_values(const Vector& b) {
  for (Part& part : parts_) {
    part.value.resize(static_cast<Index>(part.rows.size()));
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      part.value(static_cast<Index>(i)) = b(part.rows[i]);
    }
    part.base = part.of_transpose.solve(part.value);
  }
}

void UnitConstraints::add_impulses(Index unit, const Vector& force, Vector& Lambda_B) {
  Part& part = parts_[at(place_[at(unit)])];
  const Vector impulses = part.of_W.solve(force);
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    Lambda_B(part.rows[i]) += impulses(static_cast<Index>(i));
  }
}

}  // namespace nsmb
