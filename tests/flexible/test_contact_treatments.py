"""An elastic bar at a wall by penalty, multiplier, complementarity and projections.

The reference is the closed form of its modes. The tests cover docs/howto/contact-treatments.md.

The load P at the far end of the bar falls as cos Ωt, so that it leaves the wall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.linalg import eigh
from scipy.optimize import brentq

import nsmb
from nsmb import flexible, geometry, joints
from tests.support.methods import stepping

Array = NDArray[np.float64]
Treatment = Callable[[nsmb.Model, Any], None]
N, EA, MASS = 4, 100.0, 0.1
P, OMEGA, T_END = 1.0, 20.0, 0.12
STEPS = (1e-3, 5e-4, 2.5e-4)
TO_X = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))


class Chain:
    """A chain of N linear elements under P, with node 0 on a spring c or held (None)."""

    def __init__(self, c: float | None = None) -> None:
        M, K = np.zeros((2, N + 1, N + 1))
        for i in range(N):
            M[i : i + 2, i : i + 2] += MASS / (6.0 * N) * np.array([[2.0, 1.0], [1.0, 2.0]])
            K[i : i + 2, i : i + 2] += EA * N * np.array([[1.0, -1.0], [-1.0, 1.0]])
        self.M, self.K, self.c = M, K, c
        first = 1 if c is None else 0
        spring = np.zeros_like(K)
        spring[0, 0] = c or 0.0
        self.squares, V = eigh((K + spring)[first:, first:], M[first:, first:])
        self.V = np.vstack([np.zeros((first, len(self.squares))), V])
        self.forced = -P * V[-1] / (self.squares - OMEGA**2)
        self.own = -P * V[-1] / self.squares - self.forced

    def motion(self, t: float) -> tuple[Array, Array, Array]:
        """Return positions, velocities and accelerations, shape (N + 1,)."""
        w = np.sqrt(self.squares)
        modes = [
            self.forced * np.cos(OMEGA * t) + self.own * np.cos(w * t),
            -self.forced * OMEGA * np.sin(OMEGA * t) - self.own * w * np.sin(w * t),
            -self.forced * OMEGA**2 * np.cos(OMEGA * t) - self.own * w**2 * np.cos(w * t),
        ]
        x, v, a = (self.V @ part for part in modes)
        return x, v, a

    def force(self, t: float) -> float:
        """Return the force of the wall."""
        x, _, a = self.motion(t)
        if self.c is not None:
            return float(-self.c * x[0])
        return float(self.M[0] @ a + self.K[0] @ x)

    def leaves(self) -> float:
        return float(brentq(self.force, 0.06, 0.1, xtol=1e-15))


HELD = Chain()
TIMES = np.linspace(0.0, HELD.leaves(), 100)
TRUTH = np.array([HELD.force(t) for t in TIMES])


def body() -> nsmb.flexible.FlexibleBody:
    nodes = np.column_stack([np.linspace(0.0, 1.0, N + 1), np.zeros(N + 1)])
    elements = flexible.beam(nodes, E=1e6, density=1000.0, area=1e-4, I_z=1e-9)
    return flexible.unreduced(elements, flexible.NodalFrame(0))


def bar(treat: Treatment, start: float = 0.0, joint: Any = None) -> nsmb.MultibodySystem:
    elastic = body()
    m = nsmb.Model(gravity=(0, 0))
    rubber = m.add_elastic_body("bar", elastic)
    m.add_joint("slide", joints.Prismatic() if joint is None else joint, m.ground, rubber)
    m.add_load("push", rubber, lambda t, r, A, v, w: (-P * np.cos(OMEGA * t), 0.0, 0.0), at=N)
    treat(m, rubber)
    shortened = -P * np.linalg.solve(elastic.stiffness_matrix, elastic.shapes[N, 0])
    place = start if joint is None else [start, 0.0, 0.0]
    return m.build(initial={"slide": place, "bar": shortened})


def spring(c: float) -> Treatment:
    law = nsmb.GapForce(c, law="elastic_gap")
    return lambda m, rubber: m.add_gap_force("wall", law, coordinate="slide")


def held(m: nsmb.Model, rubber: Any) -> None:
    m.add_loop("wall", joints.Fixed(), m.ground, rubber, at_2=0)


def free(m: nsmb.Model, rubber: Any) -> None:
    """Leave the wall without a contact."""


def contact(mu: float = 0.0) -> Treatment:
    def treat(m: nsmb.Model, rubber: Any) -> None:
        wall = m.ground.contour("wall", geometry.Line((0.0, 0.0), (0.0, 1.0)))
        end = rubber.contour("end", geometry.Point(), at=0)
        m.add_contact(wall, end, nsmb.ContactLaw(mu=mu), "wall")

    return treat


def of_shapes(m: nsmb.Model, rubber: Any) -> tuple[Any, Any]:
    wall = m.ground.shape("wall", geometry.HalfSpace(), at=geometry.Frame((-0.01, 0.0, 0.0), TO_X))
    return wall, rubber.shape("end", geometry.Sphere(0.01), at=0)


def anywhere(m: nsmb.Model, rubber: Any) -> None:
    of_shapes(m, rubber)
    m.collide(nsmb.ContactLaw())


def two_tangents(m: nsmb.Model, rubber: Any) -> None:
    m.add_contact(*of_shapes(m, rubber), nsmb.ContactLaw(mu=0.3), "wall")


def stepped(system: nsmb.MultibodySystem, h: float, **options: Any) -> tuple[nsmb.Solution, Array]:
    """Return the run and the mean forces over its steps."""
    method = stepping(h, **options)
    sol = nsmb.simulate(system, T_END, method=method, output_step=h)
    assert sol.stats["missed_steps"] == 0
    return sol, sol.contacts.force_on("bar")[1:, 0]


def error(sol: nsmb.Solution, forces: Array, h: float) -> float:
    """Return the largest force error of steps that end before the bar leaves."""
    ends = sol.t[1:][sol.t[1:] < HELD.leaves()]
    means = [quad(HELD.force, t - h, t, epsabs=1e-14)[0] / h for t in ends]
    return float(np.abs(forces[: len(ends)] - means).max())


def element_forces(sol: nsmb.Solution) -> Array:
    return np.array([sol.at(t).element_force[0] for t in TIMES])


def test_the_truth_keeps_the_momentum_of_the_bar() -> None:
    """The total impulse of wall and load is that of the bar, which starts at rest under P."""
    t = HELD.leaves()
    _, v, _ = HELD.motion(t)
    impulse = quad(lambda s: HELD.force(s) - P * np.cos(OMEGA * s), 0.0, t)[0]
    assert HELD.M.sum(axis=0) @ v == pytest.approx(impulse, rel=1e-9)
    assert HELD.force(0.0) == pytest.approx(P, rel=1e-12)
    assert (TRUTH[:-1] > 0.0).all()


@pytest.mark.parametrize("c", [1e3, 1e5])
def test_a_spring_is_the_chain_on_that_spring(c: float) -> None:
    sol = nsmb.simulate(bar(spring(c), start=-P / c), T_END, rtol=1e-10)
    exact = Chain(c)
    forces = [exact.force(t) for t in TIMES]
    np.testing.assert_allclose(element_forces(sol), forces, atol=1e-8)  # measured: 5e-11
    assert sol.events.t[0] == pytest.approx(exact.leaves(), abs=1e-9)


def test_the_error_of_a_spring_falls_as_its_stiffness_grows() -> None:
    """Errors of force and instant fall as 1/c, up to second-order terms."""
    errors, late = [], []
    for c in (1e4, 1e5, 1e6):
        sol = nsmb.simulate(bar(spring(c), start=-P / c), T_END, rtol=1e-10)
        errors.append(np.abs(element_forces(sol) - TRUTH).max())
        late.append(sol.events.t[0] - HELD.leaves())
    assert np.array(errors[:-1]) / errors[1:] == pytest.approx([10.0, 10.0], rel=0.02)
    assert np.array(late[:-1]) / late[1:] == pytest.approx([10.0, 10.0], rel=0.02)


def test_stiffness_costs_steps() -> None:
    """Ten times c takes twice the steps if limited by accuracy, √10 times if by stability.

    If limited by stability, rounding also matters: 860 to 725 and 1,992 to 2,355 steps were seen.
    """
    stiffness = (1e4, 1e6, 1e7, 1e8)
    steps = [
        nsmb.simulate(bar(spring(c), start=-P / c), T_END, output_step=0).stats["steps"]
        for c in stiffness
    ]
    without = nsmb.simulate(bar(contact()), T_END, output_step=0).stats["steps"]
    assert steps[0] > without
    assert 3.0 < steps[1] / steps[0] < 5.0
    assert 2.0 < steps[3] / steps[2] < 4.0


def test_a_spring_that_starts_at_the_wall_swings_about_the_force() -> None:
    """The force reaches 2 P, as the nodal mass falls on a spring. Waves of the bar add 0.3 %."""
    sol = nsmb.simulate(bar(spring(1e6)), T_END)
    assert sol.element_force.max() == pytest.approx(2.0 * P, rel=0.01)
    assert len(sol.events) > 100


def test_powers_of_the_penetration_are_elements_of_the_user() -> None:
    def power(c: float) -> Treatment:
        return lambda m, rubber: m.add_user_force(
            "wall", lambda now: c * max(0.0, -now.q[0]) ** 1.5, coordinates="slide"
        )

    errors = []
    for c in (1e6, 1e8):
        sol = nsmb.simulate(bar(power(c), start=-((P / c) ** (2.0 / 3.0))), T_END)
        forces = c * np.maximum(0.0, -sol(TIMES)[:, 0]) ** 1.5
        errors.append(np.abs(forces - TRUTH).max())
    assert errors[1] < 0.01 < errors[0] < 0.1


def test_the_multiplier_is_the_force_and_tells_when_to_let_go() -> None:
    on = nsmb.simulate(bar(held), T_END, rtol=1e-10)
    forces = [on.at(t).lambda_B[0] for t in TIMES]
    np.testing.assert_allclose(forces, TRUTH, atol=1e-8)
    assert np.abs(on.lambda_B[:, 1:]).max() < 1e-12  # the slide carries all else
    release = brentq(lambda t: on.at(t).lambda_B[0], 0.06, 0.1)
    assert release == pytest.approx(HELD.leaves(), abs=1e-9)
    state = on.at(release)
    off = nsmb.simulate(
        bar(free), T_END, t_start=release, q=state.q, u=state.u, method=nsmb.EventDriven(rtol=1e-10)
    )
    itself = nsmb.simulate(bar(contact()), T_END, rtol=1e-10)
    np.testing.assert_allclose(off.q[-1], itself.q[-1], atol=1e-10)
    np.testing.assert_allclose(off.u[-1], itself.u[-1], atol=1e-8)


def test_complementarity_leaves_by_itself() -> None:
    sol = nsmb.simulate(bar(contact()), T_END, rtol=1e-10)
    assert [e.kind for e in sol.events] == [nsmb.EventKind.DETACH]
    assert sol.events.t[0] == pytest.approx(HELD.leaves(), abs=1e-9)
    forces = [sol.at(t).lambda_N[0] for t in TIMES]
    np.testing.assert_allclose(forces, TRUTH, atol=1e-8)
    # The final momentum is the impulse of load and wall.
    assert sol.system is not None
    given = quad(HELD.force, 0.0, HELD.leaves())[0] - P / OMEGA * np.sin(OMEGA * T_END)
    M = sol.system.mass_matrix(T_END, sol.q[-1])
    assert (M @ sol.u[-1])[0] == pytest.approx(given, rel=1e-6)


@pytest.mark.parametrize(
    ("scheme", "largest"),  # measured: 4.5e-6, 8.8e-5, 8.8e-5, 3.8e-5 N
    [
        ("rk4-position", 1e-5),
        ("rk4-velocity", 2e-4),
        ("radau-velocity", 2e-4),
        ("midpoint", 8e-5),
    ],
)
def test_steps_of_positions_and_velocities_are_of_second_order(scheme: str, largest: float) -> None:
    """On velocity level the gap drifts by up to 8e-8 m, 80 times the closed gap.

    Loaded contacts nevertheless stay loaded.
    """
    errors = []
    for h in STEPS:
        sol, forces = stepped(bar(contact()), h, scheme=scheme)
        errors.append(error(sol, forces, h))
        assert sol.t[1:][forces > 0.0][-1] == pytest.approx(HELD.leaves(), abs=h)
    assert errors[-1] < largest
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx([2.0, 2.0], abs=0.2)


@pytest.mark.parametrize("solver", ["gauss_seidel", "projected_gradient", "newton", "dense"])
def test_projections_find_the_forces_of_complementarity(solver: str) -> None:
    """Forces agree up to `tol`, measured 1.5e-8 N by newton and 1e-13 by the others."""
    h = STEPS[1]
    _, pivoted = stepped(bar(contact()), h)
    sol, projected = stepped(bar(anywhere), h, solver=solver)
    assert sol.stats["contact_problems"] > 100
    np.testing.assert_allclose(projected, pivoted, atol=1e-6)
    assert error(sol, projected, h) < 2e-4


def test_contacts_with_two_tangents_are_given_to_the_solver_named() -> None:
    joint = joints.Planar()
    _, auto = stepped(bar(two_tangents, joint=joint), STEPS[1], scheme="rk4-position")
    sol, augmented = stepped(
        bar(two_tangents, joint=joint),
        STEPS[1],
        scheme="rk4-position",
        solver="augmented_lagrangian",
    )
    assert not np.array_equal(auto, augmented)
    np.testing.assert_allclose(augmented, auto, atol=1e-8)
    assert error(sol, augmented, STEPS[1]) < 1e-4


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_contacts_of_a_plane_have_the_same_forces_by_all_solvers(mu: float) -> None:
    joint = joints.Planar()
    runs = [
        stepped(bar(contact(mu), joint=joint), 1e-3, scheme="midpoint", solver=solver)[1]
        for solver in ("auto", "newton", "gauss_seidel")
    ]
    np.testing.assert_allclose(runs[1], runs[0], atol=1e-6)
    np.testing.assert_allclose(runs[2], runs[0], atol=1e-6)


def test_the_proximal_point_method_contracts_as_its_parameter_says() -> None:
    """Each iteration contracts by 1 / (1 + r A), down to 1e-13 or rounding."""
    system = bar(contact())
    inverse = np.linalg.inv(system.mass_matrix(0.0, system.initial_state.q))
    A = inverse[:1, :1]
    impulse = nsmb.complementarity.lcp.solve(A, [-1.0]).x
    assert impulse == pytest.approx(1.0 / A[0, 0], rel=1e-12)
    for r in (1.0, 10.0, 100.0):
        problem = nsmb.complementarity.friction.FrictionProblem.local(A, [-1.0], mu=0, dimension=1)
        found = nsmb.complementarity.friction.solve(
            problem, "augmented_lagrangian", r=r / A[0, 0], tol=1e-10
        )
        assert found.success
        assert found.x == pytest.approx(impulse, rel=1e-9)
        assert found.outer_iterations == pytest.approx(13.0 / np.log10(1.0 + r), abs=1.0)
