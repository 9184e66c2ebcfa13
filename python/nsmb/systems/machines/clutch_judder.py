"""Judder of a friction clutch while a car starts: section 13.2 of Pfeiffer & Glocker."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.pictures.scene import ContactFrame, Scene
from nsmb.system import System
from nsmb.system.contacts import Friction
from nsmb.system.parametric import parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._blocks import UP, Part, parts_scene
from nsmb.systems._chains import Chain
from nsmb.systems.machines.clutch_data import ClutchJudderParameters, DriveTrain, drive_train

__all__ = ["clutch_judder", "wheels_speed"]

Vector = NDArray[np.float64]

_SHARED = (
    "b_0", "b_1", "t_C", "omega_0", "k_in", "d_in", "s_in_3", "s_in_6", "phi_in_3", "phi_in_6",
    "T_ST", "T_SL", "k_r", "r_m", "s_Mot", "s_CL", "phi_CL", "s_GR", "s_CA_1", "s_CA_2",
    "phi_CA_1", "phi_CA_2", "omega_A",
)  # fmt: skip


@parametric(
    ClutchJudderParameters,
    recommended=Recommended(t_end=5.0),
    sets={"long_slip": {"b_0": 0.15, "k_in": 0.0}},
    evaluations="nsmb.systems.machines.clutch_results",
)
def clutch_judder(p: ClutchJudderParameters) -> System:
    """Drive train of a car with two to nine torsional masses and a closing clutch that judders.

    ===========  =========================================================================
    coordinates  ``phi_1``, angle of the crankshaft, and ``theta_2`` to ``theta_n``, of each mass
                 relative to the previous one, all at the engine shaft (rad): flywheel; disc,
                 gearbox input, gearbox output, pinion, differential, wheels; car
    contacts     ``clutch``, friction without gap between flywheel and disc, slip r_m ω_r (m/s)
    sets         ``long_slip``: the clutch slips twice as long, and the sensitivities of the source
                 hold during the whole start
    source       Pfeiffer & Glocker, section 13.2, (13.8)-(13.20); all data chosen
    ===========  =========================================================================

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    ImportError
        If SymPy or llvmlite is not installed (``pip install nsmb[symbolic]``).
    """
    train = drive_train(p)
    sizes = 0 if train.engine is None else len(train.engine), len(train.driven)
    system = _template(*sizes, train.is_car_apart).with_parameters(**_values(p, train))
    system.scene = _scene(train.disc, system.nq)
    return system


# ---- numbers ------------------------------------------------------------------------------------


def _values(p: ClutchJudderParameters, train: DriveTrain) -> dict[str, float]:
    """Return the parameters of :func:`_template`: masses and springs of (13.8), initial state."""
    chains = [train.driven] if train.engine is None else [train.engine, train.driven]
    I = np.concatenate([chain.I for chain in chains])
    if train.is_car_apart:
        I = np.append(I, p.J_car)
        I[-2] -= p.J_car
    values = {name: float(getattr(p, name)) for name in _SHARED}
    values["T_out"] = p.k_out / p.ratio
    values["k_T"] = p.r * p.k_s / p.ratio
    values["omega_T"] = p.v_min * p.ratio / p.r
    values["omega_J"] = float(2.0 * math.pi * train.driven.frequencies()[1])
    columns = {"I": I, "q": None, "u": None}
    columns["c"], columns["d"] = (
        np.concatenate([getattr(chain, key) for chain in chains]) for key in ("c", "d")
    )
    columns["q"], columns["u"] = (np.diff(part, prepend=0.0) for part in _start(p, train))
    for name, column in columns.items():
        values |= {f"{name}_{i + 1}": float(x) for i, x in enumerate(np.asarray(column))}
    return values


def _start(p: ClutchJudderParameters, train: DriveTrain) -> tuple[Vector, Vector]:
    """Return initial angles and speeds: both sides twisted by the torques, without oscillation."""
    car = p.v_0 * p.ratio / p.r
    T_out, J = p.k_out / p.ratio, float(train.driven.I.sum())
    wheels = car
    for _ in range(100):  # contracts by the ratio of the slopes of clutch and tyres
        slip = wheels - p.omega_0
        T_C = -math.copysign(p.closing(0.0) * p.torque(slip), slip)
        gain = (T_C - T_out) / J
        wheels = wheels_speed(p, car, T_out + gain * p.J_car) if train.is_car_apart else car
    q = [_wound(train.driven, T_C, gain)]
    u = [np.full(len(train.driven), wheels)]
    if train.is_car_apart:
        q, u = [*q, q[0][-1:]], [*u, np.array([car])]
    if train.engine is not None:
        T_in = p.k_in + p.d_in * p.omega_0
        wound = _wound(train.engine, T_in, (T_in - T_C) / float(train.engine.I.sum()))
        q, u = [wound - wound[-1], *q], [np.full(len(train.engine), p.omega_0), *u]
    return np.concatenate(q), np.concatenate(u)


def _wound(chain: Chain, torque: float, gain: float) -> Vector:
    """Return the angles of a chain that a torque at its first mass accelerates by `gain`."""
    carried = torque - gain * np.cumsum(chain.I)[:-1]
    return np.concatenate([[0.0], -np.cumsum(carried / chain.c)])


def wheels_speed(p: ClutchJudderParameters, car: float, torque: float) -> float:
    """Return the speed of the wheels at which the tyres transmit a torque (13.20)."""
    s = torque * p.ratio / (p.r * p.k_s)
    if not s < 1.0:
        raise ValueError(
            "parameter 'k_s': must be large enough to transmit the initial clutch torque, got "
            f"{p.k_s:g}. The required slip is {s:.3g}."
        )
    least = p.v_min * p.ratio / p.r
    if s < 0.0:
        return car + s * max(car, least)
    return max(car + s * least, car / (1.0 - s))


# ---- equations ----------------------------------------------------------------------------------


@functools.cache
def _template(engine: int, driven: int, is_car_apart: bool) -> System:
    """Derive the system with given numbers of masses before and behind the clutch once."""
    sympy = import_extra("sympy", "symbolic")

    from nsmb import symbolic

    n = engine + driven + is_car_apart
    springs = engine + driven - (2 if engine else 1)
    names = [f"{key}_{i + 1}" for key in ("I", "q", "u") for i in range(n)]
    names += [f"{key}_{i + 1}" for key in ("c", "d") for i in range(springs)]
    names += [*_SHARED, "T_out", "k_T", "omega_T", "omega_J"]
    p: Any = symbolic.parameters(**dict.fromkeys(names, 1.0))

    def column(name: str, size: int) -> list[Any]:
        return [getattr(p, f"{name}_{i + 1}") for i in range(size)]

    # relative angles avoid the rounding errors of absolute angles of thousands of revolutions
    q = symbolic.coordinates(" ".join(["phi_1", *(f"theta_{i + 1}" for i in range(1, n))]))
    phi, omega = (list(itertools.accumulate(part)) for part in (q, symbolic.velocities(*q)))
    t = symbolic.time
    kinetic = sum(I * u**2 for I, u in zip(column("I", n), omega, strict=True)) / 2
    ends = [i for i in range(engine + driven - 1) if i != engine - 1]  # the clutch has no spring
    c, d = column("c", springs), column("d", springs)
    potential = sum(k * q[i + 1] ** 2 for k, i in zip(c, ends, strict=True)) / 2
    torques: list[Any] = [sympy.S.Zero] * n

    def between(i: int, torque: Any) -> None:
        """Add a torque by which body i drives the next one."""
        torques[i] -= torque
        torques[i + 1] += torque

    for k, i in zip(d, ends, strict=True):  # (13.8)
        between(i, -k * q[i + 1].velocity)
    # (13.18)-(13.20), speeds at the engine shaft
    wheels, car, slips = omega[-2], omega[-1], -q[-1].velocity
    if is_car_apart:
        nominal = sympy.Max(sympy.Abs(wheels), sympy.Abs(car), p.omega_T)
        between(n - 2, p.k_T / nominal * slips)
    else:  # parallel damper equivalent to the series damper at the judder frequency
        d_T = p.k_T / sympy.Max(sympy.Abs(car), p.omega_T)
        between(n - 2, c[-1] ** 2 * d_T / (c[-1] ** 2 + (p.omega_J * d_T) ** 2) * slips)
    torques[-1] -= p.T_out  # (13.15)

    turned = phi[0] if engine else p.omega_0 * t
    if engine:  # (13.14), the housing at rest
        torques[0] += p.k_in + p.d_in * omega[0]
        torques[0] += p.s_in_3 * sympy.sin(3 * turned + p.phi_in_3)
        torques[0] += p.s_in_6 * sympy.sin(6 * turned + p.phi_in_6)
    slipped = q[engine] if engine else phi[0] - turned
    slip = p.r_m * (q[engine].velocity if engine else omega[0] - p.omega_0)  # (13.9)
    closing = p.b_0 + (p.b_1 - p.b_0) * sympy.Max(0, sympy.Min(t / p.t_C, 1))
    T_C = p.T_SL + (p.T_ST - p.T_SL) * sympy.exp(-sympy.Abs(slip) / p.k_r)  # (13.16)
    modulation = (  # (13.17), where speeds change: angles for their products with time
        1
        + p.s_Mot * sympy.sin(turned)
        + p.s_CL * sympy.sin(slipped + p.phi_CL)
        + p.s_GR * sympy.sin(phi[engine])
        + p.s_CA_1 * sympy.sin(p.omega_A * t + p.phi_CA_1)
        + p.s_CA_2 * sympy.sin(2 * p.omega_A * t + p.phi_CA_2)
    )
    clutch = Friction(slip, bound=closing * T_C * modulation / p.r_m, name="clutch")
    initial = dict(zip(q, column("q", n), strict=True))
    return symbolic.LagrangianSystem(
        q,
        kinetic,
        potential,
        [sum(torques[i:]) for i in range(n)],  # an angle rotates all subsequent masses
        contacts=[clutch],
        parameters=p,
        initial=initial | dict(zip(symbolic.velocities(*q), column("u", n), strict=True)),
        linear=False,
        name="clutch_judder",
        coordinate_units=["rad"] * n,
    )


# ---- picture ------------------------------------------------------------------------------------


def _scene(disc: int, n: int) -> Scene:
    """Return discs in a row with slots that show their rotation; two discs form the clutch."""
    radius, step = 0.1, 0.3
    gaps = [0.0 if i == disc else step - 2.0 * radius for i in range(n)]
    x = np.cumsum([0.0, *(2.0 * radius + gap for gap in gaps[1:])])
    if disc == 0:
        x = x + 2.0 * radius
    shape = _slotted(radius)

    def follow(i: int) -> Callable[[float, Vector], Sequence[float]]:
        return lambda t, q: (float(x[i]), 0.0, float(q[: i + 1].sum()))

    meet = float(x[disc]) - radius
    parts = [Part(f"mass {i + 1}", shape, follow(i)) for i in range(n)]
    if disc == 0:
        parts.append(Part("engine", shape, lambda t, q: (0.0, 0.0)))
    return parts_scene(
        parts,
        contacts=lambda t, q: [ContactFrame((meet, 0.0), (1.0, 0.0), UP)],
        markers=lambda t, q: [(at + s * radius, 0.0) for at in x for s in (-1.0, 1.0)],
        springs=[(2 * i + 1, 2 * i + 2) for i in range(n - 1) if i != disc - 1],
    )


def _slotted(radius: float) -> Vector:
    angle = np.linspace(0.12, 2.0 * np.pi - 0.12, 73)
    rim = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    slot = 0.3 * radius * np.array([(1.0, -0.25), (1.0, 0.25)])
    return np.vstack([rim, slot, rim[:1]])
