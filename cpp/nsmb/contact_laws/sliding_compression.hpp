// Compression (8.87) in which slip lasts until the approach has ended.
#pragma once

#include "nsmb/contact_laws/contact_problem.hpp"

namespace nsmb {

/// Solves a compression problem by Λ_TC = -sgn(γ_TA) μ Λ_NC at all its friction intervals, if that
/// obeys the law. Where rows are dependent it is one of several solutions (8.14); else the only
/// one. False: nothing slides at some contact, one of them has a disc, or slip ends before.
bool solve_sliding_compression(ContactProblem& problem, ContactSolver& solver);

}  // namespace nsmb
