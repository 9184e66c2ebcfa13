// All pieces of the law of a small problem with intervals: a solution, or the proof that none of
// the data within the resolution of the rows have one.
#pragma once

#include <functional>

#include "nsmb/contact_laws/contact_problem.hpp"

namespace nsmb {

/// Number of pieces: each normal row is open or closed, each interval sticks or slides in one of
/// two directions; as a floating-point number, because it may be large. Discs: infinite.
double count_contact_pieces(const ContactProblem& problem);

/// Visits them until one holds a solution that `accept` takes, which judges problem.x and may
/// improve it. Leaves x, status and residual: Solved, NoSolution, or Inaccurate where a piece is
/// missed too narrowly to be ruled out.
void solve_contact_pieces(ContactProblem& problem, const std::function<bool()>& accept);

}  // namespace nsmb
