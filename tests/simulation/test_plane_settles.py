"""Friction in a plane: ends of slip, instants that settle, and genuine jams.

Random systems of the campaign, evaluated by its own checks, represent classes of motion.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import nsmb
from tests.campaign.runner import make, run_case

G = 9.81


@pytest.mark.parametrize(
    "seed",
    [
        # Slip left by impacts that the integrator cannot distinguish from rest ends as slip.
        pytest.param(44, id="slow slip behind an impact"),
        pytest.param(60, id="slow slip does not jam"),
        # At the end of a state with sticking contacts, the forces satisfy the law.
        pytest.param(222, id="two contacts of a point begin to slip"),
        # A step that ends after the end of slip contains a reversal of friction.
        pytest.param(234, id="slip ends on a step that goes beyond"),
        # At its limit, slip starts with zero acceleration, whose sign is due to rounding.
        pytest.param(83, id="slip of one foot begins"),
        pytest.param(386, id="slip of four feet begins"),
        # Feet without friction, of which three suffice, transfer their load to each other.
        pytest.param(205, id="feet without friction"),
        pytest.param(302, id="springs press feet that slide"),
        pytest.param(354, id="slow slip takes no short steps"),
        # Phases and instants use the same distribution of the load, whatever the initial guess.
        pytest.param(522, id="one foot lifts beside three"),
        pytest.param(840, id="one foot sticks beside three that slide"),
        pytest.param(1563, id="four feet stick"),
        # Where all forces of a contact cancel, its state is that around this instant.
        pytest.param(783, id="a load that changes its sign lifts a point"),
    ],
)
def test_runs_with_friction_in_a_plane_settle_and_obey_the_laws(seed: int) -> None:
    outcome = run_case("spatial", seed)
    assert outcome.status == "finished", outcome.message
    assert not outcome.findings


def sliding_point(v: np.ndarray, mu: float, m: float) -> nsmb.LinearSystem:
    w_T = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    law = nsmb.ContactLaw(e_N=0.0, mu=mu)
    contact = nsmb.Contact(w_N=[0.0, 0.0, 1.0], w_T=w_T, gap=0.0, law=law)
    return nsmb.LinearSystem(
        m * np.eye(3), np.zeros((3, 3)), np.zeros((3, 3)),
        force=nsmb.Force(constant=[0.0, 0.0, -m * G]), contacts=[contact],
        initial_state=nsmb.State(0.0, np.zeros(3), np.append(v, 0.0)),
    )  # fmt: skip


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("speed", [1e-9, 1e-4, 0.3, 20.0])
def test_a_point_slides_against_friction_up_to_the_end(speed: float, rtol: float) -> None:
    """Closed form: the point stops at v/(μ g), and friction is -μ m g along v until then."""
    mu, m = 0.4, 0.7
    direction = np.array([0.6, -0.8])
    method = nsmb.EventDriven(rtol=rtol)
    t_stop = speed / (mu * G)
    sol = nsmb.simulate(sliding_point(speed * direction, mu, m), 2.0 * t_stop, method=method)
    sticks = sol.events[sol.events.kind == 3]
    # Slip may end where it cannot be distinguished from rest: 8 rtol of the speed, in two rows.
    assert len(sticks) == 1
    assert sticks.t[0] == pytest.approx(t_stop, rel=1e-9 + 20.0 * rtol)
    left = sol.lambda_T[sol.t <= sticks.t[0]][:-1]  # without the right side of the event
    np.testing.assert_allclose(left, np.tile(-mu * m * G * direction, (len(left), 1)), rtol=1e-6)


def test_a_single_contact_that_jams_ends_by_name() -> None:
    """λ_N becomes unbounded where n·M⁻¹(n - μ t) is zero, with t the direction of slip."""
    case = make("spatial", 1622)
    sol = case.run(case.system())
    assert sol.status == "no_contact_solution"
    contact = next(iter(np.flatnonzero(sol.contact_state[-1])))
    k = case.system().contact_kinematics(sol.t[-1], sol.q[-1], sol.u[-1])
    W_N, W_T = k["W_N"][:, contact], k["W_T"][:, 2 * contact : 2 * contact + 2]
    Minv = np.linalg.inv(np.array(case.spec["M"]))
    slip = sol.gamma_T[-1][2 * contact : 2 * contact + 2]
    mu = case.spec["contacts"][contact]["law"]["mu"]
    force = W_N - mu * W_T @ (slip / np.linalg.norm(slip))
    assert abs(W_N @ Minv @ force) < 1e-6 * (W_N @ Minv @ W_N)
    h = np.array(case.spec["force"]["constant"])  # no springs, no harmonics
    assert W_N @ Minv @ h < 0.0  # and pressed


def wedge() -> tuple[nsmb.LinearSystem, np.ndarray, list[np.ndarray], list[np.ndarray], np.ndarray]:
    """A point that two belts pull into their wedge; it slides on one belt and hits the other."""
    normals = [np.array([0.0, 0.0, 1.0]), np.array([0.27965, -0.95825, 0.05957])]
    normals[1] /= np.linalg.norm(normals[1])
    tangents = [
        np.array([[0.87283, 0.48803], [-0.48803, 0.87283], [0.0, 0.0]]),
        np.array([[0.94147, -0.18822], [0.28586, 0.00612], [0.17865, 0.98211]]),
    ]
    for n, T in zip(normals, tangents, strict=True):
        T[:, 0] -= n * (n @ T[:, 0])
        T[:, 0] /= np.linalg.norm(T[:, 0])
        T[:, 1] = np.cross(n, T[:, 0])
    belt = np.array([0.755, -0.1185])
    law = nsmb.ContactLaw(e_N=0.45, mu=1.2)
    contacts = [
        nsmb.Contact(w_N=n, w_T=T, gap=0.0, law=law, w_tilde_T=belt)
        for n, T in zip(normals, tangents, strict=True)
    ]
    system = nsmb.LinearSystem(np.eye(3), np.zeros((3, 3)), np.zeros((3, 3)), contacts=contacts)
    u = np.array([-0.46263, 0.19990, 0.0])
    return system, u, normals, tangents, belt


def test_belts_that_jam_a_point_in_a_wedge_leave_no_compression() -> None:
    """All possible ends of compression, by enumeration of modes and of slip directions."""
    system, u, normals, tangents, belt = wedge()
    mu = 1.2
    ends = 0
    # Both slide, along the edge: three equations for two impulses and the speed a.
    edge = np.cross(normals[0], normals[1])
    edge /= np.linalg.norm(edge)
    a = np.linspace(-20.0, 20.0, 200_001)
    after = a[:, None] * edge
    cones = []
    for n, T in zip(normals, tangents, strict=True):
        slip = after @ T + belt
        cones.append(n - mu * (slip / np.linalg.norm(slip, axis=1)[:, None]) @ T.T)
    change = after - u
    det = np.linalg.det(np.stack([*cones, change], axis=2))
    for j in np.flatnonzero(det[1:] * det[:-1] <= 0.0):
        edges = np.stack([c[j] for c in cones], axis=1)
        impulses = np.linalg.lstsq(edges, change[j], rcond=None)[0]
        ends += bool((impulses > 0.0).all())
    assert (np.abs(det) < 1e-2).any()  # the scan is fine enough to find crossings
    for one, other in ((0, 1), (1, 0)):
        n, T = normals[one], tangents[one]
        # One sticks, the other separates.
        B = np.column_stack([n, T])
        stuck = np.linalg.solve(B.T, np.append(0.0, -belt))
        impulse = np.linalg.solve(B, stuck - u)
        within = np.hypot(*impulse[1:]) <= mu * impulse[0] and impulse[0] > 0.0
        ends += bool(within and normals[other] @ stuck >= 0.0)
        # One slides against its friction, the other separates.
        turn = np.linspace(0.0, 2.0 * np.pi, 200_001)
        d = np.column_stack([np.cos(turn), np.sin(turn)])
        force = n - mu * d @ T.T
        size = -(n @ u) / (force @ n)
        u_plus = u + size[:, None] * force
        slip = u_plus @ T + belt
        across, along = slip[:, 0] * d[:, 1] - slip[:, 1] * d[:, 0], (slip * d).sum(axis=1)
        for j in np.flatnonzero((across[1:] * across[:-1] <= 0.0) & (along[1:] > 0.0)):
            ends += bool(size[j] >= 0.0 and normals[other] @ u_plus[j] >= -1e-6)
    assert ends == 0  # both stick: 6 equations for 3 velocities, which the belts contradict
    both = np.linalg.lstsq(
        np.vstack([np.column_stack([n, T]).T for n, T in zip(normals, tangents, strict=True)]),
        np.concatenate([np.append(0.0, -belt)] * 2),
        rcond=None,
    )
    assert both[1][0] > 1e-3
    assert not nsmb.instant.impact(system, 0.0, np.zeros(3), u).success
    # With less friction the same compression has an end.
    for share in (0.5, 0.25):
        laws = [nsmb.ContactLaw(e_N=0.45, mu=mu * share)] * 2
        contacts = [
            nsmb.Contact(w_N=n, w_T=T, gap=0.0, law=law, w_tilde_T=belt)
            for n, T, law in zip(normals, tangents, laws, strict=True)
        ]
        less = nsmb.LinearSystem(np.eye(3), np.zeros((3, 3)), np.zeros((3, 3)), contacts=contacts)
        assert nsmb.instant.impact(less, 0.0, np.zeros(3), u).success


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::7])
def test_the_share_of_each_of_four_feet_does_not_depend_on_their_order(
    order: tuple[int, ...],
) -> None:
    """A plate that slides and rotates on four feet, each with its own friction coefficient."""
    places = np.array([(-0.3, -0.2), (0.3, -0.25), (0.25, 0.3), (-0.2, 0.35)])
    coefficients = [0.3, 0.5, 0.2, 0.6]

    def run(order: tuple[int, ...]) -> np.ndarray:
        contacts = []
        for i in order:
            x, y = places[i]
            w_T = np.array([[1.0, 0, 0, 0, -0.1, -y], [0, 1.0, 0, 0.1, 0, x]]).T
            law = nsmb.ContactLaw(e_N=0.0, mu=coefficients[i])
            contacts.append(
                nsmb.Contact(w_N=[0.0, 0.0, 1.0, y, -x, 0.0], w_T=w_T, gap=0.0, law=law)
            )
        system = nsmb.LinearSystem(
            np.diag([1.0, 1.0, 1.0, 0.05, 0.06, 0.08]), np.zeros((6, 6)), np.zeros((6, 6)),
            force=nsmb.Force(constant=[0.0, 0.0, -G, 0.0, 0.0, 0.0]), contacts=contacts,
            initial_state=nsmb.State(0.0, np.zeros(6), np.array([0.7, -0.4, 0, 0, 0, 2.0])),
        )  # fmt: skip
        sol = nsmb.simulate(system, 0.05, method=nsmb.EventDriven(rtol=1e-10))
        loads = np.empty(4)
        loads[list(order)] = sol.lambda_N[-1]
        return np.concatenate([sol.q[-1], sol.u[-1], loads])

    # The Newton residual of 1e-13 over the compliance of 1e-5 of the load: 1e-8 of 10 N.
    np.testing.assert_allclose(run(order), run((0, 1, 2, 3)), atol=3e-7)


@pytest.mark.parametrize("seed", [303, 430, 1033])
def test_the_balance_and_the_cone_hold_at_the_ends_of_states_in_a_plane(seed: int) -> None:
    """The solution may jump there, and slip that starts stays on the boundary of its cone."""
    outcome = run_case("spatial", seed)
    assert outcome.status == "finished", outcome.message
    assert not outcome.findings
