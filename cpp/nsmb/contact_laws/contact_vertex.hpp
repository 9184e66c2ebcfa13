// Of dependent contacts: a solution in which as few forces as possible carry the load.
#pragma once

#include "nsmb/contact_laws/contact_problem.hpp"

namespace nsmb {

/// Of a problem with intervals that problem.x solves. Along forces that together move nothing, x
/// goes on until those that are neither zero nor at a bound are independent of each other, as
/// Lemke's are. The velocities stay what they are, to rounding. Allocates.
void move_to_vertex(ContactProblem& problem);

}  // namespace nsmb
