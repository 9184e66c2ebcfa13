// A solution with as few nonzero forces as possible, for dependent contacts.
#pragma once

#include "nsmb/contact_laws/contact_problem.hpp"

namespace nsmb {

/// Move a solution problem.x of a problem with intervals to a vertex. x changes along forces that
/// together cause no motion, until forces that are neither zero nor at a bound are independent, as
/// in Lemke's method. The velocities remain the same up to rounding. Memory is allocated.
void move_to_vertex(ContactProblem& problem);

}  // namespace nsmb
