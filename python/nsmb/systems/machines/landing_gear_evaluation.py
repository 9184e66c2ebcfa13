"""Forces in the undercarriages of a landing airplane during a run."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_column
from nsmb.events.enums import ContactState
from nsmb.solution.sample import Sample
from nsmb.solution.solution import Solution
from nsmb.system import System
from nsmb.system.parametric import data_of
from nsmb.systems.machines.landing_gear import landing_gear
from nsmb.systems.machines.landing_gear_airframe import Airframe
from nsmb.systems.machines.landing_gear_airframe import airframe as build_airframe
from nsmb.systems.machines.landing_gear_data import GEARS, LandingGearParameters, Strut
from nsmb.systems.machines.landing_gear_equations import SLIP_CURVE

__all__ = ["LandingGearForces"]

Vector = NDArray[np.float64]

_data = functools.partial(data_of, LandingGearParameters, "a landing_gear")

_OPEN, _STICK = int(ContactState.OPEN), int(ContactState.STICK)


@dataclass(frozen=True, eq=False)
class LandingGearForces:
    """Forces of one leg over time, each of shape (n,); strut forces are positive in compression."""

    t: Vector
    """Times, s."""
    stroke: Vector
    """Stroke Δy, m (14.89)."""
    rate: Vector
    """Rate of the stroke, m/s."""
    gas: Vector
    """Gas force, N, first term of (14.86)."""
    oil: Vector
    """Oil force, N, second term of (14.86)."""
    friction: Vector
    """Friction force F_C, N; the constraint force while the guide sticks."""
    bound: Vector
    """Bound of the friction force, N, (14.87), (14.88)."""
    stop: Vector
    """Force of the stops, N, positive at the upper stop, negative at the lower one."""
    tyre: Vector
    """Tyre load F_R, N (14.64)."""
    slip: Vector
    """Slip ratio SR (14.67)."""
    wheel: Vector
    """Force F_Sp of the ground on the wheel, N, against the flight direction (14.66)."""
    blocked: NDArray[np.bool_]
    """True where the guide sticks or a stop is closed."""

    @property
    def strut(self) -> Vector:
        """Strut force F_1, N (14.85), including the stops, shape (n,)."""
        return self.gas + self.oil + self.friction + self.stop


@landing_gear.evaluation
def forces(solution: Solution, t: ArrayLike | None = None) -> dict[str, LandingGearForces]:
    """Return the forces of a run in the legs ``main``, one of two, and ``nose``.

    Parameters
    ----------
    solution : Solution
    t : (n,) array_like, optional
        Times, s; default: the samples, including the states before and after each event.

    Returns
    -------
    dict of str to LandingGearForces

    Raises
    ------
    ValueError
        If the run is of another system, or a time is outside of the run.
    """
    p = _data("solution.system", solution.system)
    at: Solution | Sample = solution
    if t is not None:
        at = solution.at(as_column("t", t))
    return {gear.name: _leg(p, build_airframe(p), gear, at, solution) for gear in GEARS}


@landing_gear.evaluation
def airframe(system: System) -> Airframe:
    """Return mass and stiffness matrices and rows of the Jacobians of the airplane.

    Raises
    ------
    ValueError
        If the system is of another kind.
    """
    return build_airframe(_data("system", system))


def _leg(
    p: LandingGearParameters, made: Airframe, gear: Strut, at: Solution | Sample, run: Solution
) -> LandingGearForces:
    i, n, names = gear.index, gear.count, made.coordinates
    hinge, axle = made.rows[f"hinge_{i}"], made.rows[f"axle_{i}"]
    low, spin = names.index(f"y_2{i}"), names.index(f"phi_{i}")
    stroke, rate = at.q @ hinge - at.q[:, low], at.u @ hinge - at.u[:, low]
    way = 2.0 * np.pi * (at.q[:, 0] + getattr(p, f"x_1{i}")) / p.l_r
    pressed = at.q[:, low] + 0.5 * p.h_r * (1.0 - np.cos(way))  # (14.65)
    slip = 1.0 - at.u[:, spin] * (getattr(p, f"r_{i}") - pressed) / (at.u @ axle)  # (14.67)
    load = tyre_load(p, i, pressed)
    wheel = p.mu_Sp * _curve(slip) * load
    k, l_g, a_g = (getattr(p, f"{name}{i}") for name in ("k_", "l_g", "a_g"))
    across = np.abs(k * load + gear.rake * wheel) / np.hypot(1.0, k)
    contacts = {name: j for j, name in enumerate(run.contact_names)}
    tangents = {name: j for j, name in enumerate(run.tangent_names)}
    places = [contacts[f"{gear.name}_{what}"] for what in ("lower", "upper", "guide")]
    lower, upper = (at.lambda_N[:, j] / n for j in places[:2])
    state = at.contact_state[:, places]
    return LandingGearForces(
        t=np.asarray(at.t), stroke=stroke, rate=rate,
        gas=gas_force(p, i, stroke), oil=oil_force(p, i, rate),
        friction=-at.lambda_T[:, tangents[f"{gear.name}_guide"]] / n,
        bound=p.mu_G * (l_g + a_g) / (l_g - a_g) * across, stop=upper - lower,
        tyre=load, slip=slip, wheel=wheel,
        blocked=(state[:, :2] != _OPEN).any(axis=1) | (state[:, 2] == _STICK),
    )  # fmt: skip


def gas_force(p: LandingGearParameters, i: str, stroke: Vector) -> Vector:
    """Return K p_L1 as a function of the stroke, (14.78), (14.79), (14.84)."""
    K, V_1, V_2, p_1, p_2 = (
        getattr(p, f"{name}{i}") for name in ("K_", "V_1", "V_2", "p_1", "p_2")
    )
    left = V_1 * (p_1 / p_2) ** (1.0 / p.n_p)
    change = (V_1 - left) / K  # (14.79)
    both = left + V_2
    first = p_1 / (1.0 - K * np.minimum(stroke, change) / V_1) ** p.n_p
    second = p_2 / (1.0 - K * np.maximum(stroke - change, 0.0) / both) ** p.n_p
    return np.asarray(K * np.where(stroke < change, first, second))


def oil_force(p: LandingGearParameters, i: str, rate: Vector) -> Vector:
    """Return λ Δẏ² sign Δẏ, (14.75), (14.76)."""
    factor = np.where(rate > 0.0, getattr(p, f"oil_in{i}"), getattr(p, f"oil_out{i}"))
    return np.asarray(factor * rate * np.abs(rate))


def tyre_load(p: LandingGearParameters, i: str, pressed: Vector) -> Vector:
    """Return F_R as a function of the compression (14.64)."""
    c = [getattr(p, f"c_{k}{i}") for k in (1, 2, 3)]
    ends = [0.0, getattr(p, f"s_1{i}"), getattr(p, f"s_2{i}"), np.inf]
    pieces = zip(c, ends[:-1], ends[1:], strict=True)
    return np.asarray(sum(k * np.clip(pressed - a, 0.0, b - a) for k, a, b in pieces))


def _curve(slip: Vector) -> Vector:
    """Return the fraction of the largest coefficient (Fig. 14.24)."""
    from scipy.interpolate import PchipInterpolator

    places, shares = np.array(SLIP_CURVE).T
    curve = PchipInterpolator(places, shares)
    return np.asarray(np.sign(slip) * curve(np.minimum(np.abs(slip), places[-1])))
