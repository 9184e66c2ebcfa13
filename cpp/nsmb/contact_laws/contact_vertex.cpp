#include "nsmb/contact_laws/contact_vertex.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "nsmb/contact_laws/tolerances.hpp"
#include "nsmb/core/dense_qr.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr int kCorrections = 3;
constexpr double kEndless = std::numeric_limits<double>::infinity();

class VertexSearch {
 public:
  explicit VertexSearch(ContactProblem& problem)
      : p_(problem), n_(problem.b.size()), scale_(n_), is_fixed_(static_cast<std::size_t>(n_)) {
    for (Index i = 0; i < n_; ++i) scale_(i) = 1.0 / std::sqrt(own_effect(p_, i));
    for (Index i = 0; i < p_.n_N; ++i) is_fixed_[at(i)] = !(p_.x(i) > 0.0);
    tie_.assign(p_.friction.size(), 0.0);
    for (std::size_t k = 0; k < tie_.size(); ++k) {
      const FrictionBound& f = p_.friction[k];
      const double least = dependence::kAtBound * (upper_slack(f) + lower_slack(f));
      if (upper_slack(f) <= least)
        tie(k, true);
      else if (lower_slack(f) <= least)
        tie(k, false);
    }
  }

  void run() {
    for (Index i = 0; i < n_; ++i) {
      if (!is_fixed_[at(i)]) held_.push_back(i);
    }
    while (find_direction() && go()) continue;
    if (!held_.empty()) correct();
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  double normal_of(const FrictionBound& f, const Vector& v) const {
    return f.normal < 0 ? 0.0 : v(f.normal);
  }
  double upper_slack(const FrictionBound& f) const {
    return f.mu_plus * normal_of(f, p_.x) + f.bound_plus - p_.x(f.first);
  }
  double lower_slack(const FrictionBound& f) const {
    return f.mu_minus * normal_of(f, p_.x) + f.bound_minus + p_.x(f.first);
  }
  // Keep this force at this bound from now on.
  void tie(std::size_t k, bool up) {
    const FrictionBound& f = p_.friction[k];
    tie_[k] = up ? f.mu_plus : -f.mu_minus;
    is_fixed_[at(f.first)] = true;
  }

  std::vector<Index> free_forces() const {
    std::vector<Index> free;
    for (Index i = 0; i < n_; ++i) {
      if (!is_fixed_[at(i)]) free.push_back(i);
    }
    return free;
  }

  // Return the effect of a unit force i, with the friction at bounds that it moves, in rows of size
  // one.
  Vector column(Index i) const {
    Vector a = p_.A.col(i);
    for (std::size_t k = 0; i < p_.n_N && k < tie_.size(); ++k) {
      const FrictionBound& f = p_.friction[k];
      if (f.normal == i && is_fixed_[at(f.first)]) a += tie_[k] * p_.A.col(f.first);
    }
    return scale_(i) * a.cwiseProduct(scale_);
  }

  // Friction at a bound changes with the bound.
  void follow_bounds() {
    for (std::size_t k = 0; k < tie_.size(); ++k) {
      const FrictionBound& f = p_.friction[k];
      if (is_fixed_[at(f.first)]) direction_(f.first) = tie_[k] * normal_of(f, direction_);
    }
  }

  // Find forces that together cause no motion, by Gram-Schmidt, starting with the largest. Return
  // false if there are none.
  bool find_direction() {
    std::vector<Index> free = free_forces();
    std::stable_sort(free.begin(), free.end(),
                     [&](Index i, Index j) { return std::abs(p_.x(i)) > std::abs(p_.x(j)); });
    const Index m = static_cast<Index>(free.size());
    Matrix Q(n_, m), R = Matrix::Zero(m, m);
    for (Index k = 0; k < m; ++k) {
      Vector a = column(free[at(k)]);
      const double size = a.norm();
      for (int pass = 0; pass < 2; ++pass) {
        const Vector along = Q.leftCols(k).transpose() * a;
        a -= Q.leftCols(k) * along;
        R.col(k).head(k) += along;
      }
      const double rest = a.norm();
      if (rest > dependence::kSameEffect * size) {
        R(k, k) = rest;
        Q.col(k) = a / rest;
        continue;
      }
      Vector share = -R.col(k).head(k);
      R.topLeftCorner(k, k).triangularView<Eigen::Upper>().solveInPlace(share);
      direction_.setZero(n_);
      direction_(free[at(k)]) = scale_(free[at(k)]);
      for (Index l = 0; l < k; ++l) direction_(free[at(l)]) = scale_(free[at(l)]) * share(l);
      follow_bounds();
      return true;
    }
    return false;
  }

  // Remove the drift of the held rows with the remaining forces.
  void correct() {
    const std::vector<Index> free = free_forces();
    Matrix J(std::ssize(held_), std::ssize(free));
    for (std::size_t k = 0; k < free.size(); ++k) {
      J.col(static_cast<Index>(k)) = column(free[k])(held_);
    }
    RankedQr qr(dependence::kSameEffect);
    qr.compute(J);
    for (int step = 0; step < kCorrections; ++step) {
      const Vector y = (p_.b + p_.A * p_.x).cwiseProduct(scale_);
      const Vector change = qr.solve(-Vector(y(held_)));
      direction_.setZero(n_);
      for (std::size_t k = 0; k < free.size(); ++k) {
        direction_(free[k]) = scale_(free[k]) * change(static_cast<Index>(k));
      }
      follow_bounds();
      p_.x += direction_;
    }
  }

  // Call see(slack, rate, fix) for every bound that a force may reach.
  template <typename See>
  void for_each_bound(const See& see) {
    const Vector& d = direction_;
    for (Index i = 0; i < p_.n_N; ++i) {
      if (!is_fixed_[at(i)])
        see(p_.x(i), d(i), [&, i] {
          is_fixed_[at(i)] = true;
          p_.x(i) = 0.0;
        });
    }
    for (std::size_t k = 0; k < tie_.size(); ++k) {
      const FrictionBound& f = p_.friction[k];
      if (is_fixed_[at(f.first)]) continue;
      const double d_N = normal_of(f, d), d_T = d(f.first);
      see(upper_slack(f), f.mu_plus * d_N - d_T, [&, k] { tie(k, true); });
      see(lower_slack(f), f.mu_minus * d_N + d_T, [&, k] { tie(k, false); });
    }
  }

  // Move to the nearer end of the direction. Return false if it has no end.
  bool go() {
    double forth = kEndless, back = kEndless;
    for_each_bound([&](double slack, double rate, const auto&) {
      double& way = rate < 0.0 ? forth : back;
      if (rate != 0.0) way = std::min(way, std::max(slack, 0.0) / std::abs(rate));
    });
    const double way = std::min(forth, back);
    if (way == kEndless) return false;
    if (back < forth) direction_ = -direction_;
    const double reached = way * (1.0 + dependence::kAtBound);
    std::vector<std::function<void()>> ends;
    for_each_bound([&](double slack, double rate, const auto& fix) {
      if (rate < 0.0 && slack <= -rate * reached) ends.emplace_back(fix);
    });
    p_.x += way * direction_;
    for (const auto& end : ends) end();
    return true;
  }

  ContactProblem& p_;
  Index n_;
  Vector scale_;                // scales of the unknowns, and of the rows
  std::vector<bool> is_fixed_;  // (n) at zero, or at a bound
  std::vector<Index> held_;     // forces not fixed at the start, rows with y = 0
  std::vector<double> tie_;     // ∂x_T/∂x_N of friction at its bound
  Vector direction_;            // (n)
};

}  // namespace

void move_to_vertex(ContactProblem& problem) { VertexSearch(problem).run(); }

}  // namespace nsmb
