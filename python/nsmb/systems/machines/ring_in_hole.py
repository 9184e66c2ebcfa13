"""Elastic rings that a robot inserts into a hole: section 14.5 of Pfeiffer & Glocker, case 7B."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.extras import import_extra
from nsmb.multibody import Model, MultibodySystem
from nsmb.solution.solution import Solution
from nsmb.system import System
from nsmb.system.options import EventDriven
from nsmb.system.parametric import Parameters, data_of, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.machines.puma_arm import (
    GRAVITY,
    OFFSET,
    Arm,
    Gear,
    add_arm,
    rest,
    smooth_step,
)
from nsmb.systems.machines.ring_load import Hole, Ring, ring_load
from nsmb.systems.machines.ring_scene import ring_scene

__all__ = ["RingInHoleParameters", "ring_in_hole"]

Vector = NDArray[np.float64]

_PRINTED = "printed: Pfeiffer & Glocker, section 14.5, the two rings"
_PATH = "printed: Pfeiffer & Glocker, section 14.5, the path"
_SOFT = "chosen: soft rubber, calibrated to the path error of 5 mm; the book's curve is lost"
_HOLE = "chosen: the second ring has passed the rounding while the first is inside"
_ROBOT = "chosen: with it the arm sinks by 3 mm under its weight"
_ARM = "chosen: order of magnitude of such robots"


@dataclass(frozen=True, kw_only=True)
class RingInHoleParameters(Parameters):
    """Data of rings, hole, path and robot; links and motors are those of a PUMA 560."""

    rings: int = parameter(2, "-", "number of rings", _PRINTED, positive=True)
    r: float = parameter(10.45e-3, "m", "radius of the piston", _PRINTED, positive=True)
    r_0: float = parameter(2.5e-3, "m", "radius of the section of a ring", _PRINTED)
    R: float = parameter(13e-3, "m", "radius of the hole", _PRINTED, positive=True)
    distance: float = parameter(10e-3, "m", "of the rings", _PRINTED)
    c_1: float = parameter(1.0e5, "N/m²", "line load of the ring, linear part", _SOFT, least=0.0)
    c_2: float = parameter(
        1.36e8, "N/m³", "line load of the ring, quadratic part", _SOFT, least=0.0
    )
    mu: float = parameter(0.5, "-", "friction of rubber and hole", "chosen: dry rubber on metal")
    v_0: float = parameter(2e-3, "m/s", "speed at which friction is 76 % there", "chosen: creep")
    rounding: float = parameter(5.5e-3, "m", "radius of the rounded mouth", _HOLE, positive=True)
    depth: float = parameter(17e-3, "m", "of the hole, with its mouth", _HOLE, positive=True)
    notch: float = parameter(0.0, "rad", "half the angle without wall", "chosen: none")
    notch_at: float = parameter(0.0, "rad", "where the notch is, from x", "chosen: outwards")
    above: float = parameter(5.6e-3, "m", "leading ring above the mouth at the start", _HOLE)
    error_x: float = parameter(0.0, "m", "error of the position of the hole", "chosen: none")
    error_y: float = parameter(0.0, "m", "error of the position of the hole", "chosen: none")
    path: float = parameter(30e-3, "m", "length of the path, downwards", _PATH)
    duration: float = parameter(0.5, "s", "of the path", _PATH, positive=True)
    x: float = parameter(0.59, "m", "reach of the wrist", _ARM)
    z: float = parameter(0.16, "m", "height of the wrist above the shoulder at the start", _ARM)
    piston: float = parameter(0.5, "kg", "mass of piston and gripper", _ARM)
    length: float = parameter(0.15, "m", "of the leading ring from the wrist", _ARM)
    c: float = parameter(2.0e4, "N m/rad", "gears of the first three joints", _ROBOT, positive=True)
    d: float = parameter(20.0, "N m s/rad", "their damping", _ARM, least=0.0)
    play: float = parameter(1e-4, "rad", "half the backlash of the gears", _ARM)
    friction: float = parameter(1.0, "N m", "of the first three motors", _ARM)
    K_p: float = parameter(1.07e4, "N m/rad", "stiffness of their control", _ROBOT, positive=True)
    zeta: float = parameter(0.2, "-", "damping ratio of the control", _ARM)
    K_wrist: float = parameter(1.0e3, "N m/rad", "stiffness of the wrist", _ARM, positive=True)


@parametric(RingInHoleParameters, recommended=Recommended(EventDriven(), 1.2))
def ring_in_hole(p: RingInHoleParameters) -> MultibodySystem:
    """Rubber rings on a piston, inserted into a rounded hole by a robot with elastic joints.

    ===========  =========================================================================
    coordinates  ``waist``, ``shoulder``, ``elbow``, ``roll``, ``pitch``, ``flange`` of the links,
                 and ``waist_motor``, ``shoulder_motor``, ``elbow_motor`` behind gears (rad)
    contacts     ``waist_friction``, ``shoulder_friction``, ``elbow_friction``, of the motors
    elements     ``waist_gear``, ``shoulder_gear``, ``elbow_gear``: modes ``up`` and ``down``,
                 whether a flank is loaded; ``ring_1``, ``ring_2``: mode ``inside``, above the
                 lower end of the hole
    source       Pfeiffer & Glocker, section 14.5, (14.94)-(14.101); rings, hole and path printed,
                 all other data chosen
    ===========  =========================================================================

    The rings do not tilt, and their outer radius is R_0 = r + 2 r_0. Loads are per length of the
    circumference of the hole: p_N of (14.98), and along the axis p_N tan(β + ϱ) with tan ϱ = mu and
    the inclination β of the mouth. Inside the hole the axial load is μ p_N of (14.100). The angle β
    + ϱ is limited to 1.4 rad. Friction changes its sign with the velocity v as tanh(v/v_0). The
    printed rings of 5 mm are compressed by 2.45 mm in this hole, which may be a misprint. The
    rubber is chosen soft enough for the path error of 5 mm. The initial state is the equilibrium
    under gravity without friction.

    The ring of the experiment (Fig. 14.44) is ``ring_in_hole(rings=1, r=10.2e-3, r_0=1.5e-3)``.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range, or if the rings do not touch the hole
        or are wider than its mouth.
    ImportError
        If SymPy or llvmlite is not installed (``pip install nsmb[symbolic]``).
    """
    ring, arm, gear = _ring(p), _arm(p), _gear(p)
    if p.rings > 2:
        raise ValueError(f"parameter 'rings': expected 1 or 2, got {p.rings}")
    if not p.R < ring.R_0 < p.R + p.rounding:
        raise ValueError(
            f"parameter 'r_0': expected r + 2 r_0 between R = {p.R:g} and R + rounding = "
            f"{p.R + p.rounding:g}, got {ring.R_0:g}"
        )
    m = Model(gravity=(0.0, 0.0, -GRAVITY))
    tool = add_arm(m, arm, gear)
    place = _mouth(p)
    for k in range(p.rings):
        m.add_user_force(
            f"ring_{k + 1}",
            _ring_force(p),
            [tool, m.ground],
            at=[(p.length - k * p.distance, 0.0, 0.0), place],
        )
    system = m.build(initial=rest(arm, gear))
    system.scene = ring_scene(arm, place[0], place[2], p)
    return system


def _ring(p: Any) -> Ring:
    # R_0 is not defined in the book: with r + r_0 the printed rings would not touch the hole
    return Ring(p.r + 2 * p.r_0, p.c_1, p.c_2, p.mu)


def _hole(p: Any) -> Hole:
    return Hole(p.R, p.rounding, p.notch, p.notch_at)


def _arm(p: RingInHoleParameters) -> Arm:
    return Arm((p.x, p.z), -p.path, p.duration, p.piston, p.length)


def _gear(p: RingInHoleParameters) -> Gear:
    return Gear(p.c, p.d, p.play, p.friction, p.K_p, p.zeta, p.K_wrist)


def _ring_force(p: RingInHoleParameters) -> Any:
    template = _ring_template(p.notch > 0.0)
    return template.with_parameters(**{name: getattr(p, name) for name in template.parameters})


@functools.cache
def _ring_template(notched: bool) -> Any:
    """Return the force on the centre of the ring relative to the hole."""
    sympy = import_extra("sympy", "symbolic")

    from nsmb import symbolic

    data = RingInHoleParameters(notch=0.5).values()
    used = ["r", "r_0", "R", "rounding", "c_1", "c_2", "mu", "v_0", "depth"]
    used += ["notch", "notch_at"] if notched else []
    s: Any = symbolic.parameters(**{name: data[name] for name in used})
    at = symbolic.Places(markers=2)
    inside = symbolic.modes("inside")
    x, y, z = at.r[0] - at.r[1]
    sense = -sympy.tanh(at.v[0][2] / s.v_0)
    hole = _hole(s) if notched else Hole(s.R, s.rounding)
    load = ring_load(_ring(s), hole, x, y, -z, sense, sympy)

    def in_hole(value: Any) -> Any:
        return inside.select(open=0, closed=value)

    return symbolic.BodyForce(
        at,
        forces=[[in_hole(value) for value in (load.F_x, load.F_y, load.F_z)], [0, 0, 0]],
        moments=[[in_hole(load.M_x), in_hole(load.M_y), 0], [0, 0, 0]],
        # the lower end of the hole is sharp
        watch={inside: (-z - s.depth, s.depth + z)},
        initial={inside: True},
        parameters=s,
    )


_data = functools.partial(data_of, RingInHoleParameters, "a ring_in_hole")


@ring_in_hole.evaluation
def load(system: System, depth: ArrayLike, x: ArrayLike = 0.0, y: ArrayLike = 0.0) -> Vector:
    """Return the force on the piston during a slow insertion of the rings, N.

    Parameters
    ----------
    system : System
    depth : array_like
        Depth of the leading ring below the mouth, m.
    x, y : array_like
        Offset of the piston axis from the hole axis, m.

    Returns
    -------
    (..., 3) ndarray
        Forces; F_z > 0 acts against the insertion.

    Raises
    ------
    ValueError
        If the system is of another kind.

    References
    ----------
    (14.97)-(14.100), Figs. 14.44, 14.45.
    """
    p = _data("system", system)
    leading, at_x, at_y = np.broadcast_arrays(*(np.asarray(v, float) for v in (depth, x, y)))
    each = _load(p, leading, at_x, at_y, np.ones_like(leading))
    inside = leading[..., None] - p.distance * np.arange(p.rings) < p.depth
    return np.asarray((each * inside[..., None]).sum(axis=-2))


def _load(p: RingInHoleParameters, depth: Vector, x: Vector, y: Vector, sense: Vector) -> Vector:
    """Return the forces, shape (..., rings, 3), for a hole without a lower end."""
    forces = []
    for k in range(p.rings):
        load = ring_load(_ring(p), _hole(p), x, y, depth - k * p.distance, sense)
        forces.append(np.stack([load.F_x, load.F_y, load.F_z], axis=-1))
    return np.stack(forces, axis=-2)


@ring_in_hole.evaluation
def deviation(solution: Solution, times: ArrayLike) -> Vector:
    """Return the deviation of the leading ring from its path in a run, m.

    Parameters
    ----------
    solution : Solution
    times : (n,) array_like
        Times, s.

    Returns
    -------
    (n, 3) ndarray
        x, y, z; z > 0 means behind the path, or above its end.

    Raises
    ------
    ValueError
        If the run is of another system, or a time is outside of the run.

    References
    ----------
    Fig. 14.46a.
    """
    p = _data("solution.system", solution.system)
    t = np.asarray(times, dtype=np.float64)
    place, _ = _piston(solution, p, t)
    share = smooth_step(np.clip(t / p.duration, 0.0, 1.0))
    wanted = np.column_stack([0 * t + p.x, 0 * t + OFFSET, p.z - p.length - p.path * share])
    return np.asarray(place - wanted)


@ring_in_hole.evaluation
def force(solution: Solution, times: ArrayLike) -> Vector:
    """Return the force of the rings on the piston in a run, N.

    Parameters
    ----------
    solution : Solution
    times : (n,) array_like
        Times, s.

    Returns
    -------
    (n, 3) ndarray

    Raises
    ------
    ValueError
        If the run is of another system, or a time is outside of the run.

    References
    ----------
    Fig. 14.46b.
    """
    p = _data("solution.system", solution.system)
    t = np.asarray(times, dtype=np.float64)
    place, velocity = _piston(solution, p, t)
    apart = place - np.array(_mouth(p))
    sense = -np.tanh(velocity[:, 2] / p.v_0)
    each = _load(p, -apart[:, 2], apart[:, 0], apart[:, 1], sense)
    columns = [solution.states.index(f"ring_{k + 1}.inside") for k in range(p.rings)]
    inside = solution.at(t).x[:, columns]
    return np.asarray((each * inside[..., None]).sum(axis=-2))


def _piston(solution: Solution, p: RingInHoleParameters, t: Vector) -> tuple[Vector, Vector]:
    """Return position and velocity of the leading ring, each of shape (n, 3)."""
    system, found = solution.system, solution.at(t)
    assert isinstance(system, MultibodySystem)
    rows = []
    for now, q, u in zip(t.tolist(), found.q, found.u, strict=True):
        r, A = system.pose("tool", now, q)
        v, Omega = system.velocity("tool", now, q, u)
        arm = A[:, 0] * p.length
        rows.append((r + arm, v + np.cross(Omega, arm)))
    both = np.array(rows).reshape(-1, 2, 3)
    return both[:, 0], both[:, 1]


def _mouth(p: RingInHoleParameters) -> tuple[float, float, float]:
    """Return the centre of the upper end of the hole, m."""
    return p.x + p.error_x, OFFSET + p.error_y, p.z - p.length - p.above
