#include "nsmb/complementarity/friction_sparse.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {
namespace {

void check_shape_of(std::string_view name, const SparseMatrix& matrix, Index rows, Index cols) {
  if (matrix.rows() != rows || matrix.cols() != cols) {
    reject(name, "shape " + shape_text(rows, cols), shape_text(matrix.rows(), matrix.cols()));
  }
  if (!matrix.isCompressed()) reject(name, "a compressed matrix", "an uncompressed matrix");
  const double* values = matrix.valuePtr();
  for (Index k = 0; k < matrix.nonZeros(); ++k) {
    if (!std::isfinite(values[k])) reject(name, "finite numbers", to_text(values[k]));
  }
}

class BlockCheck {
 public:
  BlockCheck(const SparseFrictionProblem& problem, std::size_t k)
      : p_(problem), block_(problem.blocks[k]), k_(k) {}

  void run(Index next) const {
    if (block_.first != next) fail("first", "row " + std::to_string(next), block_.first);
    check_count("tangents", block_.tangents, 2);
    check_count("rolling", block_.rolling, 2);
    check_count("drilling", block_.drilling, 1);
    check_count("free", block_.free, p_.rows() - next);
    if (block_.rows() < 1) fail("rows", "at least one row", block_.rows());
    const bool friction = block_.normal || block_.tangents + block_.rolling + block_.drilling > 0;
    if (block_.free > 0 && friction) {
      fail("free", "only free rows, or none", block_.free);
    }
    check_number("mu", block_.mu, false);
    check_number("bound", block_.bound, false);
    check_number("aspect", block_.aspect, true);
    check_number("mu_R", block_.mu_R, false);
    check_number("mu_D", block_.mu_D, false);
    check_normal_of();
  }

 private:
  std::string name(const char* field) const {
    return "blocks[" + std::to_string(k_) + "]." + field;
  }
  [[noreturn]] void fail(const char* field, const std::string& expected, Index actual) const {
    reject(name(field), expected, std::to_string(actual));
  }
  void check_count(const char* field, Index value, Index most) const {
    if (value < 0 || value > most) {
      fail(field, "a number in [0, " + std::to_string(most) + "]", value);
    }
  }
  void check_number(const char* field, double value, bool positive) const {
    const bool ok = positive ? value > 0.0 : value >= 0.0;
    if (ok && value <= std::numeric_limits<double>::max()) return;
    reject(name(field), positive ? "a finite number > 0" : "a finite number >= 0", to_text(value));
  }
  void check_normal_of() const {
    const Index other = block_.normal_of;
    if (other == -1) return;
    const auto blocks = static_cast<Index>(p_.blocks.size());
    const bool known = other >= 0 && other < blocks && !block_.normal && block_.free == 0 &&
                       p_.blocks[static_cast<std::size_t>(other)].normal;
    if (!known) {
      fail("normal_of", "-1 or, for friction alone, a block with a normal row", other);
    }
  }

  const SparseFrictionProblem& p_;
  const ContactBlock& block_;
  std::size_t k_;
};

void check_bodies(const std::vector<Index>& bodies, Index n) {
  Index last = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const bool fits = k == 0 ? bodies[k] == 0 : bodies[k] >= last && bodies[k] <= n;
    if (!fits) {
      reject("bodies[" + std::to_string(k) + "]",
             k == 0 ? "row 0" : "a row of M from " + std::to_string(last) + " on",
             std::to_string(bodies[k]));
    }
    last = bodies[k];
  }
}

}  // namespace

void check_sparse_friction(const SparseFrictionProblem& problem) {
  const Index m = problem.rows();
  check_finite("w", problem.w);
  if (problem.is_global()) {
    const Index n = problem.M.rows();
    check_shape_of("M", problem.M, n, n);
    check_shape_of("H", problem.H, n, m);
    check_size("f", problem.f, n);
    check_finite("f", problem.f);
    check_bodies(problem.bodies, n);
  } else {
    check_shape_of("W", problem.W, m, m);
  }
  Index next = 0;
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    BlockCheck(problem, k).run(next);
    next += problem.blocks[k].rows();
  }
  if (next != m) {
    reject("blocks", "blocks of " + std::to_string(m) + " rows", std::to_string(next) + " rows");
  }
}

void check_measure(const FrictionMeasure& measure) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  check_range("impulse_scale", measure.impulse_scale, 0.0, kLargest);
  check_range("scale", measure.scale, 0.0, kLargest);
}

}  // namespace nsmb
