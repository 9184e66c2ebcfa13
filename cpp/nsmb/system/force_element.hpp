// Force elements with switching: one-sided springs and dampers between two points (3.2.3).
//
// A description selects the law. The system provides the distance γ of the two points and γ̇ = wᵀu
// + w̃. The force ζ acts as w ζ on the velocities, and ζ > 0 pushes the points apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

enum class ElementLaw {
  ElasticGap,    // (3.16): ζ = -c γ for γ < 0
  GapDamper,     // (3.17): ζ = -c γ - d γ̇ for γ < 0; pulls before it opens
  Clipped,       // (3.18): ζ = max(0, -c γ - d γ̇); acts before it touches
  RelaxingWall,  // (3.20)-(3.23): opens at ζ = 0, then the wall relaxes, d γ̇_w = -c γ_w
  Watched,       // no force: a function of the system selects one of two modes
};

enum class ElementMode : std::int8_t { Open = 0, Closed = 1 };
using ElementModes = std::vector<ElementMode>;

struct ForceElementDescription {
  std::string name;
  ElementLaw law = ElementLaw::RelaxingWall;
  double c = 0.0;  // stiffness, N/m
  double d = 0.0;  // damping, N s/m
  // Watched:
  double resolution = 0.0;  // smaller values of the function count as zero
  Index state = -1;         // state of the system that stores the mode: 0 open, 1 closed
};

/// Throw std::invalid_argument with the names of the element and of a parameter out of range.
void check_element(const ForceElementDescription& element);

/// Return true if the law has a state of its own, the wall position γ_w.
constexpr bool has_wall(ElementLaw law) { return law == ElementLaw::RelaxingWall; }

struct ElementKinematics {
  ElementKinematics() = default;
  ElementKinematics(Index nu, Index ne);
  Vector gamma;    // (ne) distance γ, m
  Matrix W;        // (nu, ne)
  Vector w_tilde;  // (ne) prescribed velocity, m/s
};

/// Return the mode of an element that starts at this distance and speed, with its wall at γ_w.
ElementMode start_mode(const ForceElementDescription& element, double gamma, double gamma_dot,
                       double wall);

/// Return ζ in N.
double element_force(const ForceElementDescription& element, ElementMode mode, double gamma,
                     double gamma_dot);

/// Return a value that is nonnegative while the mode lasts: (3.21) and (3.23).
double switch_function(const ForceElementDescription& element, ElementMode mode, double gamma,
                       double gamma_dot, double wall);

/// Return γ̇_w: relaxation (3.20) or, in contact, γ̇ (3.22).
double wall_rate(const ForceElementDescription& element, ElementMode mode, double gamma_dot,
                 double wall);

}  // namespace nsmb
