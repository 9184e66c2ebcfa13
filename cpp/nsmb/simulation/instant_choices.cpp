#include "nsmb/simulation/instant_choices.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/contact_laws/ambiguity.hpp"

namespace nsmb {

InstantChoices::InstantChoices(InstantWorkspace& work, const InstantResolution& resolution)
    : work_(work), resolution_(resolution), others_(work.rows) {}

void InstantChoices::count_solutions() {
  if (count_acceleration_solutions(work_.problem(), work_.solver, work_.mechanics.delassus.Minv_W) >
      1) {
    ++work_.counts.nonunique_problems;
  }
}

void InstantChoices::count_dependence(const ContactStates& states) {
  std::fill(work_.hold.begin(), work_.hold.end(), false);
  bool slides = false;
  for (Index i = 0; i < work_.rows.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!is_closed(states[c])) continue;
    work_.hold[c] = work_.rows.is_unilateral(i);
    slides = slides || (is_slip(states[c]) && !work_.mechanics.is_frictionless(i));
    if (states[c] != ContactState::Stick || !work_.mechanics.can_stick(i)) continue;
    for (Index d = 0; d < work_.rows.dim(i); ++d) {
      work_.hold[static_cast<std::size_t>(work_.rows.row(i) + d)] = true;
    }
  }
  if (work_.selection.are_independent(work_.mechanics.delassus.G, work_.hold)) return;
  ++work_.counts.dependent_contacts;
  const Matrix& Minv_W = work_.mechanics.delassus.Minv_W;
  if ((slides && accelerations_are_a_choice(work_.problem(), work_.hold, Minv_W, work_.roles)) ||
      order_decides()) {
    ++work_.counts.ambiguous_accelerations;
  }
}

// Return true if the order of the contacts affects accelerations. Sticking friction does not show
// that it would slip under another split of the load. In the opposite order of contacts, the law
// loads other dependent normal forces first.
bool InstantChoices::order_decides() {
  if (work_.rows.spatial) return false;  // the split is unique there
  std::fill(work_.hold.begin(), work_.hold.end(), false);
  bool rough = false;
  for (const Index i : work_.active) {
    const std::size_t c = static_cast<std::size_t>(i);
    work_.hold[c] = work_.contact_roles[c] != ContactRole::Absent && work_.rows.is_unilateral(i);
    rough = rough || (work_.hold[c] && work_.mechanics.can_stick(i));
  }
  if (!rough || work_.selection.are_independent(work_.mechanics.delassus.G, work_.hold))
    return false;
  AccelerationProblem backwards = work_.problem();
  backwards.backwards = true;
  solve_acceleration_law(backwards, work_.solver, others_);
  if (others_.status != LcpStatus::Solved) return false;
  const auto differ = [&](double one, double other, Index row) {
    return std::abs(one - other) > 2.0 * resolution_.acceleration(row);
  };
  for (Index i = 0; i < work_.rows.nc; ++i) {
    if (differ(work_.forces.gammadot_N(i), others_.gammadot_N(i), i)) return true;
  }
  for (Index k = 0; k < work_.rows.nt; ++k) {
    if (differ(work_.forces.gammadot_T(k), others_.gammadot_T(k), work_.rows.nc + k)) return true;
  }
  return false;
}

}  // namespace nsmb
