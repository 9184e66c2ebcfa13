"""Random systems for Hypothesis (``pip install hypothesis``).

Every system starts without penetration. Examples shrink to the simplest system that still fails.
Errors of :func:`nsmb.testing.assert_valid` contain a script of this system.

Examples
--------
>>> import hypothesis
>>> import nsmb
>>> from nsmb import testing
>>> from nsmb.testing import strategies
>>> @hypothesis.settings(max_examples=5, deadline=None, derandomize=True)
... @hypothesis.given(strategies.linear_systems())
... def test_own_law(system):
...     testing.assert_valid(nsmb.simulate(system, 0.2))
>>> test_own_law()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nsmb import geometry
from nsmb.common.extras import import_extra
from nsmb.multibody import Model, joints
from nsmb.system.base import State, System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.linear import Force, Harmonic, LinearSystem
from nsmb.system.options import EventDriven

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

st: Any = import_extra("hypothesis.strategies", "")

__all__ = ["bodies", "laws", "linear_systems", "methods", "point_masses"]


def laws(mu: float = 1.0, e_N: float = 0.9) -> SearchStrategy[ContactLaw]:
    """Return a strategy for contact laws with friction up to `mu` and restitution up to `e_N`."""
    strategy: SearchStrategy[ContactLaw] = st.builds(
        ContactLaw, mu=_numbers(0.0, mu), e_N=_numbers(0.0, e_N)
    )
    return strategy


def methods() -> SearchStrategy[EventDriven]:
    """Return a strategy for methods with any impact law, tolerance, and general integrator."""
    strategy: SearchStrategy[EventDriven] = st.builds(
        EventDriven,
        rtol=st.sampled_from([1e-8, 1e-6, 1e-10]),
        integrator=st.sampled_from(["auto", "dp853"]),
        impact_law=st.sampled_from(["poisson", "moreau", "newton"]),
    )
    return strategy


def _numbers(low: float, high: float) -> Any:
    """Return a strategy for numbers with few digits, so that failing examples are readable."""
    return st.integers(0, 1000).map(lambda k: low + (high - low) * k / 1000.0)


def linear_systems(
    max_coordinates: int = 4,
    max_contacts: int = 3,
    *,
    mu: float = 0.8,
    e_N: float = 0.8,
    driven: bool = True,
) -> SearchStrategy[LinearSystem]:
    """Return a strategy for linear systems with planar contacts in any directions.

    Parameters
    ----------
    max_coordinates, max_contacts : int
        Maximum numbers of coordinates and contacts.
    mu, e_N : float
        Largest coefficients of friction and restitution. All contacts of a system have the same
        restitution, so that the Poisson impact law creates no energy (8.57).
    driven : bool
        Include harmonic loads. Without them, energy never increases.
    """
    strategy: SearchStrategy[LinearSystem] = st.composite(_linear_system)(
        max_coordinates, max_contacts, mu, e_N, driven
    )
    return strategy


def _linear_system(
    draw: DrawFn, max_coordinates: int, max_contacts: int, mu: float, e_N: float, driven: bool
) -> LinearSystem:
    n, k = draw(st.integers(1, max_coordinates)), draw(st.integers(1, max_contacts))
    entries = st.lists(_numbers(-1.0, 1.0), min_size=n, max_size=n)

    def direction() -> np.ndarray[Any, np.dtype[np.float64]]:
        vector = np.array(draw(entries))
        norm = float(np.linalg.norm(vector))
        return np.eye(n)[0] if norm < 0.1 else vector / norm

    masses = [draw(_numbers(0.2, 5.0)) for _ in range(n)]
    springs = [draw(st.sampled_from([0.0, 10.0, 100.0])) for _ in range(n)]
    q, u = np.array(draw(entries)) * 0.2, np.array(draw(entries))
    e, contacts, towards = draw(_numbers(0.0, e_N)), [], np.zeros(n)
    for _ in range(k):
        w_N = direction()
        w_T = direction() if n > 1 and draw(st.booleans()) else None
        distance = draw(st.sampled_from([0.0, 0.1, 0.01]))
        law = ContactLaw(mu=0.0 if w_T is None else draw(_numbers(0.0, mu)), e_N=e)
        contacts.append(Contact(w_N=w_N, w_T=w_T, gap=distance - float(w_N @ q), law=law))
        towards += w_N
    weight = -9.81 * np.array(masses) * towards
    harmonics = []
    if driven and draw(st.booleans()):
        harmonics = [Harmonic(10.0 * direction(), draw(_numbers(1.0, 30.0)))]
    return LinearSystem(
        np.diag(masses),
        np.diag(springs),
        force=Force(constant=weight, harmonics=harmonics),
        contacts=contacts,
        initial_state=State(0.0, q, u),
    )


def point_masses(*, mu: float = 0.8, e_N: float = 0.8) -> SearchStrategy[LinearSystem]:
    """Return a strategy for a point mass in space above a plane, which may be inclined.

    The contact has friction in the plane."""
    strategy: SearchStrategy[LinearSystem] = st.composite(_point_mass)(mu, e_N)
    return strategy


def _point_mass(draw: DrawFn, mu: float, e_N: float) -> LinearSystem:
    slope, height = draw(_numbers(0.0, 0.8)), draw(st.sampled_from([0.0, 0.1]))
    law = draw(laws(mu, e_N))
    plane = Contact(w_N=[0, 0, 1], w_T=[[1, 0], [0, 1], [0, 0]], law=law, name="plane")
    u = [draw(_numbers(-2.0, 2.0)) for _ in range(3)]
    if height == 0.0:
        u[2] = min(u[2], 0.0)
    return LinearSystem(
        np.eye(3),
        force=[9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)],
        contacts=[plane],
        coordinates=["x", "y", "z"],
        initial_state=State(0.0, np.array([0.0, 0.0, height]), np.array(u)),
    )


def bodies(max_bodies: int = 2, *, mu: float = 0.8, e_N: float = 0.6) -> SearchStrategy[System]:
    """Return a strategy for planar discs and boxes that fall onto a floor without touching.

    Parameters
    ----------
    max_bodies : int
        Maximum number of bodies.
    mu, e_N : float
        As for :func:`linear_systems`.
    """
    strategy: SearchStrategy[System] = st.composite(_bodies)(max_bodies, mu, e_N)
    return strategy


def _bodies(draw: DrawFn, max_bodies: int, mu: float, e_N: float) -> System:
    model = Model(gravity=(0, -9.81), name="bodies over a floor")
    floor = model.ground.contour("floor", geometry.Line())
    law = draw(laws(mu, e_N))
    start, speed = {}, {}
    for k in range(draw(st.integers(1, max_bodies))):
        size, mass = draw(st.sampled_from([0.1, 0.05])), draw(_numbers(0.2, 5.0))
        shape: geometry.Contour = geometry.Circle(size)
        inertia, radius = 0.5 * mass * size**2, size
        if draw(st.booleans()):
            corners = size * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
            shape, inertia, radius = geometry.Polygon(corners), mass * size**2 * 2 / 3, 1.5 * size
        body = model.add_body(f"body{k}", mass=mass, inertia=inertia)
        model.add_joint(f"joint{k}", joints.Planar(), model.ground, body)
        model.add_contact(floor, body.contour("rim", shape), law, name=f"floor{k}")
        height = radius + draw(_numbers(0.0, 0.3))
        start[f"joint{k}"] = [1.0 * k, height, draw(_numbers(-3.0, 3.0))]
        speed[f"joint{k}"] = [draw(_numbers(-1.0, 1.0)), 0.0, draw(_numbers(-5.0, 5.0))]
    return model.build(start, speed)
