#include "nsmb/core/check.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/core/no_value.hpp"

namespace nsmb {

void reject(std::string_view argument, std::string_view expected, std::string_view actual) {
  std::string message;
  message.append(argument).append(": expected ").append(expected).append(", got ").append(actual);
  throw std::invalid_argument(message);
}

std::string to_text(double value) {
  char buffer[32];
#ifdef __cpp_lib_to_chars
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return std::string(buffer, end);
#else  // some targets have std::to_chars only for integers
  for (int digits = 1; digits <= std::numeric_limits<double>::max_digits10; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) break;
  }
  return buffer;
#endif
}

std::string shape_text(Index rows, Index cols) {
  std::string text(1, '(');
  text.append(std::to_string(rows)).append(", ").append(std::to_string(cols)).append(1, ')');
  return text;
}

void check_size(std::string_view argument, const ConstVectorRef& value, Index size) {
  if (value.size() != size) {
    reject(argument, "a vector of length " + std::to_string(size),
           "length " + std::to_string(value.size()));
  }
}

void check_shape(std::string_view argument, const ConstMatrixRef& value, Index rows, Index cols) {
  if (value.rows() != rows || value.cols() != cols) {
    reject(argument, "shape " + shape_text(rows, cols),
           "shape " + shape_text(value.rows(), value.cols()));
  }
}

void check_finite(std::string_view argument, const ConstMatrixRef& value) {
  for (Index j = 0; j < value.cols(); ++j) {
    for (Index i = 0; i < value.rows(); ++i) {
      if (std::isfinite(value(i, j))) continue;
      std::string place = to_text(value(i, j));
      place.append(" at [").append(std::to_string(i));
      if (value.cols() != 1) place.append(", ").append(std::to_string(j));
      reject(argument, "finite numbers", place.append(1, ']'));
    }
  }
}

void check_finite(std::string_view argument, double value) {
  if (!std::isfinite(value)) reject(argument, "a finite number", to_text(value));
}

void check_value(std::string_view function, const ConstMatrixRef& value) {
  if (value.allFinite()) return;
  try {
    check_finite(function, value);
  } catch (const std::invalid_argument& error) {
    throw NoValue(error.what());
  }
}

void check_range(std::string_view argument, double value, double lower, double upper) {
  if (value >= lower && value <= upper) return;
  const std::string expected = std::isinf(upper)
                                   ? "a number >= " + to_text(lower)
                                   : "a number in [" + to_text(lower) + ", " + to_text(upper) + "]";
  reject(argument, expected, to_text(value));
}

void check_positive(std::string_view argument, double value) {
  if (!(value > 0.0) || std::isinf(value)) reject(argument, "a number > 0", to_text(value));
}

void check_mass_matrix(std::string_view argument, const ConstMatrixRef& M) {
  if (M.rows() != M.cols()) {
    reject(argument, "a square matrix", "shape " + shape_text(M.rows(), M.cols()));
  }
  check_finite(argument, M);
  const double asymmetry = M.size() ? (M - M.transpose()).cwiseAbs().maxCoeff() : 0.0;
  const double scale = M.size() ? M.cwiseAbs().maxCoeff() : 0.0;
  if (asymmetry > 1e-12 * scale) {
    reject(argument, "a symmetric matrix", "asymmetry " + to_text(asymmetry));
  }
  // Scaled to unit diagonal, so that mixed units (kg and kg m²) do not look singular.
  const Vector d = M.diagonal();
  if (M.size() && !(d.minCoeff() > 0.0)) {
    reject(argument, "a positive definite matrix", "diagonal entry " + to_text(d.minCoeff()));
  }
  const Vector s = d.cwiseSqrt().cwiseInverse();
  const Matrix C = s.asDiagonal() * M * s.asDiagonal();
  DenseCholesky llt;
  llt.compute(C);
  const bool definite =
      llt.is_definite() && (C.size() == 0 || llt.entries().diagonal().minCoeff() > 1e-7);
  if (!definite) reject(argument, "a positive definite matrix", "a singular or indefinite matrix");
}

}  // namespace nsmb
