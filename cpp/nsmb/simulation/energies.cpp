#include "nsmb/simulation/energies.hpp"

#include <algorithm>

#include "nsmb/core/check.hpp"
#include "nsmb/system/element_set.hpp"
#include "nsmb/system/internal_states.hpp"

namespace nsmb {

namespace {

// Return the energy stored in the spring of an element. Regardless of its damper, the spring pushes
// for γ < 0. The spring of a relaxing wall is compressed by the displacement of the wall.
double stored(const ForceElementDescription& element, double gamma, double wall) {
  const double length = has_wall(element.law) ? wall : std::min(gamma, 0.0);
  return 0.5 * element.c * length * length;
}

}  // namespace

Energies evaluate_energies(const System& system, const ConstVectorRef& t, const ConstMatrixRef& y,
                           const ConstMatrixRef& modes, const ConstMatrixRef& inputs) {
  const Index k = t.size(), nq = system.nq(), nu = system.nu(), ne = system.ne();
  check_shape("y", y, system.ny(), k);
  check_shape("modes", modes, ne, k);
  check_shape("inputs", inputs, system.ni(), k);
  const std::unique_ptr<SystemWorkspace> work = system.workspace();
  Energies e{Vector(k), Vector(k), Vector(k), Vector(k), Vector(k), Matrix(nu, k)};
  Matrix M(nu, nu);
  Vector h(nu);
  ElementKinematics elements(nu, ne);
  for (Index i = 0; i < k; ++i) {
    if (system.ni() > 0) work->set_inputs(inputs.col(i));
    const auto q = y.col(i).head(nq);
    const auto u = y.col(i).segment(nq, nu);
    const auto x = y.col(i).tail(system.nx());
    if (i == 0 || !system.constant_mass_matrix()) system.mass_matrix(t(i), q, M, *work);
    e.momentum.col(i).noalias() = M * u;
    e.kinetic(i) = 0.5 * u.dot(e.momentum.col(i));
    system.forces(t(i), q, u, x.head(system.nx_own()), h, *work);
    e.power(i) = u.dot(h);
    e.potential(i) = system.potential_energy(t(i), q, *work);
    if (const InternalStates* states = system.internal_states()) {
      e.potential(i) += states->state_energy(t(i), q, u, x.head(system.nx_own()), *work);
    }
    e.element_power(i) = e.element_energy(i) = 0.0;
    if (!system.element_set()) continue;
    system.element_set()->element_kinematics(t(i), q, elements, *work);
    for (Index j = 0; j < ne; ++j) {
      const ForceElementDescription& element = system.elements()[static_cast<std::size_t>(j)];
      if (element.law == ElementLaw::Watched) continue;
      const auto mode = modes(j, i) != 0.0 ? ElementMode::Closed : ElementMode::Open;
      const double own = elements.W.col(j).dot(u);
      const double force =
          element_force(element, mode, elements.gamma(j), own + elements.w_tilde(j));
      e.element_power(i) += force * own;
      const double wall = system.wall(j) < 0 ? 0.0 : x(system.wall(j));
      e.element_energy(i) += stored(element, elements.gamma(j), wall);
    }
  }
  return e;
}

}  // namespace nsmb
