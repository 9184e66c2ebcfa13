#include "nsmb/contact_laws/contact_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/nnls.hpp"
#include "nsmb/contact_laws/tolerances.hpp"
#include "nsmb/core/dense_lu.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

enum class Mode { Open, Closed, Loose, Stick, Up, Down };

class PieceSearch {
 public:
  PieceSearch(ContactProblem& problem, const std::function<bool()>& accept);
  void run();

 private:
  bool advance();
  bool is_loose(const FrictionBound& f) const;
  Mode mode(std::size_t k) const;
  bool visit();
  bool visit_singular();
  bool offer();
  void list_piece();

  ContactProblem& original_;
  const std::function<bool()>& accept_;
  const Index n_;
  Vector unit_;         // (n) x = unit x' size, y' = unit y / size
  Matrix A_;            // scaled
  Vector b_, allowed_;  // (n) scaled; uncertainty of velocities
  std::vector<FrictionBound> friction_;
  std::vector<int> turn_;  // mode of each normal row and friction part
  double size_ = 1.0;

  // The current piece.
  std::vector<Index> held_;  // rows with y = 0
  Matrix columns_;   // (n, held) effect of their forces, including friction of sliding contacts
  Vector constant_;  // (n) y without them
  std::vector<double> given_;  // by friction part: x_T of a sliding one without its normal force
  Vector x_;                   // (n)

  Vector best_;
  double least_ = std::numeric_limits<double>::infinity();
  bool missed_narrowly_ = false;
};

// Return true if least squares prove that no z >= 0 has C z = d. The remainder w = d - C z is a
// proof if Cᵀw <= 0 and wᵀd > 0. With columns of very different masses Cᵀw may be slightly
// positive. Then only z up to a certain size are excluded.
bool rules_out(const ConstMatrixRef& C, const Vector& d, const NnlsResult& nearest) {
  const Vector w = d - C * nearest.z;
  const double terms = d.norm() + (C.cwiseAbs() * nearest.z).norm();
  double slope = 0.0;
  for (Index j = 0; j < C.cols(); ++j) {
    const double left = C.col(j).dot(w);
    if (left > rounding::kOrthogonal * C.col(j).norm() * terms) slope = std::max(slope, left);
  }
  return w.dot(d) >= pieces::kExcludedByProof * slope;
}

double scaled_mu(const FrictionBound& f, bool up) { return up ? f.mu_plus : -f.mu_minus; }
double scaled_bound(const FrictionBound& f, bool up) { return up ? f.bound_plus : -f.bound_minus; }

PieceSearch::PieceSearch(ContactProblem& problem, const std::function<bool()>& accept)
    : original_(problem),
      accept_(accept),
      n_(problem.b.size()),
      unit_(n_),
      friction_(problem.friction),
      turn_(static_cast<std::size_t>(problem.n_N) + friction_.size(), 0),
      given_(friction_.size(), 0.0) {
  for (Index i = 0; i < n_; ++i) unit_(i) = 1.0 / std::sqrt(own_effect(problem, i));
  A_ = unit_.asDiagonal() * problem.A * unit_.asDiagonal();
  b_ = unit_.cwiseProduct(problem.b);
  size_ = b_.lpNorm<Eigen::Infinity>();
  if (!(size_ > 0.0)) size_ = 1.0;
  b_ /= size_;
  allowed_.setZero(n_);
  if (problem.judged) allowed_ = unit_.cwiseProduct(problem.resolution) / size_;
  for (FrictionBound& f : friction_) {
    const double T = unit_(f.first), N = f.normal < 0 ? 0.0 : unit_(f.normal);
    f.mu_plus *= N / T;
    f.mu_minus *= N / T;
    f.bound_plus /= T * size_;
    f.bound_minus /= T * size_;
  }
}

bool PieceSearch::is_loose(const FrictionBound& f) const {
  const bool open = f.normal < 0 || turn_[static_cast<std::size_t>(f.normal)] == 0;
  return open && f.bound_plus == 0.0 && f.bound_minus == 0.0;
}

Mode PieceSearch::mode(std::size_t k) const {
  const FrictionBound& f = friction_[k];
  const int turn = turn_[static_cast<std::size_t>(original_.n_N) + k];
  if (is_loose(f)) return Mode::Loose;
  return turn == 0 ? Mode::Stick : turn == 1 ? Mode::Up : Mode::Down;
}

// Advance to the next piece. Return false after the last one. Normal rows change slowest.
bool PieceSearch::advance() {
  const std::size_t n_N = static_cast<std::size_t>(original_.n_N);
  for (std::size_t k = turn_.size(); k-- > 0;) {
    const bool normal = k < n_N;
    const bool loose = !normal && is_loose(friction_[k - n_N]);
    if (!loose && turn_[k] < (normal ? 1 : 2)) {
      ++turn_[k];
      return true;
    }
    turn_[k] = 0;
  }
  return false;
}

void PieceSearch::list_piece() {
  held_.clear();
  constant_ = b_;
  for (Index i = 0; i < original_.n_N; ++i) {
    if (turn_[static_cast<std::size_t>(i)] == 1) held_.push_back(i);
  }
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    if (mode(k) == Mode::Stick) held_.push_back(friction_[k].first);
  }
  columns_ = A_(Eigen::all, held_);
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const FrictionBound& f = friction_[k];
    const Mode m = mode(k);
    if (m != Mode::Up && m != Mode::Down) continue;
    given_[k] = scaled_bound(f, m == Mode::Up);
    constant_ += given_[k] * A_.col(f.first);
    if (f.normal < 0) continue;
    const auto at = std::find(held_.begin(), held_.end(), f.normal);
    if (at == held_.end()) continue;
    columns_.col(at - held_.begin()) += scaled_mu(f, m == Mode::Up) * A_.col(f.first);
  }
}

// Return true if the solution of the piece is accepted.
bool PieceSearch::visit() {
  list_piece();
  const Index m = static_cast<Index>(held_.size());
  Vector y = constant_, unsure = allowed_;  // uncertainty of y by data within the resolution
  x_.setZero(n_);
  Vector x_held(m), x_unsure = Vector::Zero(n_);
  if (m > 0) {
    const Matrix C = columns_(held_, Eigen::all);
    const FullLu lu(C);
    if (!(lu.smallest_pivot() > pieces::kSingularPiece * std::max(1.0, lu.largest_pivot())))
      return visit_singular();
    const Vector c = constant_(held_);
    x_held = lu.solve(-c);
    x_held -= lu.solve(Vector(C * x_held + c));
    const Matrix inverse = lu.inverse();
    const Vector held_allowed = allowed_(held_);
    y += columns_ * x_held;
    unsure += (columns_ * inverse).cwiseAbs() * held_allowed;
    const Vector size = inverse.cwiseAbs() * held_allowed;
    for (Index k = 0; k < m; ++k) {
      x_(held_[static_cast<std::size_t>(k)]) = x_held(k);
      x_unsure(held_[static_cast<std::size_t>(k)]) = size(k);
    }
  }
  const double narrow = pieces::kNarrowMiss * std::max({1.0, x_.lpNorm<Eigen::Infinity>()});
  const auto fails = [&](double value, double slack) { return value < -narrow - slack; };
  for (Index i = 0; i < original_.n_N; ++i) {
    const bool closed = turn_[static_cast<std::size_t>(i)] == 1;
    if (fails(closed ? x_(i) : y(i), closed ? x_unsure(i) : unsure(i))) return false;
  }
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const FrictionBound& f = friction_[k];
    const Mode how = mode(k);
    const double x_N = f.normal < 0 ? 0.0 : x_(f.normal);
    const double slack_N = f.normal < 0 ? 0.0 : x_unsure(f.normal);
    if (how == Mode::Stick) {
      const double x_T = x_(f.first), slack = x_unsure(f.first);
      if (fails(f.mu_plus * x_N + f.bound_plus - x_T, slack + f.mu_plus * slack_N)) return false;
      if (fails(f.mu_minus * x_N + f.bound_minus + x_T, slack + f.mu_minus * slack_N)) return false;
    } else if (how != Mode::Loose) {
      const bool up = how == Mode::Up;
      x_(f.first) = given_[k] + scaled_mu(f, up) * x_N;
      if (fails(up ? -y(f.first) : y(f.first), unsure(f.first))) return false;
    }
  }
  return offer();
}

// Write y = A x + b with x and y in the bounds of the piece, in terms of nonnegative distances from
// the bounds. Least squares find these, or the smallest violation.
bool PieceSearch::visit_singular() {
  Index rows = n_;
  for (std::size_t k = 0; k < friction_.size(); ++k) rows += mode(k) == Mode::Stick;
  Matrix C = Matrix::Zero(rows, 2 * n_);
  Vector d = Vector::Zero(rows);
  d.head(n_) = constant_;
  std::vector<Index> place(static_cast<std::size_t>(n_), -1);
  Index at = 0;
  const auto slack = [&](Index row, double sign) { C(row, at++) = sign; };
  for (Index i = 0; i < original_.n_N; ++i) {
    if (turn_[static_cast<std::size_t>(i)] == 0) {
      slack(i, 1.0);
    } else {
      const auto k = std::find(held_.begin(), held_.end(), i) - held_.begin();
      C.col(at).head(n_) = -columns_.col(k);
      place[static_cast<std::size_t>(i)] = at++;
    }
  }
  Index range = n_;
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const FrictionBound& f = friction_[k];
    const Mode how = mode(k);
    const Index normal = f.normal < 0 ? -1 : place[static_cast<std::size_t>(f.normal)];
    if (how == Mode::Up || how == Mode::Down) {
      slack(f.first, how == Mode::Up ? -1.0 : 1.0);
    } else if (how == Mode::Loose) {
      slack(f.first, 1.0);
      slack(f.first, -1.0);
    } else {
      // x_T = p - μ⁻ x_N - β⁻,  p + p' = (μ⁺ + μ⁻) x_N + β⁺ + β⁻
      C.col(at).head(n_) = -A_.col(f.first);
      d.head(n_) -= f.bound_minus * A_.col(f.first);
      if (normal >= 0) C.col(normal).head(n_) += f.mu_minus * A_.col(f.first);
      C(range, at) = C(range, at + 1) = 1.0;
      d(range) = f.bound_plus + f.bound_minus;
      if (normal >= 0) C(range, normal) = -(f.mu_plus + f.mu_minus);
      place[static_cast<std::size_t>(f.first)] = at;
      at += 2;
      ++range;
    }
  }
  const NnlsResult nearest = solve_nnls(C.leftCols(at), d);
  const double rounding = rounding::kRow * (C.leftCols(at).cwiseAbs() * nearest.z).norm();
  if (nearest.residual > pieces::kNarrowMiss + allowed_.norm() + rounding) {
    missed_narrowly_ =
        missed_narrowly_ || !nearest.converged || !rules_out(C.leftCols(at), d, nearest);
    return false;
  }
  x_.setZero(n_);
  for (Index i = 0; i < original_.n_N; ++i) {
    if (place[static_cast<std::size_t>(i)] >= 0)
      x_(i) = nearest.z(place[static_cast<std::size_t>(i)]);
  }
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const FrictionBound& f = friction_[k];
    const Mode how = mode(k);
    const double x_N = f.normal < 0 ? 0.0 : x_(f.normal);
    if (how == Mode::Stick) {
      x_(f.first) =
          nearest.z(place[static_cast<std::size_t>(f.first)]) - f.mu_minus * x_N - f.bound_minus;
    } else if (how != Mode::Loose) {
      x_(f.first) = given_[k] + scaled_mu(f, how == Mode::Up) * x_N;
    }
  }
  return offer();
}

bool PieceSearch::offer() {
  original_.x = size_ * unit_.cwiseProduct(x_);
  original_.x.head(original_.n_N) = original_.x.head(original_.n_N).cwiseMax(0.0);
  if (accept_()) return true;
  missed_narrowly_ = true;
  const double defect = row_defects(original_).largest;
  if (!(defect < least_)) return false;
  least_ = defect;
  best_ = original_.x;
  return false;
}

void PieceSearch::run() {
  do {
    if (!visit()) continue;
    original_.status = LcpStatus::Solved;
    least_ = row_defects(original_).largest;
    best_ = original_.x;
    break;
  } while (advance());
  if (original_.status != LcpStatus::Solved) {
    original_.status = missed_narrowly_ ? LcpStatus::Inaccurate : LcpStatus::NoSolution;
  }
  original_.residual = least_ / std::max(1.0, original_.b.lpNorm<Eigen::Infinity>());
  if (best_.size() == n_) {
    original_.x = best_;
  } else {
    original_.x.setConstant(n_, std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace

double count_contact_pieces(const ContactProblem& p) {
  std::vector<double> closed(static_cast<std::size_t>(p.n_N), 1.0);
  double alone = 1.0, pieces = 1.0;
  bool bounded = false;
  for (const FrictionBound& f : p.friction) {
    if (f.dim != 1) return std::numeric_limits<double>::infinity();
    (f.normal < 0 ? alone : closed[static_cast<std::size_t>(f.normal)]) *= 3.0;
    bounded = bounded || (f.normal >= 0 && (f.bound_plus > 0.0 || f.bound_minus > 0.0));
  }
  for (const double modes : closed) pieces *= bounded ? 2.0 * modes : 1.0 + modes;
  return pieces * alone;
}

void solve_contact_pieces(ContactProblem& problem, const std::function<bool()>& accept) {
  problem.status = LcpStatus::NotRun;
  PieceSearch(problem, accept).run();
}

}  // namespace nsmb
