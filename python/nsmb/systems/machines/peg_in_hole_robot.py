"""A robot that inserts a peg into a hole: section 14.5 of Pfeiffer & Glocker, case 7A."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem
from nsmb.solution.solution import Solution
from nsmb.system import System
from nsmb.system.contact_laws import ContactLaw, Stribeck
from nsmb.system.parametric import Parameters, data_of, parameter, parametric
from nsmb.system.state import State
from nsmb.systems._recommended import POISSON
from nsmb.systems.machines.peg_in_hole import hole_sides
from nsmb.systems.machines.peg_statics import PegStatics
from nsmb.systems.machines.planar_arm import PlanarArm, Task, add_planar_arm

__all__ = ["PegInHoleRobotParameters", "peg_in_hole_robot"]

Vector = NDArray[np.float64]

_CHAMFER = "printed: Pfeiffer & Glocker, section 14.5, peak of the forces"
_JAM = "chosen: two points touch at 1.2 s and jam, as in Fig. 14.42"
_ARM = "chosen: order of magnitude of laboratory robots"
_BELOW = 0.3e-3  # m: also tips that are rotated by contact are then below the chamfer
_PARTS = "chosen: clearance of 0.1 mm, as in peg_in_hole"


@dataclass(frozen=True, kw_only=True)
class PegInHoleRobotParameters(Parameters):
    """Data of peg, hole, path and robot; the book gives two times but no data."""

    D: float = parameter(20e-3, "m", "width of the hole", _PARTS, positive=True)
    depth: float = parameter(40e-3, "m", "depth of the hole", _PARTS, positive=True)
    c: float = parameter(1e-3, "m", "height and width of its chamfer", _PARTS, positive=True)
    d: float = parameter(19.9e-3, "m", "width of the peg", _PARTS, positive=True)
    l: float = parameter(40e-3, "m", "length of the peg", _PARTS, positive=True)
    mu: float = parameter(0.19, "-", "friction at rest", _JAM)
    mu_d: float = parameter(0.07, "-", "friction of fast sliding", _JAM)
    v_s: float = parameter(3e-3, "m/s", "speed over which friction falls", _JAM, positive=True)
    e_N: float = parameter(0.0, "-", "normal restitution", "chosen: none, as in peg_in_hole")
    error: float = parameter(0.5e-3, "m", "lateral error of the path", _JAM)
    tilt: float = parameter(-0.013, "rad", "angular error of the path", _JAM)
    v: float = parameter(24e-3, "m/s", "speed of the feed", _JAM, positive=True)
    path: float = parameter(17e-3, "m", "of the tip from the mouth to its end", _JAM, positive=True)
    brake: float = parameter(0.1, "s", "in which the path comes to rest", _ARM, positive=True)
    t_hit: float = parameter(0.9, "s", "when the path first meets the chamfer", _CHAMFER)
    x: float = parameter(-0.43, "m", "position of the shoulder beside the hole", _ARM)
    y: float = parameter(0.22, "m", "and above its mouth", _ARM)
    a_1: float = parameter(0.35, "m", "length of the upper arm", _ARM, positive=True)
    a_2: float = parameter(0.30, "m", "length of the forearm", _ARM, positive=True)
    a_3: float = parameter(0.12, "m", "of the tip from the wrist", _ARM, positive=True)
    m_1: float = parameter(4.0, "kg", "mass of the upper arm", _ARM, positive=True)
    m_2: float = parameter(3.0, "kg", "mass of the forearm", _ARM, positive=True)
    m_3: float = parameter(1.5, "kg", "mass of hand and peg", _ARM, positive=True)
    J_1: float = parameter(0.05, "kg m²", "moment of inertia of the upper arm", _ARM)
    J_2: float = parameter(0.03, "kg m²", "moment of inertia of the forearm", _ARM)
    J_3: float = parameter(5e-3, "kg m²", "moment of inertia of hand and peg", _ARM)
    K_1: float = parameter(55.0, "N m/rad", "control of the shoulder", _JAM, positive=True)
    K_2: float = parameter(65.0, "N m/rad", "control of the elbow", _JAM, positive=True)
    K_3: float = parameter(45.0, "N m/rad", "control of the wrist", _JAM, positive=True)
    zeta: float = parameter(0.1, "-", "damping ratio of each joint, others locked", _JAM, least=0.0)


@parametric(PegInHoleRobotParameters, recommended=POISSON)
def peg_in_hole_robot(p: PegInHoleRobotParameters) -> MultibodySystem:
    """Peg that a planar robot with PD joint control inserts into a hole; it jams and is released.

    ===========  =========================================================================
    coordinates  ``shoulder``, ``elbow``, ``wrist``: deviations of the joints from the motion
                 that the path requires (rad)
    contacts     ``left[i]``, ``right[i]``: peg and either side of the hole
    source       Pfeiffer & Glocker, section 14.5: chamfer hit at 0.9 s, two points touch and jam
                 at 1.2 s; all other numbers chosen
    ===========  =========================================================================

    The path of the tip leads straight down, shifted by `error` and rotated by `tilt`, at constant
    speed and to rest `path` below the mouth. The joints follow by inverse kinematics under
    proportional-derivative control. Weight does not act (a horizontal arm, or gravity
    compensation). The hole is along x = 0, and its mouth is at y = 0. Friction decreases with the
    speed as μ(v) = mu_d + (mu - mu_d) exp(-v/v_s).

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range, the peg is as wide as the hole, the
        path is out of reach or shorter than the braking distance, or friction is larger in sliding
        than at rest.
    """
    if p.d >= p.D:
        raise ValueError(f"parameter 'd': expected a number < D = {p.D:g}, got {p.d:g}")
    if p.mu_d > p.mu:
        raise ValueError(f"parameter 'mu_d': expected a number <= mu = {p.mu:g}, got {p.mu_d:g}")
    arm, task = _arm(p), _task(p)
    if task.ends[0] <= p.t_hit:
        raise ValueError(
            f"parameter 'path': expected braking after t_hit = {p.t_hit:g}, got the path "
            f"{p.path:g} at its end {task.ends[1]:g} s"
        )
    m = Model()
    peg = add_planar_arm(m, arm, task, "peg", arm.angles(task.pose(p.t_hit)))
    half = 0.5 * p.d
    corners = [(-half, 0.0), (half, 0.0), (half, p.l), (-half, p.l)]
    outline = peg.contour("outline", geometry.Polygon(corners))
    curve = None if p.mu_d == p.mu else Stribeck(p.mu_d, p.v_s)
    law = ContactLaw(mu=p.mu, e_N=p.e_N, curve=curve)
    for side, edge in zip(("left", "right"), hole_sides(p.D, p.c, p.depth), strict=True):
        m.add_contact(outline, m.ground.contour(side, edge), law, side)
    return m.build()


def _arm(p: PegInHoleRobotParameters) -> PlanarArm:
    return PlanarArm(
        (p.x, p.y),
        (p.a_1, p.a_2, p.a_3),
        (p.m_1, p.m_2, p.m_3),
        (p.J_1, p.J_2, p.J_3),
        (p.K_1, p.K_2, p.K_3),
        p.zeta,
    )


def _task(p: PegInHoleRobotParameters) -> Task:
    height = _first_contact(p) + p.v * p.t_hit
    return Task(p.error, height, p.tilt, p.v, height + p.path, p.brake)


def _first_contact(p: PegInHoleRobotParameters) -> float:
    """Return the height of the tip when a corner is on a chamfer, otherwise at the mouth."""
    half = 0.5 * p.d
    heights = []
    for side in (-1.0, 1.0):
        beyond = side * p.error + half * np.cos(p.tilt) - 0.5 * p.D
        if beyond > 0.0:
            heights.append(min(beyond, p.c) - p.c - side * half * np.sin(p.tilt))
    return float(max(heights, default=-p.c))


_data = functools.partial(data_of, PegInHoleRobotParameters, "a peg_in_hole_robot")


@peg_in_hole_robot.evaluation
def statics(system: System) -> PegStatics:
    """Return the closed forms of the equilibrium of the peg, with static friction.

    Parameters
    ----------
    system : System

    Returns
    -------
    PegStatics

    Raises
    ------
    ValueError
        If the system is of another kind.
    """
    p = _data("system", system)
    return PegStatics(p.D, p.d, p.c, p.mu, _arm(p))


@peg_in_hole_robot.evaluation
def inside(system: System) -> State:
    """Return a state with the tip below the chamfer, in equilibrium on the path.

    Parameters
    ----------
    system : System

    Returns
    -------
    State
        Its time is the instant at which the joint forces along the path hold the tip there.

    Raises
    ------
    ValueError
        If the system is of another kind, or there is no equilibrium with these errors.
    """
    p = _data("system", system)
    arm, task = _arm(p), _task(p)
    y = -p.c - 0.5 * p.d * abs(np.sin(p.tilt)) - _BELOW
    rest = statics(system).insertion([y], p.error, p.tilt)
    if not rest.contacts[0]:
        raise ValueError(
            f"parameters 'error', 'tilt': expected a peg that rests below the chamfer, got "
            f"{p.error:g} and {p.tilt:g}"
        )
    t = (task.y - y + float(rest.lag[0])) / p.v
    q = arm.angles(rest.pose[0]) - arm.angles(task.pose(t))
    return State(t, q, np.zeros(3))


@peg_in_hole_robot.evaluation
def torque(solution: Solution) -> Vector:
    """Return the control torques of the joints at the samples of a run.

    Parameters
    ----------
    solution : Solution

    Returns
    -------
    (n, 3) ndarray
        N m, shoulder, elbow, wrist.

    Raises
    ------
    ValueError
        If the run is of another system.
    """
    p = _data("solution.system", solution.system)
    arm = _arm(p)
    K_d = arm.K_d(arm.angles(_task(p).pose(p.t_hit)))
    return np.asarray(-solution.q * arm.K_p - solution.u * K_d)


@peg_in_hole_robot.evaluation
def force(solution: Solution) -> Vector:
    """Return the force of the hole on the peg at the samples of a run.

    Parameters
    ----------
    solution : Solution

    Returns
    -------
    (n, 3) ndarray
        Force against the insertion (N), lateral force along x (N), moment about the tip (N m).

    Raises
    ------
    ValueError
        If the run is of another system.

    References
    ----------
    Fig. 14.42, where these forces are called F_x and F_y.
    """
    p = _data("solution.system", solution.system)
    arm, task, system = _arm(p), _task(p), solution.system
    assert system is not None
    loads = np.zeros((solution.t.size, 3))
    for i, t in enumerate(solution.t.tolist()):
        closed = np.flatnonzero(solution.contact_state[i])
        if not closed.size:
            continue
        k = system.contact_kinematics(t, solution.q[i], solution.u[i])
        joints = np.zeros(3)
        for slot in closed.tolist():
            now = _slot(k["features"], solution.features[i], slot)
            joints += k["W_N"][:, now] * solution.lambda_N[i, slot]
            joints += k["W_T"][:, now] * solution.lambda_T[i, slot]
        q = arm.angles(task.pose(t)) + solution.q[i]
        loads[i] = np.linalg.solve(arm.jacobian(q).T, joints)
    return loads[:, [1, 0, 2]]


@peg_in_hole_robot.evaluation
def pose(solution: Solution) -> Vector:
    """Return the pose of the middle of the tip at the samples of a run.

    Parameters
    ----------
    solution : Solution

    Returns
    -------
    (n, 3) ndarray
        x, y (m), φ (rad).

    Raises
    ------
    ValueError
        If the run is of another system.
    """
    p = _data("solution.system", solution.system)
    arm = _arm(p)
    q = arm.angles(_task(p).pose(solution.t)) + solution.q
    return np.column_stack([arm.places(q)[:, 3], q.sum(axis=1)])


@peg_in_hole_robot.evaluation
def peak(solution: Solution, depth: float) -> float:
    """Return the largest insertion force with the tip between the chamfer and a depth (Fig. 14.43).

    Parameters
    ----------
    solution : Solution
        Run of a :func:`peg_in_hole_robot`.
    depth : float
        Depth below the mouth, m.

    Returns
    -------
    float
        Force, N.

    Raises
    ------
    ValueError
        If the run is of another system or has no such samples.
    """
    p = _data("solution.system", solution.system)
    tip = pose(solution)
    upper = tip[:, 1] + 0.5 * p.d * np.abs(np.sin(tip[:, 2]))
    within = (upper < -p.c) & (tip[:, 1] >= -depth)
    if not within.any():
        raise ValueError(
            f"solution: expected a tip between chamfer and {1e3 * depth:g} mm, got depths from "
            f"{-1e3 * tip[:, 1].max():g} to {-1e3 * tip[:, 1].min():g} mm"
        )
    return float(force(solution)[within, 0].max())


def _slot(found: Vector, stored: NDArray[np.int32], slot: int) -> int:
    """Return the search slot of the features that a run stores in a slot, on the same side."""
    half = len(stored) // 2
    first = 0 if slot < half else half
    same = (found[first : first + half] == stored[slot]).all(axis=1)
    return first + int(np.argmax(same))
