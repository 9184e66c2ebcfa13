// Interior point method for contacts with one friction disc each, or none.
//
// In x̂ = (mu x_N, x_T) and F̂ = (y_N / mu + |y_T|, y_T), y = A x + b, the law is x̂ ∈ L, F̂ ∈ L,
// x̂ᵀF̂ = 0 with the cone L of lorentz_cone.hpp. Points inside with x̂ ∘ F̂ = μ e are followed to
// μ = 0 by predictor and corrector steps (Mehrotra) in the scaling of Nesterov and Todd.
//
// Impulses that are not unique end far from the rims, so that what sticks, slides and opens is told
// apart where Newton from another point wanders; Newton finishes the work.
#pragma once

#include "nsmb/complementarity/friction_interior_step.hpp"
#include "nsmb/complementarity/friction_proximal.hpp"

namespace nsmb::internal {

struct InteriorScratch {
  InteriorEquations equations;
  ConePoints x, F;              // x̂, F̂
  ConePoints dx, dF, aim;       // the step, and what it is to reach
  ConePoints first_x, first_F;  // the predictor
  Vector impulses, v, y;
};

struct InteriorOptions {
  int attempts = 4;       // with rounder corners each
  int max_steps = 60;     // of an attempt
  int newton_steps = 25;  // from one of its points
  int outer_steps = 10;   // proximal ones behind them
};

/// True for problems of contacts with a normal row and at most one disc of their own, no bounds.
bool suits_interior(const ContactSystem& system);

/// From a point of its own; true: solved.
bool run_interior(const ContactSystem& system, const InteriorOptions& options, FrictionJudge& judge,
                  ContactFactors& factors, ProximalScratch& proximal, InteriorScratch& scratch);

}  // namespace nsmb::internal
