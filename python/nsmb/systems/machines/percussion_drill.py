"""The percussion drill of Glocker and Pfeiffer (1992); Pfeiffer & Glocker, section 14.2."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.events import Events
from nsmb.pictures.scene import ContactFrame, Scene
from nsmb.solution.solution import Solution
from nsmb.system import System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, data_of, parameter, parametric
from nsmb.systems._blocks import UP, Part, block, parts_scene
from nsmb.systems._recommended import NEWTON
from nsmb.systems.machines.cam_contour import CamContour, contour_parts, curvature_length

__all__ = ["PercussionDrillParameters", "percussion_drill"]

_SIZE = "chosen: size of a machine for the household; the sources give none"
_ARM = "chosen: order of magnitude of hand-arm models; the sources give none"
_SPRING = "chosen: holds the drill at the hole's bottom in flight; 0 is (14.7), no force at all"
_ROUTE = "chosen: with it the route of Fig. 8 lies at speeds of such machines"

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class PercussionDrillParameters(Parameters):
    """Data of machine, arm and cams; all are chosen, as neither source prints any."""

    Omega: float = parameter(40.0, "rad/s", "speed of the drill relative to the motor", _ROUTE)
    F: float = parameter(150.0, "N", "pressing force", _SIZE, positive=True)
    S: float = parameter(5.0, "N", "spring that parts the discs", _SPRING)
    mu: float = parameter(0.1, "-", "friction of the cams", "chosen: greased steel")
    n: int = parameter(12, "-", "number of cams of a disc", _SIZE, positive=True)
    alpha: float = parameter(0.5, "rad", "inclination of the cams", _ROUTE)
    R: float = parameter(5e-3, "m", "least radius of the cams' tops", _ROUTE)
    r: float = parameter(15e-3, "m", "radius of the discs", _SIZE, positive=True)
    a: float = parameter(2.0, "-", "exponent of (37)", "chosen: least whole number for C²")
    back: float = parameter(0.15, "-", "part of a cam that falls steeply", "chosen: a saw tooth")
    m_0: float = parameter(0.3, "kg", "drill and disc 0", _SIZE)
    m_1: float = parameter(1.5, "kg", "disc 1, gearbox and motor", _SIZE)
    m_2: float = parameter(0.3, "kg", "handle", _SIZE)
    m_3: float = parameter(0.5, "kg", "hand", _ARM)
    m_4: float = parameter(1.2, "kg", "forearm", _ARM)
    m_5: float = parameter(2.5, "kg", "upper arm", _ARM)
    c_1: float = parameter(5.0e4, "N/m", "mounting of the handle", _SIZE, positive=True)
    c_2: float = parameter(4.0e4, "N/m", "between handle and hand", _ARM, positive=True)
    c_3: float = parameter(1.0e4, "N/m", "between hand and forearm", _ARM, positive=True)
    c_4: float = parameter(5.0e3, "N/m", "between forearm and upper arm", _ARM, positive=True)
    d_1: float = parameter(100.0, "N s/m", "damping along c_1", _SIZE, least=0.0)
    d_2: float = parameter(150.0, "N s/m", "damping along c_2", _ARM, least=0.0)
    d_3: float = parameter(150.0, "N s/m", "damping along c_3", _ARM, least=0.0)
    d_4: float = parameter(150.0, "N s/m", "damping along c_4", _ARM, least=0.0)
    J_0: float = parameter(4.0e-4, "kg m²", "drill and disc 0, with what turns with them", _ROUTE)
    J_1: float = parameter(5.0e-3, "kg m²", "machine about its axis", _SIZE)
    c_phi: float = parameter(260.0, "N m/rad", "elasticity of the gears", _ROUTE, least=0.0)
    d_phi: float = parameter(0.05, "N m s/rad", "damping of the gears", _ROUTE, least=0.0)
    c_H: float = parameter(5.0, "N m/rad", "hand, about the axis", "chosen: 0 is (14.5)", least=0.0)
    d_H: float = parameter(0.15, "N m s/rad", "damping along c_H", "chosen: 0 is (14.5)", least=0.0)
    k: float = parameter(1.0e-9, "m³/(N s)²", "removal by an impulse (49)", "chosen: hard stone")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.Omega <= 0.0:
            raise ValueError(
                f"parameter 'Omega': expected a number > 0, the sense in which the flanks rise, "
                f"got {self.Omega:g}"
            )
        _cams(self)


# no friction in impacts, as in both sources
@parametric(PercussionDrillParameters, recommended=NEWTON)
def percussion_drill(p: PercussionDrillParameters) -> System:
    """Percussion drill with hand and arm, in which two discs with cams strike the drill bit.

    ===========  =========================================================================
    coordinates  ``x_0`` drill with disc 0, ``x_1`` motor with disc 1, ``x_2`` handle, ``x_3`` to
                 ``x_5`` arm, away from the hole (m); ``phi_0`` angle of the drill relative to the
                 motor's shaft, ``phi_1`` angle of the machine (rad)
    contacts     ``tip``, the drill at the bottom of the hole; ``cams``, disc 1 on disc 0, with
                 friction while they slip; both inelastic
    period       2π/(n Omega), the passage of a cam
    source       Glocker and Pfeiffer (1992), section 3; Pfeiffer & Glocker, section 14.2,
                 (14.2)-(14.26); data, start and the shape of the cams' backs chosen
    ===========  =========================================================================

    The sources have no friction in impacts. By default the system therefore runs with the Newton
    impact law (`System.recommended`). The gap of the cams, x_1 - x_0 - e(σ) with σ = r (Omega t +
    phi_0), is measured along the axis, see :class:`CamContour`. Slip is that of the book divided by
    cos ᾱ. Forces and impulses are those of the book times cos ᾱ, that is, the axial parts. Friction
    and impacts are the same.

    Rotating parts exchange angular momentum only with one another. Without the hand, c_H = d_H = 0
    as printed, J_0 (φ̇_0 + φ̇_1) + J_1 φ̇_1 is constant and phi_1 drifts freely. Without S no force
    acts on the drill in flight, and rounding determines whether it touches the bottom.

    With these data each cam is hit up to Omega = 91.1 rad/s. The hits alternate between two
    positions up to 94.1 and between four up to 95.5. The motion has long periods or none up to
    96.9. From 98.2 on every second cam is hit, from 133 on every third. The second period doubling
    is caused by the gears, whose oscillation persists from one cam to the next. They have a
    resonance near 65 rad/s, where the blows are weak. With d_phi = 0.25 neither effect occurs.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    ImportError
        If SymPy or llvmlite is not installed (``pip install nsmb[symbolic]``).
    """
    system = _template().with_parameters(**p.values())
    system.scene = _scene()
    return system


def _scene() -> Scene:
    """Return masses along the axis with the hole to the left; sizes and distances are chosen."""
    names = ("drill", "machine", "handle", "hand", "forearm", "upper arm")
    starts = (0.0, 0.08, 0.16, 0.22, 0.28, 0.36)  # m, left end of each
    lengths = (0.07, 0.06, 0.02, 0.03, 0.05, 0.06)

    def end(q: Vector, i: int, part: float = 0.0) -> tuple[float, float]:
        return float(q[i]) + starts[i] + part * lengths[i], 0.0

    def follow(i: int) -> Callable[[float, Vector], tuple[float, float]]:
        return lambda t, q: end(q, i)

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        return [ContactFrame(end(q, i), (1.0, 0.0), UP) for i in (0, 1)]

    rod = np.array([(0.0, -0.004), (0.055, -0.004), (0.055, -0.015), (0.07, -0.015)])
    shapes = [np.vstack([rod, rod[::-1] * (1.0, -1.0), rod[:1]])]
    shapes += [block(0.04, length) @ np.array([[0.0, -1.0], [1.0, 0.0]]) for length in lengths[1:]]
    wall = np.array([(0.0, -0.03), (0.0, 0.03)])
    bodies = [Part(n, s, follow(i)) for i, (n, s) in enumerate(zip(names, shapes, strict=True))]
    return parts_scene(
        [Part("ground", wall), *bodies],
        contacts=contacts,
        markers=lambda t, q: [end(q, i + k, 1.0 - k) for i in range(1, 5) for k in (0, 1)],
        springs=[(0, 1), (2, 3), (4, 5), (6, 7)],
    )


def _cams(p: PercussionDrillParameters) -> CamContour:
    return CamContour(2.0 * math.pi * p.r / p.n, p.alpha, p.R, p.a, p.back)


@functools.cache
def _template() -> System:
    """Derive the system with the default parameters once."""
    sympy = import_extra("sympy", "symbolic")

    from nsmb import symbolic

    data = PercussionDrillParameters()
    p: Any = symbolic.parameters(**data.values())
    x = symbolic.coordinates("x_0 x_1 x_2 x_3 x_4 x_5")
    phi_0, phi_1 = symbolic.coordinates("phi_0 phi_1")
    v = symbolic.velocities(*x)
    omega_0, omega_1 = symbolic.velocities(phi_0, phi_1)
    m = (p.m_0, p.m_1, p.m_2, p.m_3, p.m_4, p.m_5)
    c = (p.c_1, p.c_2, p.c_3, p.c_4)
    d = (p.d_1, p.d_2, p.d_3, p.d_4)

    kinetic = sum(m[i] * v[i] ** 2 for i in range(6)) / 2
    # kinetic energy that gives M of (14.4)
    kinetic += (p.J_0 * (omega_0 + omega_1 + p.Omega) ** 2 + p.J_1 * omega_1**2) / 2
    springs = sum(c[i] * (x[i + 1] - x[i + 2]) ** 2 for i in range(4))  # (14.6)
    potential = (springs + p.c_phi * phi_0**2 + p.c_H * phi_1**2) / 2 + p.F * x[5]  # (14.7)
    potential -= p.S * (x[1] - x[0])
    forces: dict[Any, Any] = {phi_0: -p.d_phi * omega_0, phi_1: -p.d_H * omega_1}
    for i in range(1, 6):  # (14.5)
        behind = d[i - 2] * (v[i - 1] - v[i]) if i > 1 else 0
        ahead = d[i - 1] * (v[i] - v[i + 1]) if i < 5 else 0
        forces[x[i]] = behind - ahead

    length = 2 * sympy.pi * p.r / p.n
    slope = sympy.tan(p.alpha)
    flank, back = length * (1 - p.back), length * p.back
    b = curvature_length(p.a) * slope * p.R
    sigma = p.r * (p.Omega * symbolic.time + phi_0)  # (14.10)
    on_tooth = sigma - length * sympy.floor(sigma / length)  # position on the current tooth
    at = sympy.Symbol("s", real=True)
    parts = contour_parts(at, flank, back, p.a, b, slope)

    def piecewise(rising: Any, falling: Any) -> Any:
        return sympy.Piecewise((rising, at < flank), (falling, True)).subs(at, on_tooth)

    e = piecewise(*parts)
    e_prime = piecewise(*(part.diff(at) for part in parts))
    cams = Contact(
        gap=x[1] - x[0] - e,  # (58)
        slip=e_prime * (v[0] - v[1]) - p.r * (omega_0 + p.Omega),  # (14.16)
        law=ContactLaw(mu=p.mu),
        name="cams",
    )
    tip = Contact(gap=x[0], name="tip")  # (14.25)
    top = -slope * (-flank) * (flank / (flank + b)) ** p.a
    initial = {x[1]: top}
    for i in range(1, 5):
        initial[x[i + 1]] = initial[x[i]] - p.F / c[i - 1]  # loaded by F
    return symbolic.LagrangianSystem(
        [*x, phi_0, phi_1],
        kinetic,
        potential,
        forces,
        contacts=[tip, cams],
        parameters=p,
        initial=initial,
        linear=False,
        name="percussion_drill",
        coordinate_units=["m"] * 6 + ["rad"] * 2,
        parameter_info=data.info(),
        period=length / (p.r * p.Omega),
    )


@percussion_drill.evaluation
def cams(system: System) -> CamContour:
    """Return the contour e(σ) of the cams.

    Raises
    ------
    ValueError
        If the system is of another kind.
    """
    return _cams(_data("system", system))


_data = functools.partial(data_of, PercussionDrillParameters, "a percussion_drill")


def _blows(solution: Solution, t_start: float | None) -> Events:
    """Return the impacts of the cams from `t_start` on."""
    events = solution.events.of_kind("impact").at_contact("cams")
    return events if t_start is None else events[events.t >= t_start]


@percussion_drill.evaluation
def hits(solution: Solution, t_start: float | None = None) -> Vector:
    """Return the positions σ at which disc 1 hits the cams of disc 0, for every impact of a run, m.

    With the contour of :func:`percussion_drill.cams`, ``σ // length`` is the index of the cam and
    ``phase(σ)`` the position on it.

    Parameters
    ----------
    solution : Solution
    t_start : float, optional
        Only impacts from this time on, s.

    Raises
    ------
    ValueError
        If the run is of another system.
    """
    p = _data("solution.system", solution.system)
    events = _blows(solution, t_start)
    return p.r * (p.Omega * events.t + events.q[:, 6])  # (14.10)


@percussion_drill.evaluation
def removal(solution: Solution, t_start: float | None = None) -> float:
    """Return the volume removed per time by the blows of a run, k Σ Λ_N0²/T, m³/s.

    Parameters
    ----------
    solution : Solution
    t_start : float, optional
        Start of the averaging interval, which ends with the run, s; default: start of the run.

    Raises
    ------
    ValueError
        If the run is of another system or has no duration.

    References
    ----------
    (49), (14.26).
    """
    p = _data("solution.system", solution.system)
    first, last = solution.t_span
    start = first if t_start is None else t_start
    if not first <= start < last:
        raise ValueError(f"t_start: expected a time in [{first:g}, {last:g}), got {start!r}")
    Lambda_N0 = _blows(solution, start).Lambda_N[:, 0]
    return float(p.k * (Lambda_N0**2).sum() / (last - start))


@percussion_drill.evaluation
def vibration(solution: Solution, cams: int = 1, harmonics: int = 100) -> float:
    """Return the root mean square of the acceleration of the handle in a run, m/s².

    It is (Σ |a_k|²/2)^½, k = 1, 2, ..., with the Fourier coefficients a_k of ẍ_2 over the last cams
    of the run.

    Parameters
    ----------
    solution : Solution
        Run in steady state, with dense output.
    cams : int
        Number of passages of a cam in one period of the motion, or in a long interval of a motion
        without a period.
    harmonics : int
        Number of coefficients per passage of a cam.

    Raises
    ------
    ValueError
        If the run is of another system or is shorter.

    References
    ----------
    Glocker and Pfeiffer (1992), Fig. 9; the sum over the coefficients is our choice.
    """
    p = _data("solution.system", solution.system)
    first, last = solution.t_span
    length = 2.0 * math.pi / (p.n * p.Omega) * cams
    if harmonics < 1:
        raise ValueError(f"harmonics: expected a whole number > 0, got {harmonics!r}")
    if cams < 1 or last - length < first - 1e-9 * length:  # up to rounding
        longest = (last - first) * p.n * p.Omega / (2.0 * math.pi)
        raise ValueError(
            f"cams: expected a number from 1 to {longest:.0f}, the length of the run, got {cams}"
        )
    samples = 16 * harmonics * cams  # oversampled, because the acceleration has kinks and jumps
    found = solution.at(np.maximum(first, last - length + length / samples * np.arange(samples)))
    x, v = found.q, found.u
    # (14.2), third row
    force = p.c_1 * (x[:, 1] - x[:, 2]) + p.d_1 * (v[:, 1] - v[:, 2])
    force += p.c_2 * (x[:, 3] - x[:, 2]) + p.d_2 * (v[:, 3] - v[:, 2])
    a = 2.0 / samples * np.fft.rfft(force / p.m_2)[1 : harmonics * cams + 1]
    return float(np.sqrt((np.abs(a) ** 2).sum() / 2.0))
