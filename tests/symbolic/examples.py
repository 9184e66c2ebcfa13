"""Systems of nsmb.systems, derived from energies, gaps and points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import nsmb
from nsmb import Contact, ContactLaw, symbolic
from nsmb.symbolic import LagrangianSystem, point_contact

Array = NDArray[np.float64]


def _start(system: nsmb.System, q: Sequence[Any]) -> dict[Any, float]:
    state = system.initial_state
    values = dict(zip(q, state.q.tolist(), strict=True))
    return values | dict(zip((c.velocity for c in q), state.u.tolist(), strict=True))


def _law(p: Any) -> ContactLaw:
    return ContactLaw(mu=p.mu, e_N=p.e_N if "e_N" in p else 0.0)


def sliding_rod() -> LagrangianSystem:
    """Return the rod with its tip as a point over a fixed line."""
    twin = nsmb.systems.sliding_rod()
    p = symbolic.parameters(**twin.parameters)
    x, y, phi = q = symbolic.coordinates("x y phi")
    v_x, v_y, omega = symbolic.velocities(*q)
    tip = (x + p.s * sp.cos(phi), y - p.s * sp.sin(phi))
    return LagrangianSystem(
        q,
        p.m * (v_x**2 + v_y**2 + p.s**2 / 3 * omega**2) / 2,
        p.m * p.g * y,
        contacts=[point_contact(point=tip, tangent=(1, 0), law=_law(p), name="tip")],
        parameters=p,
        initial=_start(twin, q),
    )


def impact_pendulum() -> LagrangianSystem:
    """Return the pendulum with its tip over a line with a moving surface."""
    twin = nsmb.systems.impact_pendulum()
    p = symbolic.parameters(**twin.parameters)
    phi = symbolic.coordinates("phi")
    tip = (p.l * sp.sin(phi), -p.l * sp.cos(phi))
    surface = point_contact(
        point=tip,
        tangent=(3, 0),  # of any length
        origin=(0, -p.l * sp.cos(p.phi_0)),
        belt=p.v_0,
        law=ContactLaw(mu=p.mu, e_N=p.e_N, e_T=p.e_T, nu=p.nu),
        name="surface",
    )
    return LagrangianSystem(
        [phi],
        p.J_0 / 2 * phi.velocity**2,
        -p.m * p.g * p.s * sp.cos(phi),
        contacts=[surface],
        parameters=p,
        initial=_start(twin, [phi]),
    )


def pantograph() -> LagrangianSystem:
    """Return masses at r and 2 r, with M depending on q and h on velocities."""
    twin = nsmb.systems.pantograph()
    p = symbolic.parameters(**twin.parameters)
    r, phi = q = symbolic.coordinates("r phi")
    points = [[i * r * sp.cos(phi), i * r * sp.sin(phi)] for i in (1, 2)]
    squares = [sum(v**2 for v in symbolic.rate(point)) for point in points]
    kinetic = (p.m_1 * squares[0] + p.m_2 * squares[1]) / 2
    weight = p.g * (p.m_1 * points[0][1] + p.m_2 * points[1][1])
    masses = zip(("inner", "outer"), points, (p.mu_1, p.mu_2), strict=True)
    return LagrangianSystem(
        q,
        kinetic,
        weight,
        contacts=[
            point_contact(point=point, tangent=(1, 0), law=ContactLaw(mu=mu), name=name)
            for name, point, mu in masses
        ],
        parameters=p,
        initial=_start(twin, q),
    )


def parabola_on_line() -> LagrangianSystem:
    """Return gap (4.49) and slip (4.52), with a given force outside the potential."""
    twin = nsmb.systems.parabola_on_line()
    p = symbolic.parameters(**twin.parameters)
    z, phi, x, y = q = symbolic.coordinates("z phi x y")
    v_z, omega, v_x, v_y = symbolic.velocities(*q)
    root = sp.sqrt(1 + p.a**2)
    across, along = p.a * sp.cos(phi) - sp.sin(phi), p.a * sp.sin(phi) + sp.cos(phi)
    sigma = -across / along / (2 * p.p_1)
    depth = p.p_1 * sigma**2
    gap = (p.b - y + p.a * (x - z) - (depth + p.p_2) * along) / root
    slip = (-v_z - (depth + p.p_2) * along * omega + v_x + p.a * v_y) / root
    return LagrangianSystem(
        q,
        (p.m_1 * v_z**2 + p.J_2 * omega**2 + p.m_2 * (v_x**2 + v_y**2)) / 2,
        p.c * z**2 / 2,
        {y: p.F},
        [Contact(gap, slip, _law(p), "contact")],
        parameters=p,
        initial=_start(twin, q),
    )


def incline_block() -> LagrangianSystem:
    twin = nsmb.systems.incline_block()
    p = symbolic.parameters(**twin.parameters)
    x, y = q = symbolic.coordinates("x y")
    return LagrangianSystem(
        q,
        p.m * (x.velocity**2 + y.velocity**2) / 2,
        p.m * p.g * (y * sp.cos(p.alpha) - x * sp.sin(p.alpha)),
        contacts=[point_contact(point=q, tangent=(1, 0), law=_law(p), name="slope")],
        parameters=p,
        initial=_start(twin, q),
    )


def stick_slip_oscillator() -> LagrangianSystem:
    """Return a linear system with harmonic forces and a closed-form motion."""
    twin = nsmb.systems.stick_slip_oscillator()
    p = symbolic.parameters(**twin.parameters)
    x_1, y_1, x_2, y_2 = q = symbolic.coordinates("x_1 y_1 x_2 y_2")
    v = symbolic.velocities(*q)
    t = symbolic.time
    kinetic = (p.m_1 * (v[0] ** 2 + v[1] ** 2) + p.m_2 * (v[2] ** 2 + v[3] ** 2)) / 2
    springs = (p.c_1 * x_1**2 + p.c_2 * (x_1 - x_2) ** 2) / 2
    forces = {
        x_1: p.F_1 * sp.cos(p.omega_1 * t + p.phase_1),
        x_2: p.F_2 * sp.sin(p.omega_2 * t + p.phase_2 + sp.pi / 2),
    }
    lower = Contact(y_1, v[0], ContactLaw(mu=p.mu_1), twin.contact_names[0])
    upper = Contact(y_2 - y_1, v[2] - v[0], ContactLaw(mu=p.mu_2), twin.contact_names[1])
    return LagrangianSystem(
        q,
        kinetic,
        springs + p.g * (p.m_1 * y_1 + p.m_2 * y_2),
        forces,
        [lower, upper],
        parameters=p,
        initial=_start(twin, q),
    )


def spring_damper_wall() -> LagrangianSystem:
    """Return a system with a force element whose stiffness and damping are parameters."""
    twin = nsmb.systems.spring_damper_wall()
    p = symbolic.parameters(**{k: v for k, v in twin.parameters.items() if k != "law"})
    gamma = symbolic.coordinates("gamma")
    return LagrangianSystem(
        [gamma],
        p.m * gamma.velocity**2 / 2,
        p.m * p.g * gamma,
        elements=[nsmb.ForceElement(gamma, nsmb.GapForce(p.c, p.d), "wall")],
        parameters=p,
        initial=_start(twin, [gamma]),
    )


def woodpecker() -> nsmb.System:
    return nsmb.systems.woodpecker.symbolic()


EXAMPLES: list[Callable[[], Any]] = [
    woodpecker,
    sliding_rod,
    impact_pendulum,
    pantograph,
    parabola_on_line,
    incline_block,
    stick_slip_oscillator,
    spring_damper_wall,
]
