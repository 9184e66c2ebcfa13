#include "nsmb/simulation/instant_workspace.hpp"

#include <cmath>

#include "nsmb/core/check.hpp"

namespace nsmb {

InstantWorkspace::InstantWorkspace(const System& system, const TransitionOptions& chosen)
    : options(chosen),
      mechanics(system),
      rows(system.rows()),
      solver(chosen.friction, chosen.sliding_compression),
      selection(rows, mechanics.delassus.cliques()),
      contact_roles(static_cast<std::size_t>(rows.nc), ContactRole::Absent),
      friction(Vector::Zero(rows.nt)),
      forces(rows),
      hold(static_cast<std::size_t>(rows.size()), false),
      memory(system),
      events(system) {}

AccelerationProblem InstantWorkspace::problem() const {
  return {rows,         mechanics.delassus.G,     mechanics.free_N, mechanics.free_T,
          mechanics.mu, mechanics.contacts.bound, mechanics.laws,   contact_roles,
          friction};
}

double InstantWorkspace::gammadot_T(Index i) const {
  const Index t = rows.tangent(i);
  if (rows.dim(i) == 1) return forces.gammadot_T(t);
  return std::hypot(forces.gammadot_T(t), forces.gammadot_T(t + 1));
}

std::string InstantWorkspace::describe(const std::vector<Index>& contacts) const {
  std::string text;
  for (const Index i : contacts) {
    if (!text.empty()) text += ", ";
    text += mechanics.system().contacts()[static_cast<std::size_t>(i)].name;
    text += " (gamma_N = " + to_text(mechanics.gamma_N(i)) +
            ", gamma_T = " + to_text(mechanics.slip(i)) + " m/s)";
  }
  return text;
}

std::string verdict(LcpStatus status) {
  switch (status) {
    case LcpStatus::NoSolution:
      return " has no solution (proven)";
    case LcpStatus::Ray:
      return " was not solved (Lemke ended on a ray for every covering vector)";
    case LcpStatus::PivotLimit:
      return " was not solved (the pivot limit was reached)";
    case LcpStatus::IterationLimit:
      return " was not solved (no method found a solution)";
    default:
      return " was not solved (the solution found is not accurate)";
  }
}

}  // namespace nsmb
