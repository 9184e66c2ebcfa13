#include "nsmb/stepping/force_laws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/friction_problem.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

ForceLaws::ForceLaws(Mechanics& mechanics, const TimeSteppingOptions& options, double share)
    : mechanics_(mechanics),
      options_(options),
      share_(share),
      rho_N_(Vector::Zero(mechanics.nc())),
      bound_(Vector::Zero(mechanics.nc())),
      mu_(Vector::Zero(mechanics.nc())),
      G_(Matrix::Zero(mechanics.rows().size(), mechanics.rows().size())),
      v_(mechanics.rows()),
      defects_(Vector::Zero(mechanics.nc())),
      solver_(options.friction),
      impulses_(mechanics.rows()) {}

void ForceLaws::begin(double h) {
  h_ = h;
  is_linearised_ = false;
  largest_ = 0.0;
  list_.clear();
  defects_.setZero();
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const ContactRows& rows = mechanics_.rows();
    if (!rows.is_unilateral(i) && rows.required_by(i) < 0) list_.push_back(i);
  }
}

bool ForceLaws::take(Index contact) {
  const auto place = std::lower_bound(list_.begin(), list_.end(), contact);
  if (place != list_.end() && *place == contact) return false;
  list_.insert(place, contact);
  is_linearised_ = false;
  const ContactRows& rows = mechanics_.rows();
  for (const Index i : rows.rubbing_under(contact)) {
    if (rows.required_by(i) == contact) take(i);
  }
  return true;
}

bool ForceLaws::look(Vector& Lambda_N, Vector& Lambda_T) {
  const ContactKinematics& contacts = mechanics_.contacts;
  const ContactRows& rows = mechanics_.rows();
  rho_N_ = (1.0 - share_) * 2.0 / h_ * contacts.g_N + share_ * mechanics_.gamma_N;
  v_.end_T = mechanics_.gamma_T;
  bound_ = h_ * contacts.bound;
  mu_ = mechanics_.mu;
  const auto gone = [&](Index i) {
    const Index with_gap = rows.required_by(i) >= 0 ? rows.required_by(i) : i;
    return rows.is_unilateral(with_gap) && !contacts.is_valid(with_gap);
  };
  bool any = false;
  for (const Index i : list_) {
    if (!gone(i)) continue;
    any = any || Lambda_N(i) != 0.0;
    Lambda_N(i) = 0.0;
    Lambda_T.segment(rows.tangent(i), rows.dim(i)).setZero();
    is_linearised_ = false;
  }
  list_.erase(std::remove_if(list_.begin(), list_.end(), gone), list_.end());
  return any;
}

bool ForceLaws::take_forbidden() {
  bool any = false;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (!mechanics_.rows().is_unilateral(i) || !mechanics_.contacts.is_valid(i)) continue;
    if (rho_N_(i) < 0.0 && take(i)) any = true;
  }
  return any;
}

bool ForceLaws::is_rough(Index contact) const {
  return mu_(contact) > 0.0 || bound_(contact) > 0.0;
}

const std::vector<Index>& ForceLaws::find_rows() {
  const ContactRows& rows = mechanics_.rows();
  rows_.clear();
  for (const Index i : list_) {
    if (rows.is_unilateral(i)) rows_.push_back(i);
    if (!is_rough(i)) continue;
    for (Index d = 0; d < rows.dim(i); ++d) rows_.push_back(rows.row(i) + d);
  }
  const ContactKinematics& contacts = mechanics_.contacts;
  directions_.resize(mechanics_.nu(), static_cast<Index>(rows_.size()));
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Index row = rows_[k];
    directions_.col(static_cast<Index>(k)) =
        row < rows.nc ? contacts.W_N.col(row) : contacts.W_T.col(row - rows.nc);
  }
  return rows_;
}

void ForceLaws::linearise(const Matrix& W_q, const Matrix& W_u) {
  const Index nc = mechanics_.nc();
  const double gap = (1.0 - share_) * 2.0 / h_;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto w = directions_.col(static_cast<Index>(k));
    for (std::size_t l = 0; l < rows_.size(); ++l) {
      const Index other = static_cast<Index>(l);
      double effect = w.dot(W_u.col(other));
      if (rows_[k] < nc) effect = gap * w.dot(W_q.col(other)) + share_ * effect;  // (5.17), (5.21)
      G_(rows_[k], rows_[l]) = effect / h_;
    }
  }
  is_linearised_ = true;
}

void ForceLaws::find_free(const Vector& Lambda_N, const Vector& Lambda_T) {
  const Index nc = mechanics_.nc();
  v_.free_N = rho_N_;
  v_.free_T = v_.end_T;
  for (const Index row : rows_) {
    double& free = row < nc ? v_.free_N(row) : v_.free_T(row - nc);
    for (const Index other : rows_) {
      free -= G_(row, other) * (other < nc ? Lambda_N(other) : Lambda_T(other - nc));
    }
  }
}

void ForceLaws::solve(Vector& Lambda_N, Vector& Lambda_T) {
  find_free(Lambda_N, Lambda_T);
  solve_step_laws({mechanics_.rows(), G_, v_.free_N, v_.free_T, v_.given_N, v_.given_T, mu_, bound_,
                   mechanics_.laws, list_},
                  options_.tol, solver_, impulses_);
  Lambda_N = impulses_.Lambda_N;
  Lambda_T = impulses_.Lambda_T;
}

double ForceLaws::allowed(const Vector& Lambda_N, const Vector& Lambda_T, const ConstVectorRef& q) {
  if (!is_linearised_) return 0.0;
  find_free(Lambda_N, Lambda_T);
  const Index nc = mechanics_.nc();
  largest_ = 0.0;
  for (const Index row : rows_) {
    largest_ = std::max(largest_, std::abs(row < nc ? v_.free_N(row) : v_.free_T(row - nc)));
  }
  const double of_gap = (1.0 - share_) * 2.0 / h_ * force_laws::kRoundingOfGap;
  return std::max({options_.tol * largest_, stepping::kRest, of_gap * q.cwiseAbs().maxCoeff()});
}

double ForceLaws::defect(const Vector& Lambda_N, const Vector& Lambda_T) {
  defects_.setZero();
  if (list_.empty()) return 0.0;
  if (!is_linearised_) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (const Index i : list_) {
    double& defect = defects_(i);
    if (mechanics_.rows().is_unilateral(i)) defect = defect_N(i, Lambda_N);
    if (is_rough(i)) defect = std::max(defect, defect_T(i, Lambda_N, Lambda_T));
    worst = std::max(worst, defect);
  }
  return worst;
}

double ForceLaws::defect_N(Index contact, const Vector& Lambda_N) const {
  return std::abs(std::min(rho_N_(contact), G_(contact, contact) * Lambda_N(contact)));
}

// The residual of Λ_T = proj(Λ_T - r γ_T), in the units of γ_T.
double ForceLaws::defect_T(Index contact, const Vector& Lambda_N, const Vector& Lambda_T) const {
  const ContactRows& rows = mechanics_.rows();
  const Index t = rows.tangent(contact), row = rows.row(contact), dim = rows.dim(contact);
  const Index normal = rows.normal_of(contact);
  const double effect = G_.block(row, row, dim, dim).trace() / static_cast<double>(dim);
  if (!(effect > 0.0)) return 0.0;
  const double pressed = normal < 0 ? 0.0 : mu_(contact) * std::max(0.0, Lambda_N(normal));
  FrictionDisc disc;
  disc.dim = dim;
  disc.aspect = mechanics_.laws[at(contact)].aspect;
  double x[2] = {0.0, 0.0}, metric = 1.0;
  for (Index d = 0; d < dim; ++d, metric = disc.aspect * disc.aspect) {
    x[d] = effect * Lambda_T(t + d) - metric * v_.end_T(t + d);
  }
  project_disc(disc, effect * (pressed + bound_(contact)), x);
  double worst = 0.0;
  for (Index d = 0; d < dim; ++d) {
    worst = std::max(worst, std::abs(effect * Lambda_T(t + d) - x[d]));
  }
  return worst;
}

void ForceLaws::list_missed(double allowed, std::vector<Index>& missed) const {
  for (const Index i : list_) {
    if (defects_(i) > allowed) missed.push_back(i);
  }
}

// Contacts that carry a force are closed. v_ has no end_N, as it would contain gaps that open
// again.
void ForceLaws::decide(const Vector& Lambda_N, ContactStates& states) {
  decide_states(mechanics_.rows(), list_, v_, Lambda_N, options_.tol, states);
}

}  // namespace nsmb
