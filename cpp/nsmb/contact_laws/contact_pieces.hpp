// Enumeration of all pieces of the law of a small problem with intervals. It finds a solution, or
// proves that no data within the resolution of the rows have one.
#pragma once

#include <functional>

#include "nsmb/contact_laws/contact_problem.hpp"

namespace nsmb {

/// Return the number of pieces. Each normal row is open or closed, and each interval sticks or
/// slides in one of two directions. The result is a floating-point number, because it may be large.
/// It is infinite for discs.
double count_contact_pieces(const ContactProblem& problem);

/// Visit the pieces until `accept` accepts a solution. It judges problem.x and may improve it. Set
/// x, the residual and the status: Solved, NoSolution, or Inaccurate if a piece is missed too
/// narrowly to be ruled out.
void solve_contact_pieces(ContactProblem& problem, const std::function<bool()>& accept);

}  // namespace nsmb
