// Compression (8.87) in which slip lasts until the end of the approach.
#pragma once

#include "nsmb/contact_laws/contact_problem.hpp"

namespace nsmb {

/// Solve a compression problem with Λ_TC = -sgn(γ_TA) μ Λ_NC at all friction intervals, if that
/// satisfies the law. For dependent rows it is one of several solutions (8.14), otherwise the only
/// one. Return false if some contact does not slide or has a disc, or if slip ends earlier.
bool solve_sliding_compression(ContactProblem& problem, ContactSolver& solver);

}  // namespace nsmb
