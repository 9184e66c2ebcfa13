"""Derivatives of contacts of contours by positions and velocities, against differences."""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import joints
from nsmb.multibody.assembly import Assembly
from tests.geometry.zoo import Scenes, kinds, rotated, scenes
from tests.multibody.test_contour_kinematics import OFFSETS, STENCIL, near_knots

Array = NDArray[np.float64]
N = 8
H = 3e-5  # step of the differences of order 6
PAIRS = [(a, b) for a in kinds() for b in kinds()]


@cache
def core(pair: tuple[str, str], tilted: bool) -> Any:
    """Both bodies on a carrier that moves in the plane, or rotates it in space."""
    m = nsmb.Model(gravity=(0.3, -9.81))
    carrier = m.add_body("carrier", mass=2.0, inertia=(0.3, 0.4, 0.5))
    m.add_joint(
        "carrier", joints.Revolute(axis=(1, 0.3, 0.2)) if tilted else joints.Planar(), m.ground,
        carrier,
    )  # fmt: skip
    sides = []
    for k, name in enumerate(pair):
        body = m.add_body(f"body_{k}", mass=1.0, inertia=(0.1, 0.2, 0.3), center=(0.1, 0.2, 0))
        m.add_joint(f"place_{k}", joints.Planar(), carrier, body)
        sides.append(body.contour("edge", kinds()[name].contour, *OFFSETS[k]))
    m.add_contact(*sides, name="touch", search_distance=0.1, skin=0.1)
    return Assembly(m._records).core


def states(system: Any, s: Scenes) -> tuple[Array, Array]:
    rng = np.random.default_rng(7)
    n = len(s.g_N)
    parts = [rng.uniform(-1, 1, (n, system.nq - 6))]
    for poses, (at, turn) in zip((s.poses_1, s.poses_2), OFFSETS, strict=True):
        phi = poses[:, 2] - turn
        parts.append(np.column_stack([poses[:, :2] - rotated(np.array(at), phi), phi]))
    return np.hstack(parts), rng.uniform(-1, 1, (n, system.nu))


@pytest.mark.parametrize("tilted", [False, True], ids=["in the plane", "in a plane that turns"])
@pytest.mark.parametrize("pair", PAIRS, ids=" - ".join)
def test_contact_points_move_and_forces_with_them(pair: tuple[str, str], tilted: bool) -> None:
    a, b = (kinds()[name] for name in pair)
    s = scenes(a, b, N, zlib.crc32("-".join(pair).encode()), depth=0.05, height=0.5)
    if s is None:  # no contact
        return
    system = core(pair, tilted)
    q, u = states(system, s)
    rng = np.random.default_rng(3)
    smooth = ~near_knots(pair, s)
    for i in np.flatnonzero(smooth):
        p_1, p_2 = s.places_1, s.places_2
        feature = np.array([[p_1.feature[i], p_2.feature[i], p_1.sigma[i], p_2.sigma[i]]], float)
        udot, lambda_N, lambda_T = rng.normal(size=system.nu), rng.normal(), rng.normal()

        def outputs(y: Array, f: Any = feature, k: Any = (udot, lambda_N, lambda_T)) -> Array:
            q, u = y[: system.nq], y[system.nq :]
            c = system.follow_contact(
                0, [0.0], [q], [u], f[:, 0].astype(int), f[:, 1].astype(int), f[:, 2], f[:, 3]
            )
            W = np.column_stack([c["W_N"][0], c["W_T"][0]])
            M, h = system.mass_matrix(0.0, q), system.forces(0.0, q, u)
            return np.concatenate([M @ k[0] - h - W @ k[1:], W.T @ k[0] + c["w_bar"][0]])

        y = np.concatenate([q[i], u[i]])
        expected = np.stack(
            [sum(w / H * outputs(y + k * H * e) for k, w in STENCIL) for e in np.eye(y.size)], 1
        )
        slots = np.vstack([feature, np.full((system.nc - 1, 4), -1.0)])
        first = np.eye(system.nc)[0]
        found = system.jacobians(
            0.0, q[i], u[i], np.zeros(0), udot, lambda_N * first, lambda_T * first, np.zeros(0),
            np.zeros(0), slots,
        )  # fmt: skip
        value = np.vstack([found["residual"], found["gammadot"][[0, system.nc]]])
        # Differences lose 1e-16/h of numbers that grow near (4.35).
        size = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(value, expected, 0.0, 1e-6 * size)
