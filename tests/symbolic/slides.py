"""An element in a system from energies, and between bodies of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import nsmb
from nsmb import symbolic
from nsmb.symbolic import Element

NAMES = ("a", "b", "c")
MASSES = (1.3, 0.7, 0.4)
Make = Callable[..., Element]


def by_energies(make: Make, n: int = 1, weight: Sequence[float] = (), **start: float) -> Any:
    """Return n slides without springs, with the element `make(q, u)`."""
    q = symbolic.coordinates(" ".join(NAMES[:n]))
    q = q if n > 1 else (q,)
    u = tuple(x.velocity for x in q)
    pull = [*weight, *[0.0] * n][:n]
    return symbolic.LagrangianSystem(
        list(q),
        sum(m * v**2 / 2 for m, v in zip(MASSES, u, strict=False)),
        sum(m * g * x for m, g, x in zip(MASSES, pull, q, strict=False)),
        elements=[make(q, u)],
        initial={x: start.get(str(x), 0.0) for x in q} | {v: start.get(str(v), 0.0) for v in u},
    )


def by_bodies(make: Make, n: int = 1, weight: Sequence[float] = (), **start: float) -> Any:
    """Return the slides as bodies on prismatic joints."""
    at = symbolic.Places(coordinates=n)
    m = nsmb.Model()
    pull = [*weight, *[0.0] * n][:n]
    for k, name in enumerate(NAMES[:n]):
        body = m.add_body(name, mass=MASSES[k], inertia=1e-3)
        m.add_joint(name, nsmb.joints.Prismatic((1, 0)), m.ground, body, at=(0, k))
    weights = [-MASSES[k] * pull[k] for k in range(n)]
    element = symbolic.BodyForce(at, joint_forces=weights, elements=[make(at.q, at.u)])
    m.add_user_force("element", element, coordinates=list(NAMES[:n]))
    return m.build(
        {name: start.get(name, 0.0) for name in NAMES[:n]},
        {name: start.get(f"{name}_dot", 0.0) for name in NAMES[:n]},
    )


def move_alike(make: Make, t_end: float, n: int = 1, **given: Any) -> Any:
    """Return the run of the system from energies, which agrees with the model to 1e-9."""
    one, two = (
        nsmb.simulate(build(make, n, **given), t_end, rtol=1e-12)
        for build in (by_energies, by_bodies)
    )
    assert one.success, one.message
    assert two.success, two.message
    for mine, theirs in ((one.q, two.q), (one.u, two.u)):
        size = 1.0 + np.abs(mine).max()
        np.testing.assert_allclose(theirs[-1], mine[-1], rtol=0.0, atol=1e-9 * size)
    return one
