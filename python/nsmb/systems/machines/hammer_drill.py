"""The electropneumatic hammer drill of Pfeiffer & Glocker, section 14.3."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.extras import import_extra
from nsmb.solution.solution import Solution
from nsmb.system import System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Constraint, Contact, Friction
from nsmb.system.forces import ForceElement, GapForce
from nsmb.system.options import EventDriven
from nsmb.system.parametric import Parameters, data_of, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.machines.hammer_drill_scene import hammer_drill_scene

__all__ = ["HammerDrillParameters", "hammer_drill"]

Vector = NDArray[np.float64]

# This is 1e-12 of the energy of a blow at 1 m/s, but faster than any motion at rest.
_REST = 1e-6  # m/s

_SIZE = "chosen: size of a professional hammer drill; the book gives none"
_AIR = "chosen: blows of about 6 J at 36 Hz; the book gives none"
_ARM = "chosen: order of magnitude of hand-arm models; the book gives none"
_STOP = "chosen: steel stops, the drill's force closes them; the book gives none"
_SEAL = "chosen: sealing rings; the book gives none"
_ORDER = "chosen: with it impacts come in the order of Fig. 14.18"


@dataclass(frozen=True, kw_only=True)
class HammerDrillParameters(Parameters):
    """Data of machine, arm and material; all are chosen except the ratio of c_f1 to c_f2."""

    m_1: float = parameter(4.5, "kg", "gearbox, handle, motor and driving piston", _SIZE)
    m_2: float = parameter(0.14, "kg", "primary piston", _ORDER)
    m_3: float = parameter(0.15, "kg", "secondary piston", _ORDER)
    m_4: float = parameter(0.6, "kg", "tool", _SIZE)
    m_5: float = parameter(1.1, "kg", "pressure cylinder with tool guide", _SIZE)
    m_6: float = parameter(0.5, "kg", "hand", _ARM)
    m_7: float = parameter(1.2, "kg", "forearm", _ARM)
    m_8: float = parameter(2.5, "kg", "upper arm", _ARM)
    m_A: float = parameter(0.15, "kg", "reduced mass of the drive", _SIZE, positive=True)
    F: float = parameter(240.0, "N", "pressing force", _SIZE, positive=True)
    Omega: float = parameter(226.2, "rad/s", "speed of the crank, 36 Hz", _AIR, positive=True)
    r: float = parameter(25e-3, "m", "radius of the crank", _AIR)
    A: float = parameter(9.0e-4, "m²", "area of the pistons", _AIR, positive=True)
    L_0: float = parameter(38e-3, "m", "length of the air cushion at rest", _AIR, positive=True)
    p_0: float = parameter(
        1.013e5, "Pa", "pressure outside", "chosen: standard atmosphere", positive=True
    )
    kappa: float = parameter(1.4, "-", "adiabatic exponent of air", "derived: two atoms, 7/5")
    c_1: float = parameter(4.0e4, "N/m", "between handle and hand", _ARM, positive=True)
    c_2: float = parameter(1.0e4, "N/m", "between hand and forearm", _ARM, positive=True)
    c_3: float = parameter(5.0e3, "N/m", "between forearm and upper arm", _ARM, positive=True)
    d_1: float = parameter(150.0, "N s/m", "damping along c_1", _ARM, least=0.0)
    d_2: float = parameter(150.0, "N s/m", "damping along c_2", _ARM, least=0.0)
    d_3: float = parameter(150.0, "N s/m", "damping along c_3", _ARM, least=0.0)
    d_5: float = parameter(1.0, "N s/m", "grease between pistons and cylinder", _SEAL, least=0.0)
    c_c: float = parameter(4.2e6, "N/m", "damping element of the backstop", _STOP, positive=True)
    d_c: float = parameter(300.0, "N s/m", "its damping", _STOP, positive=True)
    c_d: float = parameter(1.2e7, "N/m", "lower stop of the coupling", _STOP, positive=True)
    d_d: float = parameter(750.0, "N s/m", "its damping", _STOP, positive=True)
    c_e: float = parameter(1.2e7, "N/m", "upper stop of the coupling", _STOP, positive=True)
    d_e: float = parameter(750.0, "N s/m", "its damping", _STOP, positive=True)
    epsilon: float = parameter(0.3e-3, "m", "backlash of the coupling", _STOP)
    c_f1: float = parameter(3.0e7, "N/m", "material, compressed", "chosen: concrete", positive=True)
    c_f2: float = parameter(
        6.0e7, "N/m", "material, let go", "derived: 50 % of the energy returned", positive=True
    )
    e_a: float = parameter(0.7, "-", "restitution of the pistons", _ORDER)
    e_b: float = parameter(0.7, "-", "restitution of secondary piston and tool", _ORDER)
    F_R1: float = parameter(15.0, "N", "friction of the tool in the cylinder", _SEAL)
    F_R2: float = parameter(10.0, "N", "friction of the secondary piston", _SEAL)
    F_R3: float = parameter(5.0, "N", "friction of the primary piston", _SEAL)
    F_R4: float = parameter(5.0, "N", "friction of the driving piston", _SEAL)
    F_R5: float = parameter(20.0, "N", "friction of the casing on the cylinder", _SEAL)


# ten revolutions of the crank
@parametric(
    HammerDrillParameters,
    recommended=Recommended(EventDriven(impact_law="newton"), 0.278),
    sets={
        "hard_stops": {
            "c_d": 8e7, "c_e": 8e7, "d_d": 200.0, "d_e": 200.0, "m_5": 0.6, "epsilon": 1e-4,
        }
    },
)  # fmt: skip
def hammer_drill(p: HammerDrillParameters) -> System:
    """Hammer drill: a crank drives a piston through an air cushion and causes a chain of impacts.

    ===========  =========================================================================
    coordinates  ``x_1`` casing with motor and handle, ``x_2`` primary piston, ``x_3`` secondary
                 piston, ``x_4`` tool, ``x_5`` pressure cylinder, ``x_6`` to ``x_8`` hand and arm,
                 away from the material, zero where all parts touch without force (m)
    contacts     ``a`` primary on secondary piston, ``b`` secondary piston on tool; friction with
                 given bounds in ``guide_1`` to ``guide_5``: tool, secondary, primary and driving
                 piston and casing, all against the cylinder
    elements     ``c`` backstop between cylinder and secondary piston, ``d`` and ``e`` stops of the
                 coupling between casing and cylinder; ``f.touches``, ``f.loads``,
                 ``f.away``, modes of the material: whether it carries a force, on which branch,
                 and whether its surface has returned
    states       ``f.deepest``, the point of reversal, m; surfaces of ``c``, ``d``, ``e``
    period       2π/Omega, a revolution of the crank
    sets         ``hard_stops``: stiff stops with little damping, a light cylinder and a small
                 backlash, which cause peaks at the handle that a rigid coupling does not cause
    source       Pfeiffer & Glocker, section 14.3, (14.27)-(14.32); all data except c_f1/c_f2
                 chosen
    ===========  =========================================================================

    The initial state is the equilibrium under F. The crank, x_A = r sin(Omega t), starts in the
    middle of its upward stroke. With epsilon = 0 the coupling is a rigid joint, a bilateral
    constraint instead of ``d``, ``e`` and ``guide_5``.

    Notes
    -----
    * The air cushion is F_A = A p_0 ((L_0/L)^kappa - 1), L = L_0 + x_1 + x_A - x_2; the book gives
      only its arguments.
    * ``c``, ``d``, ``e`` open when their force vanishes, as in (14.30). The relaxation of their
      surfaces after opening, ``relaxing_wall``, is an addition. Without it, the next contact would
      occur at a wrong position.
    * The material (14.30) stores its point of reversal. When unloaded, it follows the second branch
      to zero force. If loaded again before that, it returns along this branch to the first one, see
      :func:`nsmb.symbolic.elements.hysteresis`. It returns c_f1/c_f2 of the work of a blow. Its
      damping, d_f1 and d_f2, is omitted.
    * ``guide_4`` and ``guide_5`` have the same direction. While the driving piston moves, at most
      one of them sticks. When it is at rest both may stick, and only their sum is determined.
    * With these data all blows are equal after some revolutions, 5.8 J at 36 Hz, in the order of
      Fig. 14.18, and the tool rebounds from the material with half of its energy. With restitution
      0.75, or pressed with 200 N or 280 N, they differ between revolutions.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    ImportError
        If SymPy or llvmlite is not installed (``pip install nsmb[symbolic]``).
    """
    if p.epsilon < 0.0:
        raise ValueError(f"parameter 'epsilon': expected a number >= 0, got {p.epsilon:g}")
    if p.c_f2 <= p.c_f1:
        raise ValueError(f"parameter 'c_f2': expected a number > c_f1 = {p.c_f1:g}, got {p.c_f2:g}")
    system = _template(p.epsilon == 0.0).with_parameters(**p.values())
    system.scene = hammer_drill_scene(p.r, p.L_0, p.Omega)
    return system


@functools.cache
def _template(rigid: bool) -> System:
    """Derive the system with the default parameters once."""
    sympy = import_extra("sympy", "symbolic")

    from nsmb import symbolic

    data = HammerDrillParameters()
    p: Any = symbolic.parameters(**data.values())
    x = symbolic.coordinates("x_1 x_2 x_3 x_4 x_5 x_6 x_7 x_8")  # (14.27)
    x_1, x_2, x_3, x_4, x_5, x_6, x_7, x_8 = x
    v = symbolic.velocities(*x)
    masses = (p.m_1, p.m_2, p.m_3, p.m_4, p.m_5, p.m_6, p.m_7, p.m_8)
    x_A = p.r * sympy.sin(p.Omega * symbolic.time)
    v_A = x_A.diff(symbolic.time)

    kinetic = sum(m * v_i**2 for m, v_i in zip(masses, v, strict=True)) / 2  # (14.28)
    kinetic += p.m_A * v[0] * v_A + p.m_A * v_A**2 / 2  # m_A is a part of m_1
    L = p.L_0 + x_1 + x_A - x_2
    # F_A = -dV/dL = A p_0 ((L_0/L)^kappa - 1)
    air = p.L_0 / (p.kappa - 1) * ((p.L_0 / L) ** (p.kappa - 1) - 1) + L - p.L_0
    potential = p.A * p.p_0 * air + p.F * x_8
    forces = dict.fromkeys(x, sympy.S.Zero)
    arm = ((p.c_1, p.d_1, 0, 5), (p.c_2, p.d_2, 5, 6), (p.c_3, p.d_3, 6, 7))
    for c, d, i, k in arm:
        potential += c * (x[k] - x[i]) ** 2 / 2
        forces[x[i]] += d * (v[k] - v[i])
        forces[x[k]] -= d * (v[k] - v[i])
    for slip, i in ((v[0] + v_A - v[4], 0), (v[1] - v[4], 1)):
        forces[x[i]] -= p.d_5 * slip
        forces[x_5] += p.d_5 * slip  # (14.29)

    material = symbolic.elements.hysteresis(  # (14.30)
        "f", x_4, c1=p.c_f1, c2=p.c_f2, v_rest=_REST
    )
    (deepest,), (touches, loads, away) = material.states, material.watch
    initial = {x_4: -p.F / p.c_f1, deepest: -p.F / p.c_f1}  # at rest under F
    initial |= {touches: True, loads: True, away: False}
    initial[x_3] = initial[x_2] = initial[x_4]
    initial[x_5] = initial[x_3] - p.F / p.c_c
    initial[x_1] = initial[x_5] - (0 if rigid else p.F / p.c_d)
    initial[x_6] = initial[x_1] - p.F / p.c_1
    initial[x_7] = initial[x_6] - p.F / p.c_2
    initial[x_8] = initial[x_7] - p.F / p.c_3
    guides = [  # (14.32)
        Friction(v[3] - v[4], p.F_R1, name="guide_1"),
        Friction(v[2] - v[4], p.F_R2, name="guide_2"),
        Friction(v[1] - v[4], p.F_R3, name="guide_3"),
        Friction(v[0] + v_A - v[4], p.F_R4, name="guide_4"),
    ]
    elements: list[Any] = [
        material,
        ForceElement(x_5 - x_3, GapForce(p.c_c, p.d_c), "c"),
    ]  # (14.30)
    if not rigid:
        guides.append(Friction(v[0] - v[4], p.F_R5, name="guide_5"))
        elements.append(ForceElement(x_1 - x_5, GapForce(p.c_d, p.d_d), "d"))
        elements.append(ForceElement(x_5 - x_1 + p.epsilon, GapForce(p.c_e, p.d_e), "e"))
    return symbolic.LagrangianSystem(
        x,
        kinetic,
        potential,
        forces,
        contacts=[  # (14.31)
            Contact(gap=x_2 - x_3, law=ContactLaw(e_N=p.e_a), name="a"),
            Contact(gap=x_3 - x_4, law=ContactLaw(e_N=p.e_b), name="b"),
            *guides,
        ],
        elements=elements,
        constraints=[Constraint(x_5 - x_1, name="coupling")] if rigid else [],
        parameters=p,
        initial=initial,
        linear=False,
        name="hammer_drill",
        coordinate_units=["m"] * 8,
        parameter_info=data.info(),
        period=2 * sympy.pi / p.Omega,
    )


_data = functools.partial(data_of, HammerDrillParameters, "a hammer_drill")


@hammer_drill.evaluation
def air(solution: Solution, times: ArrayLike) -> Vector:
    """Return the force F_A of the air cushion in a run, N, positive in compression.

    Parameters
    ----------
    solution : Solution
    times : (n,) array_like
        Times, s.

    Returns
    -------
    (n,) ndarray

    Raises
    ------
    ValueError
        If the run is of another system, or a time is outside of the run.
    """
    p = _data("solution.system", solution.system)
    t = np.asarray(times, dtype=np.float64)
    return _cushion(p, t, solution.at(t).q)


def _cushion(p: HammerDrillParameters, t: Vector, q: Vector) -> Vector:
    L = p.L_0 + q[:, 0] + p.r * np.sin(p.Omega * t) - q[:, 1]
    force: Vector = p.A * p.p_0 * ((p.L_0 / L) ** p.kappa - 1.0)
    return force


@hammer_drill.evaluation
def material(solution: Solution, times: ArrayLike) -> Vector:
    """Return the force F_f of the material on the tool in a run, N.

    Parameters
    ----------
    solution : Solution
    times : (n,) array_like
        Times, s.

    Returns
    -------
    (n,) ndarray

    Raises
    ------
    ValueError
        If the run is of another system, or a time is outside of the run.
    """
    p = _data("solution.system", solution.system)
    found = solution.at(np.asarray(times, dtype=np.float64))
    x_4, deepest = found.q[:, 3], found.x[:, list(solution.states).index("f.deepest")]
    # the smaller force of both branches, at least zero
    let_go = -p.c_f2 * (x_4 - (1.0 - p.c_f1 / p.c_f2) * deepest)
    return np.asarray(np.clip(np.minimum(-p.c_f1 * x_4, let_go), 0.0, None))


@hammer_drill.evaluation
def acceleration(solution: Solution, times: ArrayLike) -> Vector:
    """Return the acceleration ẍ_1 of the handle in a run from all its forces, m/s².

    Parameters
    ----------
    solution : Solution
    times : (n,) array_like
        Times, s.

    Returns
    -------
    (n,) ndarray

    Raises
    ------
    ValueError
        If the run is of another system, or a time is outside of the run.

    References
    ----------
    first rows of (14.28)-(14.32); Fig. 14.19.
    """
    p = _data("solution.system", solution.system)
    t = np.asarray(times, dtype=np.float64)
    found = solution.at(t)
    q, u = found.q, found.u
    wave = p.r * p.Omega * np.array([np.cos(p.Omega * t), -p.Omega * np.sin(p.Omega * t)])
    v_A, a_A = wave
    force = p.c_1 * (q[:, 5] - q[:, 0]) + p.d_1 * (u[:, 5] - u[:, 0])  # (14.29)
    force += -p.d_5 * (u[:, 0] + v_A - u[:, 4]) - p.m_A * a_A + _cushion(p, t, q)
    elements = dict(zip(solution.element_names, found.element_force.T, strict=True))
    if "d" in elements:
        force += elements["d"] - elements["e"]  # (14.30)
    else:
        force -= found.lambda_B[:, 0]
    guides = dict(zip(solution.tangent_names, found.lambda_T.T, strict=True))
    force += sum(guides[name] for name in ("guide_4", "guide_5") if name in guides)  # (14.32)
    return np.asarray(force / p.m_1)
