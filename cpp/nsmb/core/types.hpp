// Eigen aliases used in every module of the library.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>

namespace nsmb {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// Arguments: read-only and writable views that accept vectors, columns and blocks without a copy.
using ConstVectorRef = Eigen::Ref<const Vector>;
using VectorRef = Eigen::Ref<Vector>;
using ConstMatrixRef = Eigen::Ref<const Matrix>;
using MatrixRef = Eigen::Ref<Matrix>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Convert an index to the index type of standard containers.
constexpr std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace nsmb
