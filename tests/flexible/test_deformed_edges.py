"""Contacts of deformable edges at one instant.

Directions and accelerations are derivatives of distances and velocities. Jacobians agree with
differences of order 6.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import flexible, geometry, joints
from nsmb.multibody.assembly import Assembly
from tests.multibody.test_contour_kinematics import STENCIL

Array = NDArray[np.float64]
H = 3e-5  # step of the differences of order 6
PARTNERS = (
    "circle",
    "hollow",
    "ellipse",
    "corner",
    "edge",
    "node",
    "edge of nodes",
    "tip of nodes",
)
"""Partners of an edge. The last ones belong to the other elastic body."""


def body(n: int = 5, stiffening: bool = False, **mesh: Any) -> nsmb.flexible.FlexibleBody:
    given = {"width": 1.0, "height": 0.4, "nx": 3, "ny": 1} | mesh
    elements = flexible.plane(flexible.Mesh.rectangle(*given.values()), E=2e3, nu=0.3, density=10.0)
    return flexible.reduce(elements, n, stiffening=stiffening)


def partner(m: nsmb.Model, kind: str, carrier: Any) -> tuple[Any, int]:
    """Return a contour of another body and its touching feature."""
    if kind in ("node", "edge of nodes", "tip of nodes"):
        other = m.add_elastic_body("other", body(4, nx=2))
        m.add_joint("place_1", joints.Planar(), carrier, other)
        if kind == "node":
            return other.contour("c", geometry.Point(), at=0), 0
        return other.boundary("c"), 1 if kind.startswith("edge") else 0
    other = m.add_body("other", mass=1.0, inertia=(0.1, 0.2, 0.3), center=(0.1, 0.2, 0))
    m.add_joint("place_1", joints.Planar(), carrier, other)
    contour, feature = {
        "circle": (geometry.Circle(0.3), 1),
        "hollow": (geometry.Circle(-3.0), 1),
        "ellipse": (geometry.Ellipse(0.4, 0.2), 1),
        "corner": (geometry.Polygon([(0, 0), (1, 0), (0.5, 1)]), 0),
        "edge": (geometry.Polygon([(0, 0), (1, 0), (0.5, 1)]), 1),
    }[kind]
    return other.contour("c", contour, (0.1, -0.2), 0.4), feature


@cache
def core(
    kind: str, tilted: bool, swapped: bool, stiffening: bool
) -> tuple[Any, list[int], tuple[int, int]]:
    """Return both bodies on a rotating carrier, elastic coordinates, and touching features."""
    m = nsmb.Model(gravity=(0.3, -9.81))
    carrier = m.add_body("carrier", mass=2.0, inertia=(0.3, 0.4, 0.5))
    joint = joints.Revolute(axis=(1, 0.3, 0.2)) if tilted else joints.Planar()
    m.add_joint("carrier", joint, m.ground, carrier)
    soft = m.add_elastic_body("soft", body(stiffening=stiffening))
    m.add_joint("place_0", joints.Planar(), carrier, soft)
    own = soft.boundary("edge"), 3 if kind in ("circle", "ellipse", "corner") else 2
    if kind in ("node", "tip of nodes"):
        own = own[0], 3
    sides = [own, partner(m, kind, carrier)]
    if swapped:
        sides.reverse()
    m.add_contact(sides[0][0], sides[1][0], name="touch", search_distance=0.1, skin=0.1)
    whole = Assembly(m._records)
    soft_ones = [k for k, name in enumerate(whole.coordinates) if ".q" in name]
    return whole.core, soft_ones, (sides[0][1], sides[1][1])


def state(system: Any, soft: list[int], rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw a state with elastic coordinates such that edges rotate and stretch."""
    q, u = rng.uniform(-1, 1, system.nq), rng.uniform(-1, 1, system.nu)
    q[soft] *= 0.05
    return q, u


def follow(system: Any, f: tuple[int, int], q: Array, u: Array, sigma: Any = (0.0, 0.0)) -> Any:
    n = len(q)
    one = np.ones(n)
    return system.follow_contact(
        0, 0 * one, q, u, np.full(n, f[0]), np.full(n, f[1]), sigma[0] * one, sigma[1] * one
    )


CASES = [
    (kind, tilted, swapped, kind in ("circle", "corner"))
    for kind in PARTNERS
    for tilted, swapped in ((False, True), (True, False))
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_directions_and_accelerations_are_derivatives(case: tuple[str, bool, bool, bool]) -> None:
    system, soft, pair = core(*case)
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(12):
        q, u = state(system, soft, rng)
        a = rng.uniform(-1, 1, system.nu)
        shifts = np.array([0.0, *(k * H for k, _ in STENCIL)])
        path = q + np.outer(shifts, u) + 0.5 * np.outer(shifts**2, a)
        speeds = u + np.outer(shifts, a)
        found = follow(system, pair, path, speeds)
        if not np.isfinite(found["g_N"]).all():  # a far side, or no common normal
            continue
        seen += 1
        weights = np.array([w for _, w in STENCIL]) / H
        g_rate, gamma_rate = weights @ found["g_N"][1:], weights @ found["gamma"][1:]
        exact = np.array([found["W_N"][0] @ a, found["W_T"][0] @ a]) + found["w_bar"][0]
        assert found["gamma"][0, 0] == pytest.approx(g_rate, abs=1e-7 * (1.0 + abs(g_rate)))
        assert exact == pytest.approx(gamma_rate, abs=1e-7 * (1.0 + np.abs(gamma_rate).max()))
        for k in range(system.nu):  # W_N itself, for each velocity
            step = np.outer([w[0] for w in STENCIL], np.eye(system.nu)[k]) * H
            along = follow(system, pair, q + step, 0 * step)["g_N"]
            assert found["W_N"][0, k] == pytest.approx(weights @ along, abs=1e-7)
    assert seen >= 4


@pytest.mark.parametrize("case", CASES, ids=str)
def test_jacobians_are_derivatives(case: tuple[str, bool, bool, bool]) -> None:
    system, soft, pair = core(*case)
    rng = np.random.default_rng(8)
    seen = 0
    for _ in range(20):
        if seen == 2:
            break
        q, u = state(system, soft, rng)
        here = follow(system, pair, q[None], u[None])
        if not np.isfinite(here["g_N"][0]):
            continue
        seen += 1
        sigma = here["sigma_1"][0], here["sigma_2"][0]
        udot, lambda_N, lambda_T = rng.normal(size=system.nu), rng.normal(), rng.normal()

        def outputs(y: Array, at: Any = sigma, k: Any = (udot, lambda_N, lambda_T)) -> Array:
            q, u = y[: system.nq], y[system.nq :]
            c = follow(system, pair, q[None], u[None], at)
            W = np.column_stack([c["W_N"][0], c["W_T"][0]])
            M, h = system.mass_matrix(0.0, q), system.forces(0.0, q, u)
            return np.concatenate([M @ k[0] - h - W @ k[1:], W.T @ k[0] + c["w_bar"][0]])

        y = np.concatenate([q, u])
        expected = np.stack(
            [sum(w / H * outputs(y + k * H * e) for k, w in STENCIL) for e in np.eye(y.size)], 1
        )
        slots = np.full((system.nc, 4), -1.0)
        slots[0] = [*pair, *sigma]
        one = np.eye(system.nc)[0]
        found = system.jacobians(
            0.0, q, u, np.zeros(0), udot, lambda_N * one, lambda_T * one, np.zeros(0), np.zeros(0),
            slots,
        )  # fmt: skip
        value = np.vstack([found["residual"], found["gammadot"][[0, system.nc]]])
        size = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(value, expected, 0.0, 1e-6 * size)
    assert seen == 2
