"""A row of dominoes: the first one falls, and a wave runs through the row."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.systems._recommended import in_steps

__all__ = ["DominoesParameters", "dominoes"]

Array = NDArray[np.float64]

_LEEUWEN = "van Leeuwen (2010), chosen as there"
_NODES = 32  # Gauss points between two hits
_LONG = 1000  # dominoes, after which the speed of the wave is constant in all cases
_STEADY = 1e-12  # relative change of the time between two hits


@dataclass(frozen=True, kw_only=True)
class DominoesParameters(Parameters):
    """Data of the row."""

    n: int = parameter(15, "-", "number of dominoes", "chosen", positive=True)
    h: float = parameter(0.048, "m", "height", _LEEUWEN, positive=True)
    d: float = parameter(0.0075, "m", "thickness", _LEEUWEN, positive=True)
    w: float = parameter(0.024, "m", "width", "chosen: half the height", positive=True)
    s: float = parameter(0.02, "m", "distance between two of them", "chosen", positive=True)
    rho: float = parameter(1200.0, "kg/m³", "density", "chosen: cancels out", positive=True)
    mu: float = parameter(0.0, "-", "friction between dominoes", "chosen: closed form")
    mu_floor: float = parameter(3.0, "-", "friction with the floor", "chosen: feet do not slide")
    g: float = parameter(9.81, "m/s²", "gravity", _LEEUWEN, positive=True)
    omega: float = parameter(6.0, "rad/s", "ω of the first one at the start", "chosen: it falls")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n < 2:
            raise ValueError(f"parameter 'n': expected two dominoes at least, got {self.n}")
        if self.s >= self.h:
            raise ValueError(f"parameter 's': expected less than h = {self.h:g}, got {self.s:g}")


@parametric(DominoesParameters, recommended=in_steps(5e-4, 0.6))
def dominoes(p: DominoesParameters) -> MultibodySystem:
    """Row of dominoes, the first of which is pushed.

    ===========  =========================================================================
    coordinates  ``d1.x``, ``d1.y``, ``d1.z`` (m) and a quaternion of each
    velocities   of their centres, m/s, and ω along axes fixed in them, rad/s
    contacts     where they touch one another and the floor
    source       van Leeuwen (2010), Am. J. Phys. 78, 721
    ===========  =========================================================================

    The front of the first one is at x = 0. :func:`dominoes.times` and :func:`dominoes.speed` return
    properties of the wave for mu = 0.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, 0, -p.g), name="dominoes")
    m.ground.shape("floor", geometry.HalfSpace(), material="floor")
    box = geometry.Box((p.d, p.w, p.h))
    initial = {}
    for i in range(p.n):
        name = f"d{i + 1}"
        body = m.add_solid(name, box, p.rho, material="domino")
        m.add_joint(name, joints.Free(), m.ground, body)
        initial[name] = ((p.s + p.d) * i - 0.5 * p.d, 0.0, 0.5 * p.h, 1.0, 0.0, 0.0, 0.0)
    m.collide(ContactLaw(mu=p.mu), ("domino", "domino"))
    m.collide(ContactLaw(mu=p.mu_floor), ("domino", "floor"))
    # Rotation about its lower front edge.
    first = (0.5 * p.omega * p.h, 0.0, 0.5 * p.omega * p.d, 0.0, p.omega, 0.0)
    return m.build(initial=initial, velocities={"d1": first})


class _Train:
    """A train of leaning dominoes with one degree of freedom, the angle of the head.

    There is no friction between dominoes, and their feet do not slide. Energies are per mass, that
    is, per width and density.
    """

    def __init__(self, p: DominoesParameters) -> None:
        self.p = p
        self.pitch = p.s + p.d
        self.inertia = (p.h**2 + p.d**2) / 3.0
        self.hit = float(np.arcsin(p.s / p.h))
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        self.head = 0.5 * self.hit * (nodes + 1.0)
        self.weights = 0.5 * self.hit * weights

    def follower(self, front: Array) -> tuple[Array, Array]:
        """Return the angle of a domino that leans on one at a given angle, and the speed ratio.

        The angle follows from h sin(θ - θ') = (s + d) cos θ' - d, the ratio from its derivative.
        """
        p = self.p
        lean = np.arcsin(np.clip((self.pitch * np.cos(front) - p.d) / p.h, -1.0, 1.0))
        return front + lean, 1.0 - self.pitch * np.sin(front) / (p.h * np.cos(lean))

    def along(self, head: Array, count: int) -> tuple[Array, Array]:
        """Return the sum of squared speeds over that of the head, and the potential energy
        change."""
        speeds, potential = np.zeros_like(head), np.zeros_like(head)
        angle, speed = np.array(head), np.ones_like(head)
        for _ in range(count):
            speeds += speed**2
            potential += (
                0.5 * self.p.g * (self.p.h * (np.cos(angle) - 1.0) + self.p.d * np.sin(angle))
            )
            angle, factor = self.follower(angle)
            speed = speed * factor
        return speeds, potential

    def intervals(self) -> Iterator[float]:
        """Yield the times between hits, s, each for one more domino in the train."""
        p, rate = self.p, self.p.omega
        angles = np.concatenate([[0.0], self.head, [self.hit]])
        for count in itertools.count(1):
            speeds, potential = self.along(angles, count)
            energy = 0.5 * self.inertia * speeds[0] * rate**2 + potential[0]
            squared = 2.0 * (energy - potential) / (self.inertia * speeds)
            if not (squared > 0.0).all():
                raise ValueError(
                    f"`omega`: must be large enough for all dominoes to fall, got {p.omega:g}; "
                    f"the wave stops at domino {count}"
                )
            yield float(self.weights @ (1.0 / np.sqrt(squared[1:-1])))
            # After the hit both have the same speed, because they touch at the same height.
            rate = float(np.sqrt(squared[-1]) * speeds[-1] / (speeds[-1] + 1.0))


@dominoes.evaluation
def times(**parameters: float) -> Array:
    """Return the times at which the second, third, ... domino is hit, s, shape (n - 1,).

    The fallen dominoes lean on one another without friction, h sin(θ_i - θ_(i+1)) = (s + d) cos
    θ_(i+1) - d, and their feet do not slide. This train has one degree of freedom and conserves its
    energy between hits. Hits are inelastic, and the dominoes stay in contact. The speed of the head
    is reduced by the factor S/(S + 1), where S is the sum of all squared speeds relative to the
    head.

    Source: the train of van Leeuwen (2010), Am. J. Phys. 78, 721, without friction. It agrees with
    the impact laws for e_N = 0 as long as all contacts push. Feet do not slip if mu_floor exceeds
    h/(3 d), which the impulse at the top of an upright domino requires.

    Raises
    ------
    ValueError
        If a parameter is unknown, or the push is too small.
    """
    p = from_keywords(DominoesParameters, parameters)
    return np.cumsum(list(itertools.islice(_Train(p).intervals(), p.n - 1)))


@dominoes.evaluation
def speed(**parameters: float) -> float:
    """Return the speed of the wave far from its start, m/s.

    It is independent of the push, and for given shape and spacing proportional to √(g h). For
    source and assumptions, see :func:`dominoes.times`.

    Raises
    ------
    ValueError
        If a parameter is unknown, or the push is too small.
    """
    p = from_keywords(DominoesParameters, parameters)
    last = np.inf
    for time in itertools.islice(_Train(p).intervals(), _LONG):
        if abs(time - last) < _STEADY * time:
            break
        last = time
    return (p.s + p.d) / time
