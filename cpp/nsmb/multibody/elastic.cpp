#include "nsmb/multibody/elastic.hpp"

#include <algorithm>
#include <string>

#include "nsmb/core/check.hpp"
#include "nsmb/core/dense_eigen.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Check that A is symmetric up to rounding and has no negative eigenvalues. If `positive`, its
// eigenvalues must be positive.
void check_definite(const std::string& argument, const Matrix& A, bool positive) {
  check_finite(argument, A);
  if (A.size() == 0) return;
  const double scale = A.cwiseAbs().maxCoeff();
  const double asymmetry = (A - A.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > elastic::kSymmetry * scale) {
    reject(argument, "a symmetric matrix", "asymmetry " + to_text(asymmetry));
  }
  const double least = symmetric_eigenvalues(A)[0];
  if (positive && !(least > elastic::kIndependent * scale)) {
    reject(argument, "independent functions that move mass", "the eigenvalue " + to_text(least));
  }
  if (least < -elastic::kSymmetry * scale) {
    reject(argument, "eigenvalues >= 0", to_text(least));
  }
}

Matrix symmetric(const Matrix& A) { return 0.5 * (A + A.transpose()); }

// Check Γ_kl = Γ_lk, for blocks of any width.
void check_drawn(const std::string& argument, const Matrix& drawn, Index n) {
  check_finite(argument, drawn);
  const Index width = drawn.cols() / n;
  double asymmetry = 0.0;
  for (Index k = 0; k < n; ++k) {
    for (Index l = 0; l < k; ++l) {
      const auto difference =
          drawn.block(3 * k, width * l, 3, width) - drawn.block(3 * l, width * k, 3, width);
      asymmetry = std::max(asymmetry, difference.cwiseAbs().maxCoeff());
    }
  }
  if (asymmetry > elastic::kSymmetry * drawn.cwiseAbs().maxCoeff()) {
    reject(argument, "the same values for k, l and l, k", "a difference of " + to_text(asymmetry));
  }
}

}  // namespace

Matrix ElasticDescription::mass_matrix() const {
  Matrix M = turning;
  for (Index k = 0; k < size(); ++k) {
    for (Index l = 0; l < size(); ++l) M(k, l) += second.block<3, 3>(3 * k, 3 * l).trace();
  }
  return M;
}

ElasticLink::ElasticLink(const ElasticDescription& body, const Frame& frame)
    : ElasticDescription(body),
      mass(body.mass_matrix()),
      displaces(body.stiffens() || !body.second.isZero(0.0)) {
  const Matrix3 A = frame.A.transpose();
  turn = A * body.turn;
  displacement = A * body.displacement;
  for (Index k = 0; k < size(); ++k) {
    const Matrix3 moved =
        body.first.middleRows<3>(3 * k) - body.displacement.col(k) * frame.r.transpose();
    first.middleRows<3>(3 * k) = A * moved * frame.A;
    for (Index l = 0; l < size(); ++l) {
      second.block<3, 3>(3 * k, 3 * l) = A * body.second.block<3, 3>(3 * k, 3 * l) * frame.A;
    }
  }
  coupling = second;
  if (!stiffens()) return;
  for (Index k = 0; k < size(); ++k) {
    drawn.middleRows<3>(3 * k) = A * body.drawn.middleRows<3>(3 * k);
    for (Index l = 0; l < size(); ++l) {
      const Matrix3 moved = body.drawn_first.block<3, 3>(3 * k, 3 * l) -
                            body.drawn.block<3, 1>(3 * k, l) * frame.r.transpose();
      drawn_first.block<3, 3>(3 * k, 3 * l) = A * moved * frame.A;
    }
  }
  coupling += drawn_first;
}

ElasticNode ElasticNode::seen_from(const Frame& frame) const {
  ElasticNode seen{frame.A.transpose() * displacement, turn, frame.A.transpose() * axes, drawn};
  for (Index k = 0; 3 * k < drawn.rows(); ++k) {
    seen.drawn.middleRows<3>(3 * k) = frame.A.transpose() * drawn.middleRows<3>(3 * k);
  }
  return seen;
}

ElasticDescription checked_elastic(const std::string& what, const ElasticDescription& given) {
  ElasticDescription e = given;
  const Index n = e.size();
  if (n < 1) reject(what + "stiffness", "at least one function", "none");
  check_shape(what + "stiffness", e.stiffness, n, n);
  check_shape(what + "damping", e.damping, n, n);
  check_shape(what + "displacement", e.displacement, 3, n);
  check_shape(what + "first", e.first, 3 * n, 3);
  check_shape(what + "second", e.second, 3 * n, 3 * n);
  check_shape(what + "turn", e.turn, 3, n);
  check_shape(what + "turning", e.turning, n, n);
  if (e.drawn.size() + e.drawn_first.size() > 0) {
    check_shape(what + "drawn", e.drawn, 3 * n, n);
    check_shape(what + "drawn_first", e.drawn_first, 3 * n, 3 * n);
    check_drawn(what + "drawn", e.drawn, n);
    check_drawn(what + "drawn_first", e.drawn_first, n);
  }
  for (const auto& [name, matrix] : {std::pair<const char*, Matrix>{"displacement", e.displacement},
                                     {"first", e.first},
                                     {"turn", e.turn}}) {
    check_finite(what + name, matrix);
  }
  check_definite(what + "stiffness", e.stiffness, false);
  check_definite(what + "damping", e.damping, false);
  check_definite(what + "second", e.second, false);
  check_definite(what + "turning", e.turning, false);
  for (Matrix* matrix : {&e.stiffness, &e.damping, &e.second, &e.turning}) {
    *matrix = symmetric(*matrix);
  }
  check_definite(what + "mass matrix", e.mass_matrix(), true);
  return e;
}

void check_node(const std::string& what, const ElasticNode& node, Index n) {
  check_shape(what + "displacement", node.displacement, 3, n);
  check_finite(what + "displacement", node.displacement);
  check_shape(what + "turn", node.turn, 3, n);
  check_finite(what + "turn", node.turn);
  if (node.drawn.size() == 0) return;
  check_shape(what + "drawn", node.drawn, 3 * n, n);
  check_drawn(what + "drawn", node.drawn, n);
}

}  // namespace nsmb
