"""A robot arm with elastic joints for assembly: links, motors, gears with backlash, control."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.multibody import Model, joints
from nsmb.multibody.handles import Body

__all__ = ["GRAVITY", "JOINTS", "OFFSET", "Arm", "Gear", "add_arm", "rest", "smooth_step"]

Vector = NDArray[np.float64]

GRAVITY = 9.81  # m/s²
JOINTS = ("waist", "shoulder", "elbow", "roll", "pitch", "flange")
_DRIVEN = JOINTS[:3]  # joints with elastic gears
# PUMA 560 as measured by Armstrong, Khatib and Burdick (1986), rounded: m, kg, kg m².
_UPPER, _FOREARM = 0.4318, 0.4318
OFFSET = 0.15
"""Distance of the plane of the arm from the axis of the waist, m."""
_MASS = {"trunk": 10.0, "upper": 17.4, "forearm": 4.8, "wrist": 0.82, "hand": 0.34}
_CENTER = {"upper": 0.068, "forearm": 0.07}
_INERTIA = {
    "trunk": (0.35, 0.35, 0.35), "upper": (0.13, 0.524, 0.539), "forearm": (0.0125, 0.066, 0.066),
    "wrist": (1.3e-3, 1.8e-3, 1.8e-3), "hand": (3e-4, 3e-4, 3e-4),
}  # fmt: skip
_ROTOR = {"waist": 1.14, "shoulder": 4.71, "elbow": 0.83}  # referred to the joint
_TURNED = {"waist": 3.0, "shoulder": 6.5, "elbow": 1.6, "roll": 0.02, "pitch": 0.02, "flange": 2e-3}
_DOWN = -0.5 * np.pi


@dataclass(frozen=True)
class Gear:
    """A gear between motor and link, and the control of the motor."""

    c: float
    """Stiffness, N m/rad."""
    d: float
    """Damping, N m s/rad."""
    play: float
    """Backlash of the link to either side of the middle, rad."""
    friction: float
    """Friction torque of the motor, N m."""
    K_p: float
    """Proportional gain of the control, N m/rad."""
    zeta: float
    """Damping ratio of the control for the inertia of the joint."""
    K_wrist: float
    """Control stiffness of the wrist joints, which have no gears, N m/rad."""


@dataclass(frozen=True)
class Arm:
    """Prescribed path: the wrist moves from `start` along z by `lift`, with the tool down."""

    start: tuple[float, float]
    """x and z of the wrist, m."""
    lift: float
    """Length of the path, m; negative values are downwards."""
    duration: float
    """Duration of the motion, s."""
    tool: float
    """Mass of the tool at the flange, kg."""
    length: float
    """Distance of the centre of the tool from the wrist, m."""

    def angles(self, share: float) -> Vector:
        """Return all joint angles at a fraction of the path of the wrist."""
        x, z = self.start[0], self.start[1] + share * self.lift
        square = x**2 + z**2
        fold = np.arccos((square - _UPPER**2 - _FOREARM**2) / (2 * _UPPER * _FOREARM))
        reach = np.arctan2(_FOREARM * np.sin(fold), _UPPER + _FOREARM * np.cos(fold))
        shoulder = np.arctan2(z, x) + reach
        return np.array([0.0, shoulder, -fold, 0.0, _DOWN - shoulder + fold, 0.0])

    def places(self, q: Vector) -> Vector:
        """Return x and z of shoulder, elbow, wrist and tool for zero waist and roll, (4, 2)."""
        a, b = q[1], q[1] + q[2]
        c = b + q[4]
        steps = [(0.0, 0.0)]
        for size, angle in ((_UPPER, a), (_FOREARM, b), (self.length, c)):
            steps.append((size * np.cos(angle), size * np.sin(angle)))
        return np.cumsum(steps, axis=0)


def smooth_step(share: Any) -> Any:
    """Return a step from 0 to 1 with zero velocity and acceleration at both ends."""
    return share**3 * (10 - 15 * share + 6 * share**2)


def add_arm(m: Model, arm: Arm, gear: Gear) -> Body:
    """Add six joints and three motors; return the body at the flange, with x along the tool.

    Motors of the wrist have no inertia. The other motors rotate about fixed axes. This neglects
    only their reaction on the links through the gear ratio.
    """
    bodies = {name: _body(m, name) for name in _MASS}
    tool = m.add_body(
        "tool", mass=arm.tool, inertia=(1e-4, 1e-3, 1e-3), center=(arm.length, 0.0, 0.0)
    )
    across, along = (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)
    m.add_joint("waist", joints.Revolute(), m.ground, bodies["trunk"])
    m.add_joint(
        "shoulder", joints.Revolute(across), bodies["trunk"], bodies["upper"], at=(0, OFFSET, 0)
    )
    for name, axis, first, second, at in (
        ("elbow", across, "upper", "forearm", _UPPER),
        ("roll", along, "forearm", "wrist", _FOREARM),
        ("pitch", across, "wrist", "hand", 0.0),
    ):
        m.add_joint(name, joints.Revolute(axis), bodies[first], bodies[second], at=(at, 0.0, 0.0))
    m.add_joint("flange", joints.Revolute(along), bodies["hand"], tool)
    begin, end = arm.angles(0.0), arm.angles(1.0)
    for name, first, last in zip(JOINTS, begin, end, strict=True):
        K_p = gear.K_p if name in _DRIVEN else gear.K_wrist
        K_d = 2.0 * gear.zeta * np.sqrt(K_p * _TURNED[name])
        moved = name
        if name in _DRIVEN:
            moved = f"{name}_motor"
            rotor = m.add_body(moved, mass=1.0, inertia=_ROTOR[name])
            m.add_joint(moved, joints.Revolute(), m.ground, rotor)
            m.add_joint_friction(f"{name}_friction", moved, gear.friction)
            m.add_user_force(f"{name}_gear", _gear(gear), coordinates=[moved, name])
        control = _control().with_parameters(
            begin=float(first), end=float(last), T=arm.duration, K_p=K_p, K_d=K_d
        )
        m.add_user_force(f"{name}_control", control, coordinates=[moved])
    return tool


def _body(m: Model, name: str) -> Body:
    center = (_CENTER.get(name, 0.0), 0.0, 0.0)
    return m.add_body(name, mass=_MASS[name], inertia=_INERTIA[name], center=center)


def _gear(gear: Gear) -> Any:
    return _gear_template().with_parameters(c=gear.c, d=gear.d, b=gear.play)


@functools.cache
def _gear_template() -> Any:
    """Return the force of two flanks, separated by the backlash, and a damper."""
    from nsmb import symbolic

    at = symbolic.Places(coordinates=2)
    p = symbolic.parameters(c=1.0, d=0.0, b=0.0)
    wound = at.q[0] - at.q[1]
    up, down = symbolic.modes("up down")
    over, under = wound - p.b, wound + p.b
    torque = up.select(0, p.c * over) + down.select(0, p.c * under)
    torque += p.d * (at.u[0] - at.u[1])
    return symbolic.BodyForce(
        at,
        joint_forces=[-torque, torque],
        watch={up: (-over, over), down: (under, -under)},
        energy=up.select(0, p.c * over**2 / 2) + down.select(0, p.c * under**2 / 2),
        parameters=p,
    )


@functools.cache
def _control() -> Any:
    """Return the PD control towards the point that moves from `begin` to `end`."""
    sympy = import_extra("sympy", "symbolic")

    from nsmb import symbolic

    at = symbolic.Places(coordinates=1)
    p = symbolic.parameters(begin=0.0, end=0.0, T=1.0, K_p=0.0, K_d=0.0)
    share = sympy.Symbol("share", real=True)
    step = smooth_step(share)
    now = symbolic.time / p.T
    moving = (symbolic.time > 0) & (symbolic.time < p.T)
    place = sympy.Piecewise((step.subs(share, now), moving), (1, symbolic.time >= p.T), (0, True))
    speed = sympy.Piecewise((step.diff(share).subs(share, now) / p.T, moving), (0, True))
    wanted = p.begin + (p.end - p.begin) * place
    torque = p.K_p * (wanted - at.q[0]) + p.K_d * ((p.end - p.begin) * speed - at.u[0])
    return symbolic.BodyForce(at, joint_forces=[torque], parameters=p)


def rest(arm: Arm, gear: Gear) -> dict[str, float]:
    """Return the equilibrium under gravity at the start of the path, without friction."""
    wanted = arm.angles(0.0)
    q = wanted.copy()
    stiff = np.array([gear.K_p] * 3 + [gear.K_wrist] * 3)
    motors = q
    for _ in range(50):  # contracts by the ratio of weight to stiffness, below 1/100
        weight = _weight(arm, q)
        motors = wanted - weight / stiff
        q = motors.copy()
        wound = np.abs(weight[:3]) / gear.c + gear.play
        q[:3] -= np.sign(weight[:3]) * wound
    found = dict(zip(JOINTS, q.tolist(), strict=True))
    return found | {f"{name}_motor": float(motors[i]) for i, name in enumerate(_DRIVEN)}


def _weight(arm: Arm, q: Vector) -> Vector:
    """Return the moments of the weight on the joints, N m, positive if they drive it down."""
    x = arm.places(q)[:, 0]
    upper = _CENTER["upper"] * np.cos(q[1])
    forearm = x[1] + _CENTER["forearm"] * np.cos(q[1] + q[2])
    hand, tool = _MASS["wrist"] + _MASS["hand"], arm.tool
    moments = np.zeros(6)
    moments[1] = _MASS["upper"] * upper + _MASS["forearm"] * forearm + hand * x[2] + tool * x[3]
    moments[2] = _MASS["forearm"] * (forearm - x[1]) + hand * (x[2] - x[1]) + tool * (x[3] - x[1])
    moments[4] = tool * (x[3] - x[2])
    return GRAVITY * moments
