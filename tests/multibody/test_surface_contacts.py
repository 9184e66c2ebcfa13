"""Contacts of surfaces in space: gaps against closed forms, rates against differences.

The bodies move freely, on chains and as prescribed in time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from nsmb._core import multibody as mb
from nsmb._core import system as core_system
from tests.multibody.random_trees import excited, frame, inertia

Array = NDArray[np.float64]
LAW = core_system.UnilateralContact(0.3, 0.0, 0.0, 0.0, 1.0, None)
Kind = mb.Skeleton
SURFACES = {
    "sphere on half-space": (mb.Surface(Kind.Plane), mb.Surface(Kind.Point, 0.3)),
    "corner on half-space": (mb.Surface(Kind.Plane), mb.Surface(Kind.Point)),
    "sphere on sphere": (mb.Surface(Kind.Point, 0.4), mb.Surface(Kind.Point, 0.2)),
    "sphere in sphere": (mb.Surface(Kind.Point, -4.0), mb.Surface(Kind.Point, 0.2)),
    "sphere on cylinder": (mb.Surface(Kind.Line, 0.25), mb.Surface(Kind.Point, 0.2)),
    "sphere in cylinder": (mb.Surface(Kind.Line, -5.0), mb.Surface(Kind.Point, 0.2)),
    "rim on half-space": (mb.Surface(Kind.Plane), mb.Surface(Kind.Circle, 0.0, 0.5)),
    "torus on half-space": (mb.Surface(Kind.Plane), mb.Surface(Kind.Circle, 0.1, 0.5)),
}
STENCIL = ((1, 45 / 60), (2, -9 / 60), (3, 1 / 60), (-1, -45 / 60), (-2, 9 / 60), (-3, -1 / 60))
H = 2e-3


def scene(name: str, rng: np.random.Generator) -> tuple[mb.Tree, mb.ModelSystem]:
    """The first surface on an arm with a driven foot, the second on a free body."""
    bodies = [
        mb.Body("foot", 1.0, np.zeros(3), inertia(rng), mb.RevoluteJoint(rng.normal(size=3)),
                motions=[excited(rng, 0, True)]),
        mb.Body("arm", 1.0, np.zeros(3), inertia(rng), mb.SphericalJoint(), parent="foot",
                parent_frame=frame(rng)),
        mb.Body("free", 1.0, np.zeros(3), inertia(rng), mb.FreeJoint()),
    ]  # fmt: skip
    tree = mb.Tree(bodies)
    markers = [mb.Marker(1, frame(rng)), mb.Marker(2, frame(rng))]
    contact = mb.SurfaceContact("touch", LAW, 0, 1, *SURFACES[name])
    return tree, mb.ModelSystem(tree, markers=markers, surfaces=[contact])


def start(tree: mb.Tree, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    q = np.array(tree.reference)
    q = np.array(tree.normalise(q + rng.normal(size=tree.nq)))
    return q, rng.normal(size=tree.nu), rng.normal(size=tree.nu)


def motion(
    tree: mb.Tree, q: Array, u: Array, udot: Array
) -> Callable[[float], tuple[Array, Array]]:
    """Return q and u slightly before and after, with constant u̇."""

    def rate(t: float, y: Array) -> Array:
        return np.asarray(tree.coordinate_rates(y, u + t * udot))

    ends = [
        solve_ivp(rate, (0.0, side * 4 * H), q, rtol=1e-12, atol=1e-13, dense_output=True).sol
        for side in (1, -1)
    ]
    return lambda t: (ends[0 if t >= 0.0 else 1](t), u + t * udot)


@pytest.mark.parametrize("name", SURFACES)
def test_rates_of_surface_contacts_are_those_of_gaps_and_velocities(name: str) -> None:
    """γ_N = dg/dt and γ̇ = Wᵀu̇ + w̄.

    Differences of order 6 have errors of 1e-9 of the rates, as has a motion accurate to 1e-12 over
    steps of 2e-3. The tolerance of 1e-7 of the largest term has a margin of 20.
    """
    rng = np.random.default_rng(len(name))
    checked = 0
    while checked < 15:
        tree, core = scene(name, rng)
        q, u, udot = start(tree, rng)
        t = float(rng.normal())
        here = core.contact_kinematics(t, q, u)
        at = motion(tree, q, u, udot)
        rows = []
        for step, _ in STENCIL:
            q_k, u_k = at(step * H)
            rows.append(core.contact_kinematics(t + step * H, q_k, u_k) | {"u": u_k})
        # Differences are meaningless near a position at which the contact point is not unique.
        if max(np.abs(row["g_N"] - here["g_N"]).max() for row in rows) > 0.1:
            continue
        weights = np.array([weight / H for _, weight in STENCIL])
        g_dot = weights @ np.array([row["g_N"] for row in rows])
        gamma = [
            (r["W_N"].T @ r["u"] + r["w_tilde_N"], r["W_T"].T @ r["u"] + r["w_tilde_T"])
            for r in rows
        ]
        gamma_dot = weights @ np.array([np.concatenate(both) for both in gamma])
        W = np.hstack([here["W_N"], here["W_T"]])
        w_tilde = np.concatenate([here["w_tilde_N"], here["w_tilde_T"]])
        w_bar = np.concatenate([here["w_bar_N"], here["w_bar_T"]])
        curved = 1.0 + np.abs(w_bar).max() ** 3
        if curved > 1e5:
            continue
        assert (W.T @ u + w_tilde)[0] == pytest.approx(g_dot[0], abs=1e-7 * curved)
        assert W.T @ udot + w_bar == pytest.approx(gamma_dot, abs=1e-7 * curved)
        checked += 1


def poses(core: mb.ModelSystem, t: float, q: Array) -> list[tuple[Array, Array]]:
    return [(np.asarray(r), np.asarray(A)) for r, A in core.marker_poses(t, q)]


@pytest.mark.parametrize("name", SURFACES)
def test_gap_is_the_least_distance_of_points_on_the_surfaces(name: str) -> None:
    """The reference is brute force over points of a circle, and a closed form for the others."""
    rng = np.random.default_rng(7)
    for _ in range(30):
        tree, core = scene(name, rng)
        q, u, _ = start(tree, rng)
        t = float(rng.normal())
        g = float(core.contact_kinematics(t, q, u)["g_N"][0])
        (r_1, A_1), (r_2, A_2) = poses(core, t, q)
        d = r_2 - r_1
        if name in ("rim on half-space", "torus on half-space"):
            angle = np.linspace(0.0, 2.0 * np.pi, 200_001)
            rim = 0.5 * (np.cos(angle)[:, None] * A_2[:, 0] + np.sin(angle)[:, None] * A_2[:, 1])
            thick = 0.1 if name.startswith("torus") else 0.0
            expected = float(((d + rim) @ A_1[:, 2]).min()) - thick
            assert g == pytest.approx(expected, abs=1e-9)  # 0.5 (1 - cos 1.6e-5) at most
            continue
        off_axis = d - (A_1[:, 2] @ d) * A_1[:, 2]
        expected = {
            "sphere on half-space": A_1[:, 2] @ d - 0.3,
            "corner on half-space": A_1[:, 2] @ d,
            "sphere on sphere": np.linalg.norm(d) - 0.6,
            "sphere in sphere": 3.8 - np.linalg.norm(d),
            "sphere on cylinder": np.linalg.norm(off_axis) - 0.45,
            "sphere in cylinder": 4.8 - np.linalg.norm(off_axis),
        }[name]
        assert g == pytest.approx(expected, abs=1e-13)


def test_a_disc_flat_on_a_plane_has_no_one_contact_point() -> None:
    tree = mb.Tree([mb.Body("disc", 1.0, np.zeros(3), np.eye(3), mb.FreeJoint())])
    contact = mb.SurfaceContact("touch", LAW, 0, 1, *SURFACES["rim on half-space"])
    markers = [mb.Marker(-1, mb.Frame()), mb.Marker(0, mb.Frame())]
    core = mb.ModelSystem(tree, markers=markers, surfaces=[contact])
    with pytest.raises(ValueError, match="contact 'touch': must have one nearest point, got many"):
        core.contact_kinematics(0.0, tree.reference, np.zeros(6))


def test_pairs_without_a_single_contact_point_are_refused() -> None:
    tree = mb.Tree([mb.Body("disc", 1.0, np.zeros(3), np.eye(3), mb.FreeJoint())])
    markers = [mb.Marker(-1, mb.Frame()), mb.Marker(0, mb.Frame())]
    pair = (mb.Surface(Kind.Plane), mb.Surface(Kind.Plane))
    contact = mb.SurfaceContact("touch", LAW, 0, 1, *pair)
    with pytest.raises(ValueError, match="contact 'touch': surfaces: expected surfaces with a"):
        mb.ModelSystem(tree, markers=markers, surfaces=[contact])
    hollow = (mb.Surface(Kind.Plane), mb.Surface(Kind.Point, -0.1))
    contact = mb.SurfaceContact("touch", LAW, 0, 1, *hollow)
    with pytest.raises(ValueError, match="contact 'touch': radius_2: expected"):
        mb.ModelSystem(tree, markers=markers, surfaces=[contact])
