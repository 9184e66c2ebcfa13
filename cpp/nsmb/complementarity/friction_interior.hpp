// Interior point method for contacts with one friction disc each, or none.
//
// In x̂ = (mu x_N, x_T) and F̂ = (y_N / mu + |y_T|, y_T), y = A x + b, the law is x̂ ∈ L, F̂ ∈ L,
// x̂ᵀF̂ = 0 with the cone L of lorentz_cone.hpp. Interior points with x̂ ∘ F̂ = μ e are followed to
// μ = 0 by predictor and corrector steps (Mehrotra) with Nesterov-Todd scaling.
//
// Where impulses are not unique, the method ends far from the rims. Sticking, sliding and open
// contacts are then clearly distinguished, even where Newton's method from another point does not
// converge. Newton's method completes the solution.
#pragma once

#include "nsmb/complementarity/friction_interior_step.hpp"
#include "nsmb/complementarity/friction_proximal.hpp"

namespace nsmb::internal {

struct InteriorScratch {
  InteriorEquations equations;
  ConePoints x, F;              // x̂, F̂
  ConePoints dx, dF, aim;       // the step, and its target
  ConePoints first_x, first_F;  // the predictor
  Vector impulses, v, y;
};

struct InteriorOptions {
  int attempts = 4;       // with increasing rounding of the corners
  int max_steps = 60;     // per attempt
  int newton_steps = 25;  // from one of its points
  int outer_steps = 10;   // subsequent proximal steps
};

/// Return true if each contact has a normal row and at most one disc of its own, and no bounds.
bool suits_interior(const ContactSystem& system);

/// Run from an interior starting point. Return true if solved.
bool run_interior(const ContactSystem& system, const InteriorOptions& options, FrictionJudge& judge,
                  ContactFactors& factors, ProximalScratch& proximal, InteriorScratch& scratch);

}  // namespace nsmb::internal
