#include "nsmb/stepping/free_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/stepping/free_turning.hpp"
#include "nsmb/stepping/step_place.hpp"
#include "nsmb/stepping/tolerances.hpp"
#include "nsmb/system/constraint_set.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Limit for one flow. A chain that needs more rotates by tens of radians within it.
constexpr long kMostEvaluations = 2000;
// Iterations for the velocity in the middle of a coarse step.
constexpr int kCoarseTurns = 3;

}  // namespace

FreeFlow::FreeFlow(Mechanics& mechanics) : mechanics_(mechanics), parts_(mechanics) {
  const System& system = mechanics.system();
  if (system.free_bodies()) bodies_ = *system.free_bodies();
  if (parts_.kind() != FreeMotion::Kind::Bent) return;
  keeps_energy_ = system.free_motion() && system.free_motion()->keeps_energy() && system.cliques();
  if (keeps_energy_) {
    before_.resize(system.cliques()->count());
    after_.resize(before_.size());
    diagonal_.resize(mechanics.nu());
  }
  IntegratorOptions options;
  options.rtol = free_flow::kError;
  options.atol = Vector::Constant(dimension(), free_flow::kError);
  integrator_ = make_integrator("dp853", *this, options);
}

bool FreeFlow::go(double t, double h, VectorRef y) {
  if (h == 0.0) return true;
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  if (parts_.kind() == FreeMotion::Kind::Whole) {
    move_coordinates(mechanics_, t, h, y.segment(nq, nu), y.head(nq), q_step_);
    if (mechanics_.nb() > 0) mechanics_.approach_constraints(t + h, y);
    return true;
  }
  rest_ = y.head(nq + nu);
  const bool is_fine = !integrator_ || integrate(t, h, y);
  const bool has_more = 6 * static_cast<Index>(bodies_.size()) < nu;
  if (!integrator_ && has_more) {
    move_coordinates(mechanics_, t, h, y.segment(nq, nu), y.head(nq), q_step_);
  }
  move_bodies(h, y);
  return is_fine;
}

// Move the free bodies last, from their state before the flow, which has moved them, too.
void FreeFlow::move_bodies(double h, VectorRef y) {
  const Index nq = mechanics_.nq();
  for (const FreeBody& body : bodies_) {
    Eigen::Vector3d r = rest_.segment<3>(body.q), v = rest_.segment<3>(nq + body.u);
    Eigen::Vector3d Omega = rest_.segment<3>(nq + body.u + 3);
    const auto p = rest_.segment<4>(body.q + 3);
    Eigen::Quaterniond A(p(0), p(1), p(2), p(3));
    const bool is_centred = body.center.isZero(0.0);
    if (!is_centred) {
      A.normalize();
      r += A * body.center;
      v += A * Omega.cross(body.center);
    }
    r += h * v;
    turn_freely(body.inertia, h, A, Omega);
    if (!is_centred) {
      r -= A * body.center;
      v -= A * Omega.cross(body.center);
    }
    y.segment<3>(body.q) = r;
    y.segment<4>(body.q + 3) << A.w(), A.x(), A.y(), A.z();
    y.segment<3>(nq + body.u) = v;
    y.segment<3>(nq + body.u + 3) = Omega;
  }
}

void FreeFlow::rhs(double t, const ConstVectorRef& y, VectorRef ydot) {
  ++evaluations_;
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const auto q = y.head(nq), u = y.segment(nq, nu);
  mechanics_.coordinate_rates(t, q, u, ydot.head(nq));
  auto udot = ydot.segment(nq, nu);
  parts_.gyroscopic(t, q, u, x_, udot);
  t = mechanics_.span().inside(t);
  mechanics_.mass.factorise(t, q);
  if (mechanics_.nb() > 0) mechanics_.bilateral.update(t, q, u);
  mechanics_.accelerate(mechanics_.bilateral.kinematics.w_bar, udot);
}

// W_B λ_B = M u̇ - h_0
void FreeFlow::constraint_forces(double t, const ConstVectorRef& y, VectorRef lambda_B) {
  lambda_B.setZero();
  if (!integrator_) return;  // only positions are constrained
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const auto q = y.head(nq), u = y.segment(nq, nu);
  force_.resize(nu);
  parts_.gyroscopic(t, q, u, y.tail(mechanics_.system().nx()), force_);
  acceleration_ = force_;
  t = mechanics_.span().inside(t);
  mechanics_.mass.factorise(t, q);
  mechanics_.bilateral.update(t, q, u);
  mechanics_.accelerate(mechanics_.bilateral.kinematics.w_bar, acceleration_);
  force_ = mechanics_.mass.entries() * acceleration_ - force_;
  mechanics_.bilateral.forces(force_, lambda_B);
}

bool FreeFlow::integrate(double t, double h, VectorRef y) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu(), n = nq + nu;
  x_ = y.tail(mechanics_.system().nx());
  measure(t, h, y);
  if (!atol_.allFinite()) {
    y.setConstant(std::numeric_limits<double>::quiet_NaN());
    return true;
  }
  start_ = y.head(n);
  evaluations_ = 0;
  if (step_once(t, h)) {
    y.head(n) = end_;
  } else if (!step_often(t, h)) {
    move_coarsely(t, h, y);
    return false;
  } else {
    y.head(n) = integrator_->y();
  }
  mechanics_.system().normalise(y.head(nq));
  if (mechanics_.nb() > 0) mechanics_.approach_constraints(t + h, y);
  if (keeps_energy_) keep_energies(t + h, y);
  return true;
}

// For slow motion the classical method suffices. A fifth slope yields an embedded third-order
// method by Zonneveld, y = y_0 + h (-3 k_1 + 14 (k_2 + k_3) + 13 k_4 - 32 k_5)/6.
bool FreeFlow::step_once(double t, double h) {
  const Index n = start_.size();
  slopes_.resize(n, 5);
  const auto slope = [&](Index i, double when) { rhs(when, end_, slopes_.col(i)); };
  end_ = start_;
  slope(0, t);
  end_ = start_ + 0.5 * h * slopes_.col(0);
  slope(1, t + 0.5 * h);
  end_ = start_ + 0.5 * h * slopes_.col(1);
  slope(2, t + 0.5 * h);
  end_ = start_ + h * slopes_.col(2);
  slope(3, t + h);
  end_ = start_ +
         h / 32.0 *
             (5.0 * slopes_.col(0) + 7.0 * slopes_.col(1) + 13.0 * slopes_.col(2) - slopes_.col(3));
  slope(4, t + 0.75 * h);
  end_ = start_ +
         h / 6.0 * (slopes_.col(0) + 2.0 * slopes_.col(1) + 2.0 * slopes_.col(2) + slopes_.col(3));
  const double part = free_flow::kEmbedded / free_flow::kError;
  for (Index i = 0; i < n; ++i) {
    const double error = h / 3.0 *
                         (-2.0 * slopes_(i, 0) + 6.0 * (slopes_(i, 1) + slopes_(i, 2)) +
                          6.0 * slopes_(i, 3) - 16.0 * slopes_(i, 4));
    const double size = std::max(std::abs(start_(i)), std::abs(end_(i)));
    if (!(std::abs(error) <= part * (atol_(i) + free_flow::kError * size))) return false;
  }
  return true;
}

// Return false if the budget is exhausted.
bool FreeFlow::step_often(double t, double h) {
  integrator_->set_atol(atol_);
  integrator_->restart(t, start_);
  while (integrator_->t() < t + h) {
    const StepStatus status = integrator_->step(t + h);
    if (status != StepStatus::Ok || evaluations_ > kMostEvaluations) return false;
  }
  return true;
}

// Set error scales: the speed that each component of u would have with all the energy of its
// clique. If M is not known by cliques, the largest velocity is used.
void FreeFlow::measure(double t, double h, const ConstVectorRef& y) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const auto q = y.head(nq), u = y.segment(nq, nu);
  const double least = std::numeric_limits<double>::min();
  const System& system = mechanics_.system();
  t = mechanics_.span().inside(t);
  atol_.setConstant(nq + nu, free_flow::kError);
  acceleration_.resize(nu);
  if (!keeps_energy_) {
    system.forces(t, q, u, x_.head(system.nx_own()), acceleration_, mechanics_.work());
    mechanics_.mass.factorise(t, q);
    mechanics_.mass.solve(acceleration_);
    const double noise = free_flow::kNoise * h * acceleration_.lpNorm<Eigen::Infinity>();
    atol_.tail(nu).setConstant(
        std::max({free_flow::kError * u.lpNorm<Eigen::Infinity>(), noise, least}));
    return;
  }
  find_energies(t, y, before_);
  system.free_motion()->mass_diagonal(t, q, diagonal_, mechanics_.work());
  for (Index k = 0; k < nu; ++k) {
    const double speed = std::sqrt(2.0 * before_(system.cliques()->of_velocity(k)) / diagonal_(k));
    atol_(nq + k) = std::max(free_flow::kError * speed, least);
  }
}

void FreeFlow::find_energies(double t, const ConstVectorRef& y, Vector& energies) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  mechanics_.system().free_motion()->kinetic_energies(
      mechanics_.span().inside(t), y.head(nq), y.segment(nq, nu), energies, mechanics_.work());
}

void FreeFlow::keep_energies(double t, VectorRef y) {
  const Cliques& cliques = *mechanics_.system().cliques();
  find_energies(t, y, after_);
  for (Index k = 0; k < mechanics_.nu(); ++k) {
    const Index clique = cliques.of_velocity(k);
    if (after_(clique) > 0.0) {
      y(mechanics_.nq() + k) *= std::sqrt(before_(clique) / after_(clique));
    }
  }
}

// With M = L Lᵀ and w = Lᵀu, ẇ = L̇ᵀu + L⁻¹ h_0 rotates w, so |w| is conserved for any rotation.
void FreeFlow::move_coarsely(double t, double h, VectorRef y) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const double half = 0.5 * h, middle = t + half;
  Vector q = start_.head(nq), u = start_.tail(nu), force(nu);
  const Vector w = find_factor(t, q).triangularView<Eigen::Lower>().transpose() * u;
  const double size = w.norm();
  move_coordinates(mechanics_, t, half, u, q, q_step_);
  const Matrix L = find_factor(middle, q);
  const auto lower = L.triangularView<Eigen::Lower>();
  Vector end = w;
  for (int turn = 0; turn < kCoarseTurns && size > 0.0; ++turn) {
    const Vector along = (w + end).normalized();
    u = lower.transpose().solve(size * along);
    const double distance = stepping::kDifference * h;
    Vector q_there = q;
    move_coordinates(mechanics_, middle, distance, u, q_there, q_step_);
    const Matrix change = (find_factor(middle, q_there) - L) / distance;
    parts_.gyroscopic(middle, q, u, x_, force);
    Vector across = change.triangularView<Eigen::Lower>().transpose() * u + lower.solve(force);
    across -= along.dot(across) * along;
    const double angle = h * across.norm() / size;
    if (!(angle > 0.0)) break;
    across.normalize();
    const double a = along.dot(w), b = across.dot(w);
    end = w + ((std::cos(angle) - 1.0) * a - std::sin(angle) * b) * along +
          ((std::cos(angle) - 1.0) * b + std::sin(angle) * a) * across;
  }
  move_coordinates(mechanics_, middle, half, u, q, q_step_);
  y.head(nq) = q;
  y.segment(nq, nu) = find_factor(t + h, q).triangularView<Eigen::Lower>().transpose().solve(end);
  if (mechanics_.nb() > 0) mechanics_.approach_constraints(t + h, y);
}

const Matrix& FreeFlow::find_factor(double t, const ConstVectorRef& q) {
  const Index nu = mechanics_.nu();
  M_.resize(nu, nu);
  mechanics_.system().mass_matrix(mechanics_.span().inside(t), q, M_, mechanics_.work());
  llt_.compute(M_);
  return llt_.entries();
}

}  // namespace nsmb
