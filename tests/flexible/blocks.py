"""Flexible bodies for tests, and quadrature that is independent of the package."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import nsmb
from nsmb import flexible

Array = NDArray[np.float64]
L, H = 2.0, 1.0
CORNERS = ((L, 0.0), (L, H), (0.0, H), (0.0, 0.0))
"""Nodes 1 to 4 of the block in section 4.4 of the thesis, in its order."""


def block(
    E: float = 1000.0,
    state: str = "stress",
    size: tuple[float, float] = (L, H),
    density: float = 2.0,
    **damping: object,
) -> nsmb.flexible.FlexibleBody:
    """Return one bilinear element with frame at node 4, x-axis through node 1, q_e of (4.21)."""
    nodes = np.array(CORNERS) / (L, H) * size
    mesh = flexible.Mesh(nodes, [(3, 0, 1, 2)], "quad")
    elements = flexible.plane(mesh, E=E, nu=0.3, density=density, state=state)
    return flexible.unreduced(elements, flexible.NodalFrame(3, along=0), **damping)


def free_block(body: nsmb.flexible.FlexibleBody, **options: object) -> nsmb.MultibodySystem:
    """Return a model of a free body."""
    m = nsmb.Model()
    joint = nsmb.joints.Planar() if body.is_planar else nsmb.joints.Free()
    m.add_joint("free", joint, m.ground, m.add_elastic_body("body", body))
    return m.build(**options)


def shapes_at(x: float, y: float) -> Array:
    """Return S of (4.21)-(4.23), shape (2, 5)."""
    N = [x / L * (1 - y / H), x / L * y / H, (1 - x / L) * y / H]
    return np.array([[N[0], N[1], 0.0, N[2], 0.0], [0.0, 0.0, N[1], 0.0, N[2]]])


def quadrature() -> list[tuple[float, Array, Array]]:
    """Return dm, position (2,) and S (2, 5) at Gauss points, exact for the integrals here."""
    xi, w = np.polynomial.legendre.leggauss(3)
    return [
        (2.0 * L * H * a * b / 4.0, np.array([x, y]), shapes_at(x, y))
        for x, a in zip(0.5 * L * (xi + 1.0), w, strict=True)
        for y, b in zip(0.5 * H * (xi + 1.0), w, strict=True)
    ]


def brick(seed: int = 3, n: int = 4) -> nsmb.flexible.FlexibleBody:
    """Return one hexahedron with n modes about principal axes."""
    mesh = flexible.Mesh.box((1.0, 0.4, 0.3), (1, 1, 1))
    elements = flexible.solid(mesh, E=2e5, nu=0.3, density=900.0)
    return flexible.reduce(elements, n, frame=flexible.PrincipalAxes())


def bar(n: int = 40, **options: object) -> flexible.FiniteElements:
    """Return a bar of 2 m by 0.2 m of quads."""
    given = {"E": 1e7, "nu": 0.3, "density": 1000.0, "thickness": 0.1} | options
    return flexible.plane(flexible.Mesh.rectangle(2.0, 0.2, n, max(n // 10, 1)), **given)
