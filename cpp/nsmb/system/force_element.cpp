#include "nsmb/system/force_element.hpp"

#include <algorithm>

#include "nsmb/core/check.hpp"

namespace nsmb {

void check_element(const ForceElementDescription& element) {
  const std::string prefix = "force element '" + element.name + "': ";
  if (element.law == ElementLaw::Watched) {
    check_positive(prefix + "resolution", element.resolution);
    return check_finite(prefix + "resolution", element.resolution);
  }
  check_positive(prefix + "c", element.c);
  check_finite(prefix + "c", element.c);
  check_finite(prefix + "d", element.d);
  if (has_wall(element.law)) {
    if (!(element.d > 0.0)) {
      reject(prefix + "d", "a number > 0",
             to_text(element.d) + ". Use law=\"elastic_gap\" for an element without damping.");
    }
  } else if (!(element.d >= 0.0)) {
    reject(prefix + "d", "a number >= 0", to_text(element.d));
  }
}

ElementKinematics::ElementKinematics(Index nu, Index ne)
    : gamma(Vector::Zero(ne)), W(Matrix::Zero(nu, ne)), w_tilde(Vector::Zero(ne)) {}

namespace {

// Return F_N = -c γ - d γ̇ of the closed element.
double closed_force(const ForceElementDescription& e, double gamma, double gamma_dot) {
  return -e.c * gamma - (e.law == ElementLaw::ElasticGap ? 0.0 : e.d * gamma_dot);
}

}  // namespace

ElementMode start_mode(const ForceElementDescription& e, double gamma, double gamma_dot,
                       double wall) {
  const bool presses = closed_force(e, gamma, gamma_dot) > 0.0;
  const bool approaches = gamma_dot < 0.0;
  bool closed = false;
  switch (e.law) {
    case ElementLaw::ElasticGap:
    case ElementLaw::GapDamper:
      closed = gamma < 0.0 || (gamma == 0.0 && approaches);
      break;
    case ElementLaw::Clipped:
      closed = presses;
      break;
    case ElementLaw::RelaxingWall:
      closed = gamma <= wall && presses;
      break;
    case ElementLaw::Watched:
      break;
  }
  return closed ? ElementMode::Closed : ElementMode::Open;
}

double element_force(const ForceElementDescription& e, ElementMode mode, double gamma,
                     double gamma_dot) {
  return mode == ElementMode::Closed ? closed_force(e, gamma, gamma_dot) : 0.0;
}

double switch_function(const ForceElementDescription& e, ElementMode mode, double gamma,
                       double gamma_dot, double wall) {
  const double sign = mode == ElementMode::Closed ? 1.0 : -1.0;
  switch (e.law) {
    case ElementLaw::ElasticGap:
    case ElementLaw::GapDamper:
      return -sign * gamma;
    case ElementLaw::Clipped:
      return sign * closed_force(e, gamma, gamma_dot);
    case ElementLaw::RelaxingWall:
      return mode == ElementMode::Closed ? closed_force(e, gamma, gamma_dot) : gamma - wall;
    case ElementLaw::Watched:
      break;
  }
  return 0.0;
}

double wall_rate(const ForceElementDescription& e, ElementMode mode, double gamma_dot,
                 double wall) {
  return mode == ElementMode::Closed ? gamma_dot : -e.c / e.d * wall;
}

}  // namespace nsmb
