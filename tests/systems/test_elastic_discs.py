"""Two colliding elastic discs: conservation, scaling, and all unknowns of the same mesh.

By symmetry, each disc hits a rigid wall halfway, in the common centre-of-mass frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import flexible
from nsmb.systems import elastic_discs
from tests.oracles.disc_on_wall import Bounce, bounce
from tests.support.methods import stepping
from tests.systems.examples import contact_errors

R, RINGS, GAP, SPEED = 0.5, 16, 1e-3, 0.5
T_END = 0.0125


@pytest.fixture(scope="module")
def whole() -> Bounce:
    """Return the reference, in which half the steps change duration by 1e-3, velocity by 2e-5."""
    mesh = flexible.Mesh.disc(R, RINGS)
    nodes, cells = np.asarray(mesh.nodes), np.asarray(mesh.cells)
    rim = 6 * RINGS
    touching = len(nodes) - rim + np.array([0, 1, 2, rim - 2, rim - 1])
    data = {"E": 2e6, "nu": 0.3, "rho": 10.0}
    return bounce(nodes, cells, data, 0.5 * SPEED, 0.5 * GAP, touching, 1e-5, T_END)


def velocities(sol: nsmb.Solution) -> np.ndarray:
    """Return the final velocities of the centres in m/s, shape (2,)."""
    assert sol.system is not None
    names = sol.system.coordinates
    return sol.u[-1, [names.index("left_frame.x"), names.index("right_frame.x")]]


def apart(sol: nsmb.Solution) -> float:
    left, right = velocities(sol)
    return float(right - left)


def duration(sol: nsmb.Solution) -> float:
    return float(sol.events.of_kind("detach").t[-1] - sol.events.t[0])


def test_momentum_is_kept_and_nothing_is_gained() -> None:
    sol = nsmb.simulate(elastic_discs(), T_END)
    assert velocities(sol).sum() == pytest.approx(SPEED, abs=1e-14)
    assert 0.0 < apart(sol) <= SPEED
    assert sol.energy.relative < 1e-7
    mass = 10.0 * np.pi * R**2  # slightly less with 96 corners
    assert sol.energy.kinetic[0] == pytest.approx(0.5 * mass * SPEED**2, rel=1e-2)


def test_stiffness_scales_time_alone() -> None:
    """With one touching pair, all is linear except its gap, so that 100 E is ten times as fast."""
    soft, stiff = (
        nsmb.simulate(elastic_discs(E=E), t) for E, t in ((2e6, T_END), (2e8, 2e-3 + 0.1 * T_END))
    )
    assert duration(stiff) == pytest.approx(0.1 * duration(soft), rel=1e-5)
    assert apart(stiff) == pytest.approx(apart(soft), abs=1e-6)
    assert {name for e in soft.events for name in e.contacts} == {"pair_0"}


def test_more_modes_take_less_and_stay_longer(whole: Bounce) -> None:
    """Results converge to all unknowns, slowly, as free modes represent a nodal force poorly."""
    runs = [nsmb.simulate(elastic_discs(modes=k), T_END) for k in (20, 55, 100)]
    lasts, losses = [duration(r) for r in runs], [SPEED - apart(r) for r in runs]
    assert (np.diff([*lasts, whole.duration]) > 0.0).all()
    assert (np.diff([*losses, SPEED - 2.0 * whole.velocity]) < 0.0).all()


@pytest.mark.parametrize("modes", [20, 55])
def test_static_shapes_of_nodes_that_touch_replace_hundreds_of_modes(
    whole: Bounce, modes: int
) -> None:
    """Measured errors are 0.6 % of the duration and 3e-4 m/s with 40 and 75 of 1634 unknowns."""
    sol = nsmb.simulate(elastic_discs(modes=modes, basis="attachment"), T_END)
    assert duration(sol) == pytest.approx(whole.duration, rel=0.01)
    assert apart(sol) == pytest.approx(2.0 * whole.velocity, abs=1e-3)


def test_schemes_that_find_forces_agree() -> None:
    """Position and velocity level, Runge-Kutta and Radau, and event-driven runs agree."""
    system = elastic_discs()
    exact = velocities(nsmb.simulate(system, T_END))
    h, found = 2e-5, {}
    for scheme in ("rk4-position", "rk4-velocity", "radau-position"):
        options: dict[str, Any] = {"mixing": 0.5} if scheme.endswith("position") else {}
        method = stepping(h, scheme, **options)
        sol = nsmb.simulate(system, T_END, method=method, output_step=h)
        assert sol.stats["missed_steps"] == 0
        assert velocities(sol).sum() == pytest.approx(SPEED, abs=1e-12)
        assert velocities(sol) == pytest.approx(exact, abs=5e-5)  # measured: 7e-6
        found[scheme] = sol.lambda_N.sum(axis=1)
    first, _, last = found.values()
    assert last == pytest.approx(first, abs=1e-4 * first.max())


def test_force_of_small_steps_is_off_by_the_impulse_that_stops_a_node() -> None:
    """An impulse p acts in one step h on velocity level, and in two on position level.

    √(Σ (p/h)² h / T) grows like h^(-1/2), and is √2 times as large on position level.
    """
    system, end = elastic_discs(E=2e8, modes=20, gap=1e-5), 3e-4
    exact = nsmb.simulate(system, end, output_step=1e-6)
    force = exact.lambda_N.sum(axis=1)
    total = np.append(0.0, np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(exact.t)))
    off: dict[str, list[float]] = {"rk4-position": [], "rk4-velocity": []}
    for scheme, errors in off.items():
        mild = {"mixing": 0.5} if scheme.endswith("position") else {}
        for h in (1e-5, 2.5e-6):
            method = stepping(h, scheme, **mild)
            sol = nsmb.simulate(system, end, method=method, output_step=h)
            mean = np.diff(np.interp(sol.t, exact.t, total)) / np.diff(sol.t)
            errors.append(float(np.sqrt(np.mean((sol.lambda_N[1:].sum(axis=1) - mean) ** 2))))
    for errors in off.values():
        assert errors[1] / errors[0] == pytest.approx(2.0, rel=0.05)  # measured: 1.3 % and 2.1 %
    assert off["rk4-velocity"][1] / off["rk4-position"][1] == pytest.approx(np.sqrt(2.0), rel=0.05)


def test_modes_matter_more_with_more_damping() -> None:
    """Kinetic and elastic energy after the last step with a force are relative to the start."""
    lost = np.zeros((2, 2))
    for place in np.ndindex(2, 2):
        system = elastic_discs(modes=(10, 20)[place[0]], zeta=(0.0, 0.1)[place[1]], gap=1e-4)
        method = nsmb.PositionForces(2e-4, mixing=0.5)
        sol = nsmb.simulate(system, 7.5e-3, method=method, output_step=2e-4)
        whole = sum(
            e.kinetic + e.elastic for e in (sol.bodies[body].energy for body in ("left", "right"))
        )
        apart = int(np.flatnonzero(sol.lambda_N.any(axis=1))[-1]) + 1
        lost[place] = 1.0 - whole[apart] / whole[0]
    assert (lost > 0.0).all()
    few, more = lost
    assert (few > more).all()
    assert few[1] - more[1] > 1.2 * (few[0] - more[0])  # measured: 1.4 times


def test_contact_directions_are_derivatives_of_the_gaps() -> None:
    """Derivatives agree with deformations of a millimetre."""
    system = elastic_discs(modes=20)
    rng = np.random.default_rng(4)
    q = system.initial_state.q + rng.uniform(-1e-3, 1e-3, system.nq)
    u = rng.uniform(-0.1, 0.1, system.nu)
    assert contact_errors(system, 0.0, q, u).max() < 1e-8


def test_damping_takes_energy() -> None:
    lost = [SPEED - apart(nsmb.simulate(elastic_discs(modes=20, zeta=z), T_END))
            for z in (0.0, 0.01, 0.1)]  # fmt: skip
    assert (np.diff(lost) > 0.0).all()


@pytest.mark.parametrize("pairs", [2, 49])
def test_pairs_are_odd_and_fit_on_half_the_rim(pairs: int) -> None:
    with pytest.raises(ValueError, match="parameter 'pairs': expected an odd number up to 48"):
        elastic_discs(pairs=pairs)
