#include "nsmb/stepping/position_projection.hpp"

#include <algorithm>

namespace nsmb {

namespace {

// Newton steps; the gaps of bodies bend little on the way out.
constexpr int kProjectionSteps = 5;

}  // namespace

PositionProjection::PositionProjection(Mechanics& mechanics)
    : mechanics_(mechanics),
      needed_(static_cast<std::size_t>(mechanics.nc()), false),
      displacement_(mechanics.nu()),
      q_step_(mechanics.nq()) {}

// What penetrates, and what is so near that others may push it in.
void PositionProjection::list(double allowed) {
  contacts_.clear();
  const ContactKinematics& contacts = mechanics_.contacts;
  deepest_ = 0.0;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (mechanics_.rows().is_unilateral(i) && contacts.is_valid(i)) {
      deepest_ = std::max(deepest_, -contacts.g_N(i));
    }
  }
  if (deepest_ <= allowed) return;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const bool near =
        mechanics_.rows().is_unilateral(i) && contacts.is_valid(i) && contacts.g_N(i) <= deepest_;
    needed_[static_cast<std::size_t>(i)] = near;
    if (near) contacts_.push_back(i);
  }
}

void PositionProjection::apply(double t, VectorRef y, double allowed, ContactSolver& solver) {
  const Index nq = mechanics_.nq();
  for (int step = 0; step < kProjectionSteps; ++step) {
    mechanics_.update_gaps(t, y);
    list(allowed);
    if (contacts_.empty()) return;
    mechanics_.restrict_to(&needed_);
    mechanics_.update_contacts(t, y);
    const Index n = static_cast<Index>(contacts_.size());
    ContactProblem& problem = solver.problem(n, n);
    double scale_G = 0.0, scale_g = 0.0;
    for (const Index i : contacts_) {
      scale_G = std::max(scale_G, mechanics_.delassus.G(i, i));
      scale_g = std::max(scale_g, std::abs(mechanics_.contacts.g_N(i)));
    }
    if (!(scale_G > 0.0)) return;
    for (Index k = 0; k < n; ++k) {
      const Index i = contacts_[static_cast<std::size_t>(k)];
      for (Index l = 0; l < n; ++l) {
        const Index j = contacts_[static_cast<std::size_t>(l)];
        problem.A(k, l) = mechanics_.delassus.G(i, j) / scale_G;
      }
      problem.b(k) = mechanics_.contacts.g_N(i) / scale_g;
    }
    solver.solve(problem);
    if (!problem.x.allFinite()) return;
    displacement_.setZero();
    if (mechanics_.nb() > 0) {
      mechanics_.bilateral.correction(mechanics_.bilateral.kinematics.g, displacement_);
    }
    for (Index k = 0; k < n; ++k) {
      displacement_ += (problem.x(k) * scale_g / scale_G) *
                       mechanics_.delassus.Minv_W.col(contacts_[static_cast<std::size_t>(k)]);
    }
    mechanics_.coordinate_rates(t, y.head(nq), displacement_, q_step_);
    y.head(nq) += q_step_;
    mechanics_.system().normalise(y.head(nq));
  }
  mechanics_.update_gaps(t, y);
  list(allowed);
}

}  // namespace nsmb
