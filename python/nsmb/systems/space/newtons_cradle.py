"""Newton's cradle: a row of balls, and the predictions of impact laws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb import geometry
from nsmb.geometry import Frame
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.systems._recommended import POISSON

__all__ = ["NewtonsCradleParameters", "newtons_cradle"]

_TOY = "chosen: the size of the toy"
_CLOSED = "chosen: closed form"
_ACROSS = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
_UPRIGHT = Frame((0, 0, 0), [[1, 0, 0], [0, 0, -1], [0, 1, 0]])


@dataclass(frozen=True, kw_only=True)
class NewtonsCradleParameters(Parameters):
    """Data of the cradle."""

    n: int = parameter(5, "-", "number of balls", _TOY, positive=True)
    k: int = parameter(1, "-", "balls that are let go", _TOY, positive=True)
    m: float = parameter(0.05, "kg", "mass of a ball", _TOY, positive=True)
    R: float = parameter(0.0115, "m", "its radius", _TOY, positive=True)
    l: float = parameter(0.12, "m", "length of the threads to its centre", _TOY, positive=True)
    gap: float = parameter(1e-5, "m", "between two balls that hang; 0: they touch", _CLOSED)
    phi: float = parameter(0.6, "rad", "angle at which balls are let go", _CLOSED, positive=True)
    e_N: float = parameter(1.0, "-", "restitution coefficient", _CLOSED)
    g: float = parameter(9.81, "m/s²", "gravity", _TOY, positive=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n < 2:
            raise ValueError(f"parameter 'n': expected two balls at least, got {self.n}")
        if self.k >= self.n:
            raise ValueError(f"parameter 'k': expected less than n = {self.n}, got {self.k}")
        if self.gap < 0.0:
            raise ValueError(f"parameter 'gap': expected a number >= 0, got {self.gap:g}")
        if self.l <= self.R:
            raise ValueError(f"parameter 'l': expected more than R = {self.R:g}, got {self.l:g}")


def _upright(half: float, low: float, high: float) -> geometry.Polygon:
    return geometry.Polygon([(-half, low), (half, low), (half, high), (-half, high)])


@parametric(NewtonsCradleParameters, recommended=POISSON)
def newtons_cradle(p: NewtonsCradleParameters) -> MultibodySystem:
    """Row of balls on threads, some of which are released.

    ===========  =========================================================================
    coordinates  ``ball_1`` to ``ball_n``, angles of the threads, rad, to the right
    contacts     ``1-2`` to ``n-1-n``, without friction
    source       chosen: closed form
    ===========  =========================================================================

    If the balls touch, there is a single impact. The Newton, Moreau and Poisson laws agree that all
    balls that were hit leave together. With any gap, however small, the impacts follow one another,
    and only the last balls leave. See :func:`newtons_cradle.velocities`.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, 0, -p.g), name="newtons_cradle")
    pitch, thread = 2.0 * p.R + p.gap, 0.02 * p.R
    law = ContactLaw(e_N=p.e_N)
    initial, last = {}, None
    for i in range(p.n):
        name = f"ball_{i + 1}"
        ball = m.add_body(name, mass=p.m, inertia=0.4 * p.m * p.R**2 * np.ones(3))
        place = (pitch * (i - 0.5 * (p.n - 1)), 0.0, 0.0)
        m.add_joint(name, joints.Revolute((0, -1, 0)), m.ground, ball, at=place, at_2=(0, 0, p.l))
        # Tangents are defined by the frame, whose axis is a direction in which balls do not meet.
        skin = ball.shape("skin", geometry.Sphere(p.R), at=Frame((0, 0, 0), _ACROSS))
        ball.outline("thread", _upright(thread, p.R, p.l), at=_UPRIGHT)
        if last is not None:
            m.add_contact(last, skin, law, name=f"{i}-{i + 1}")
        initial[name] = -p.phi if i < p.k else 0.0
        last = skin
    m.ground.outline("rail", _upright(0.5 * pitch * p.n, 0.0, 0.3 * p.R), at=_UPRIGHT)
    return m.build(initial=initial)


@newtons_cradle.evaluation
def velocities(**parameters: float) -> NDArray[np.float64]:
    """Return the velocities of the balls after the first impacts, m/s, positive to the right.

    Shape (n,).

    The k released balls have the velocity v with v² (1 + 2/5 (R/l)²) = 2 g l (1 - cos φ).

    - If the balls touch, k balls hit n - k balls in one impact. All balls that were hit leave
      together with k (1 + e_N) v/n, and the others keep (k - (n - k) e_N) v/n. For the Newton and
      Moreau laws, each contact, even a resting one, restores e_N times its velocity. For the
      Poisson law, each contact restores a fraction e_N of its compression impulse, at the end of
      which all balls have k v/n (Λ_C = (n - j) k v m/n right of ball j >= k). The result is the
      same.
    - With a small gap and k = 1, ball j hits the next one and keeps (1 - e_N)/2 of its velocity,
      and the next one gets (1 + e_N)/2 of it. After this wave, ball j < n has the velocity
      (1 - e_N)/2 ((1 + e_N)/2)^(j-1) v, and the last one ((1 + e_N)/2)^(n-1) v. For e_N = 1 the
      last k balls leave with v, and all others rest.

    A gap is small if gravity is negligible while the wave passes, gap << l.

    Raises
    ------
    ValueError
        If a parameter is unknown; with a gap, for several released balls and e_N < 1.
    """
    p = from_keywords(NewtonsCradleParameters, parameters)
    v = np.sqrt(2.0 * p.g * p.l * (1.0 - np.cos(p.phi)) / (1.0 + 0.4 * (p.R / p.l) ** 2))
    was_hit = np.arange(p.n) >= p.k
    if p.gap == 0.0:
        kept = (p.k - (p.n - p.k) * p.e_N) / p.n
        return np.asarray(v * np.where(was_hit, p.k * (1.0 + p.e_N) / p.n, kept))
    if p.e_N == 1.0:
        return np.asarray(v * (np.arange(p.n) >= p.n - p.k))
    if p.k > 1:
        raise ValueError(f"k: expected one ball where e_N = {p.e_N:g} is below 1, got {p.k}")
    share = 0.5 * (1.0 + p.e_N)
    wave = share ** np.arange(p.n)
    wave[:-1] *= 1.0 - share
    return np.asarray(v * wave)
