"""Dominoes in a row: the first one falls, and a wave runs through them."""

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
_NODES = 32  # of Gauss between two hits
_LONG = 1000  # dominoes, after which the wave is as fast as it gets in any case
_STEADY = 1e-12  # part of the time between two hits


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
    """Row of dominoes, of which the first one is pushed.

    ===========  =========================================================================
    coordinates  ``d1.x``, ``d1.y``, ``d1.z`` (m) and a quaternion of each
    velocities   of their centres, m/s, and ω along axes fixed in them, rad/s
    contacts     where they touch each other and the floor
    source       van Leeuwen (2010), Am. J. Phys. 78, 721
    ===========  =========================================================================

    The front of the first one is at x = 0; :func:`dominoes.times` and :func:`dominoes.speed` are
    what the wave does, for mu = 0.

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
    # About its lower edge in front.
    first = (0.5 * p.omega * p.h, 0.0, 0.5 * p.omega * p.d, 0.0, p.omega, 0.0)
    return m.build(initial=initial, velocities={"d1": first})


class _Train:
    """Dominoes that lean on each other, without friction, on feet that hold: one degree of freedom,
    the angle of the head. Energies over m, over the width and the density, that is."""

    def __init__(self, p: DominoesParameters) -> None:
        self.p = p
        self.pitch = p.s + p.d
        self.inertia = (p.h**2 + p.d**2) / 3.0
        self.hit = float(np.arcsin(p.s / p.h))
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        self.head = 0.5 * self.hit * (nodes + 1.0)
        self.weights = 0.5 * self.hit * weights

    def follower(self, front: Array) -> tuple[Array, Array]:
        """Angle of who leans on one at that angle, and its speed over that of the front one:
        h sin(θ - θ') = (s + d) cos θ' - d, and its derivative."""
        p = self.p
        lean = np.arcsin(np.clip((self.pitch * np.cos(front) - p.d) / p.h, -1.0, 1.0))
        return front + lean, 1.0 - self.pitch * np.sin(front) / (p.h * np.cos(lean))

    def along(self, head: Array, count: int) -> tuple[Array, Array]:
        """Sum of squared speeds, those over the head's, and potential energy, over upright ones."""
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
        """s, between the hits: of a head from upright to where it hits, then with one more."""
        p, rate = self.p, self.p.omega
        angles = np.concatenate([[0.0], self.head, [self.hit]])
        for count in itertools.count(1):
            speeds, potential = self.along(angles, count)
            energy = 0.5 * self.inertia * speeds[0] * rate**2 + potential[0]
            squared = 2.0 * (energy - potential) / (self.inertia * speeds)
            if not (squared > 0.0).all():
                raise ValueError(
                    f"dominoes: expected that all of them fall, got a push omega = {p.omega:g} "
                    f"that ends at the one numbered {count}"
                )
            yield float(self.weights @ (1.0 / np.sqrt(squared[1:-1])))
            # The new head is as fast as the old one: both touch at the same height.
            rate = float(np.sqrt(squared[-1]) * speeds[-1] / (speeds[-1] + 1.0))


@dominoes.evaluation
def times(**parameters: float) -> Array:
    """Return the times at which the second, third, ... domino is hit, s, shape (n - 1,).

    Those that have fallen lean on each other without friction, h sin(θ_i - θ_(i+1)) =
    (s + d) cos θ_(i+1) - d, on feet that do not slide: one degree of freedom, which keeps its
    energy between the hits. A hit is inelastic, and who leans goes on leaning: of the head's speed
    there remains S/(S + 1), S the sum of all squared speeds over the head's.

    Source: the train of van Leeuwen (2010), Am. J. Phys. 78, 721, without friction. It is what the
    laws of impact with e_N = 0 say, as long as all of these contacts push; feet hold where mu_floor
    is above h/(3 d), which is what the impulse at the top of an upright domino needs.

    Raises
    ------
    ValueError
        For an unknown parameter, and a push that is too small.
    """
    p = from_keywords(DominoesParameters, parameters)
    return np.cumsum(list(itertools.islice(_Train(p).intervals(), p.n - 1)))


@dominoes.evaluation
def speed(**parameters: float) -> float:
    """Return the speed of the wave far from its start, m/s.

    Independent of the push, and for shape and spacing alone proportional to √(g h). Source and
    assumptions: :func:`dominoes.times`.

    Raises
    ------
    ValueError
        For an unknown parameter, and a push that is too small.
    """
    p = from_keywords(DominoesParameters, parameters)
    last = np.inf
    for time in itertools.islice(_Train(p).intervals(), _LONG):
        if abs(time - last) < _STEADY * time:
            break
        last = time
    return (p.s + p.d) / time
