"""Systems of sympy.physics.mechanics are converted in one call."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray
from sympy.physics import mechanics as me

import nsmb
from nsmb import symbolic

Array = NDArray[np.float64]
TIGHT = nsmb.EventDriven(rtol=1e-12)
m, l, g = sp.symbols("m l g")
VALUES = {m: 1.0, l: 0.6, g: 9.81}


def test_lagranges_method_of_a_pendulum_at_a_wall() -> None:
    """The reference is the same system from its energies."""
    phi = me.dynamicsymbols("phi")
    lagrangian = m * l**2 * phi.diff() ** 2 / 2 + m * g * l * sp.cos(phi)
    wall = nsmb.Contact(gap=l * sp.sin(phi) + 0.1, law=nsmb.ContactLaw(e_N=0.7), name="wall")
    taken = symbolic.from_mechanics(
        me.LagrangesMethod(lagrangian, [phi]), VALUES, [wall], initial={phi: 1.0, phi.diff(): 0.5}
    )
    derived = symbolic.LagrangianSystem(
        [phi],
        m * l**2 * phi.diff() ** 2 / 2,
        -m * g * l * sp.cos(phi),
        contacts=[wall],
        parameters=VALUES,
        initial={phi: 1.0, phi.diff(): 0.5},
    )
    events = [nsmb.simulate(s, 5.0, method=TIGHT).events for s in (taken, derived)]
    assert len(events[0]) >= 5
    np.testing.assert_allclose(events[0].t, events[1].t, atol=1e-10)


def test_constraints_of_lagranges_method_become_bilateral() -> None:
    x, y = me.dynamicsymbols("x y")
    lagrangian = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y
    method = me.LagrangesMethod(lagrangian, [x, y], hol_coneqs=[x**2 + y**2 - l**2])
    system = symbolic.from_mechanics(method, VALUES, initial={x: l}, potential=m * g * y)
    assert system.constraints == ("holonomic_1",)
    end = nsmb.simulate(system, 1.0, method=TIGHT)
    state = end.t[-1], end.q[-1], end.u[-1]
    assert np.hypot(*end.q[-1]) == pytest.approx(0.6, abs=1e-9)
    assert system.kinetic_energy(*state) + system.potential_energy(*state[:2]) == pytest.approx(
        0.0, abs=1e-8
    )


def test_kanes_method_keeps_its_own_speeds() -> None:
    """A double pendulum with relative speeds, u_2 = ψ̇ - φ̇, agrees with one with speeds q̇."""
    phi, psi, u_1, u_2 = me.dynamicsymbols("phi psi u_1 u_2")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    arms = [
        frame.orientnew("A", "Axis", [phi, frame.z]),
        frame.orientnew("B", "Axis", [psi, frame.z]),
    ]
    speeds = [u_1, u_1 + u_2]
    point, particles, loads = origin, [], []
    for arm, speed, name in zip(arms, speeds, "PQ", strict=True):
        arm.set_ang_vel(frame, speed * frame.z)
        end = point.locatenew(name, -l * arm.y)
        end.v2pt_theory(point, frame, arm)
        particles.append(me.Particle(f"particle {name}", end, m))
        loads.append((end, -m * g * frame.y))
        point = end
    method = me.KanesMethod(
        frame,
        [phi, psi],
        [u_1, u_2],
        kd_eqs=[phi.diff() - u_1, psi.diff() - phi.diff() - u_2],
    )
    method.kanes_equations(particles, loads)
    tip = point.pos_from(origin)
    x, y = tip.dot(frame.x), tip.dot(frame.y)
    floor = nsmb.Contact(
        gap=y + sp.Rational(11, 10),
        slip=x.diff(me.dynamicsymbols._t),
        law=nsmb.ContactLaw(mu=0.2, e_N=0.5),
        name="floor",
    )
    start = {phi: 1.0, psi: 1.5, u_1: 0.3, u_2: -0.5}
    taken = symbolic.from_mechanics(method, VALUES, [floor], initial=start)
    assert taken.nq == taken.nu == 2

    heights = [-l * sp.cos(phi), -l * (sp.cos(phi) + sp.cos(psi))]
    widths = [l * sp.sin(phi), l * (sp.sin(phi) + sp.sin(psi))]
    kinetic = m / 2 * sum(e.diff(me.dynamicsymbols._t) ** 2 for e in (*heights, *widths))
    derived = symbolic.LagrangianSystem(
        [phi, psi],
        kinetic,
        m * g * sum(heights),
        contacts=[floor],
        parameters=VALUES,
        initial={phi: 1.0, psi: 1.5, phi.diff(): 0.3, psi.diff(): -0.2},
    )
    tight = nsmb.EventDriven(impact_law="poisson", rtol=1e-12)
    runs = [nsmb.simulate(s, 1.5, method=tight) for s in (taken, derived)]
    assert len(runs[1].events) >= 20
    # Accumulating impacts amplify early errors, and end at rest_velocity one impact sooner or
    # later. Measured: 2e-11 s.
    assert runs[0].events.kinds[:20] == runs[1].events.kinds[:20]
    times = [run.events.t[:20] for run in runs]
    np.testing.assert_allclose(*times, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], atol=1e-8)
    np.testing.assert_allclose(runs[0].u[-1] @ [[1, 1], [0, 1]], runs[1].u[-1], atol=1e-7)


def test_kanes_method_with_more_coordinates_than_speeds() -> None:
    """A point on a line, also described by the angle of a wheel, has nq = 2, nu = 1."""
    x, a, u = me.dynamicsymbols("x a u")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    place = origin.locatenew("P", x * frame.x)
    place.set_vel(frame, u * frame.x)
    method = me.KanesMethod(frame, [x, a], [u], kd_eqs=[x.diff() - u, a.diff() - 2 * u])
    method.kanes_equations([me.Particle("p", place, m)], [(place, m * g * frame.x)])
    stop = nsmb.Contact(gap=3 - a, law=nsmb.ContactLaw(e_N=1.0), name="stop")
    system = symbolic.from_mechanics(method, {m: 1.0, g: 2.0}, [stop])
    assert (system.nq, system.nu) == (2, 1)
    np.testing.assert_array_equal(system.contact_kinematics(0, [0, 0], [1])["W_N"], [[-2.0]])
    # a = 2 x = 2 t², so that the stop at 3 is reached at sqrt(3/2).
    events = nsmb.simulate(system, 2.0, method=TIGHT).events
    assert events.t[0] == pytest.approx(np.sqrt(1.5), abs=1e-10)


def test_a_point_over_a_line_slips_with_the_speeds_of_kanes_method() -> None:
    """With u = ẋ / 2, a belt and a moving origin, γ_T = 2 u - 0.3 - 5 cos 5t."""
    x, y, u, w = me.dynamicsymbols("x y u w")
    t = me.dynamicsymbols._t
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    ball = origin.locatenew("P", x * frame.x + y * frame.y)
    ball.set_vel(frame, 2 * u * frame.x + w * frame.y)
    method = me.KanesMethod(frame, [x, y], [u, w], kd_eqs=[x.diff() - 2 * u, y.diff() - w])
    method.kanes_equations([me.Particle("ball", ball, m)], [(ball, -m * g * frame.y)])
    floor = symbolic.point_contact((x, y), (1, 0), origin=(sp.sin(5 * t), 0), belt=0.3)
    system = symbolic.from_mechanics(method, VALUES, [floor])
    time, q, speeds = 0.7, [0.2, 0.1], [1.5, -0.4]
    found = system.contact_kinematics(time, q, speeds)
    np.testing.assert_allclose(found["W_T"], [[2.0], [0.0]], atol=1e-15)
    quantities = system.contact_quantities(time, q, speeds)
    np.testing.assert_allclose(
        quantities["gamma_T"], [3.0 - 0.3 - 5 * np.cos(5 * time)], atol=1e-14
    )
    np.testing.assert_allclose(found["w_bar_T"], [25 * np.sin(5 * time)], atol=1e-13)


def test_dependent_speeds_are_refused() -> None:
    x, y, u, v = me.dynamicsymbols("x y u v")
    frame = me.ReferenceFrame("N")
    method = me.KanesMethod(
        frame, [x, y], [u], kd_eqs=[x.diff() - u, y.diff() - v], u_dependent=[v],
        velocity_constraints=[u - v],
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"got a KanesMethod in which v\(t\) depend on others"):
        symbolic.from_mechanics(method, {})


def test_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a LagrangesMethod or a KanesMethod, got 3"):
        symbolic.from_mechanics(3)  # type: ignore[arg-type]
