#include "nsmb/stepping/set_impact.hpp"

#include <limits>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Limit of rows. The cost of a dense problem grows with their third power.
constexpr Index kMostStruckRows = 400;

}  // namespace

bool SetImpact::apply(const ContactSet& set, const ContactModel& model,
                      const std::vector<bool>& touches, SetProblem& problem, StepOutcome& out) {
  if (set.rows() > kMostStruckRows) return false;
  dense_.assemble(problem, set, model);
  touching_.clear();
  for (std::size_t k = 0; k < touches.size(); ++k) {
    if (touches[k]) touching_.push_back(static_cast<Index>(k));
  }
  dense_.gather(problem.start(), gamma_N_, gamma_T_);
  const Eigen::Map<const Vector> w_tilde(set.w_tilde.data(), set.rows());
  dense_.gather(w_tilde, w_tilde_N_, w_tilde_T_);
  const double fastest = problem.start().cwiseAbs().maxCoeff();
  const double rounding = 64.0 * std::numeric_limits<double>::epsilon() * fastest;
  resolution_.setConstant(dense_.rows().size(), std::max(stepping::kRest, rounding));
  const StruckContacts struck{dense_.rows(), dense_.G(), w_tilde_N_, w_tilde_T_,
                              dense_.laws(), touching_,  resolution_};
  const bool solved = impact_.apply(struck, gamma_N_, gamma_T_, solver_);
  out.problems += impact_.problems();
  dense_.scatter(impact_.Lambda_N(), impact_.Lambda_T(), x_);
  change_.setZero(problem.free().size());
  dense_.add_velocities(x_, change_);
  problem.strike(change_);
  return solved;
}

void SetImpact::keep_book(const ContactSet& set, std::size_t k, StepOutcome& out) const {
  const FoundContact& contact = set.contacts[k];
  double drive = 0.0;
  for (Index row = contact.first_row; row < contact.first_row + contact.rows; ++row) {
    drive -= x_(row) * set.w_tilde[at(row)];
  }
  const auto i = static_cast<Index>(k);
  const double normal = impact_.work_N()(i), friction = impact_.work_T()(i);
  out.drive_work += drive;
  out.impact_loss -= normal;
  if (contact.named >= 0) {
    out.friction_loss(contact.named) -= friction;
  } else {
    out.impact_loss -= friction;
  }
}

}  // namespace nsmb
