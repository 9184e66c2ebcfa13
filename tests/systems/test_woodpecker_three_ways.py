"""The woodpecker without small angles: from energies, from bodies and contours, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import nsmb
from nsmb import symbolic
from tests.oracles import woodpecker_4dof as by_hand

NAMES = ("beak", "LR", "UR", "LL", "UL")
# Bodies measure the bird's angle from the sleeve, energies and the paper from the horizontal.
TO_ABSOLUTE = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1.0]])


def from_energies() -> symbolic.LagrangianSystem:
    """Return (45), (46) and the gaps derived from T, V and positions, with a pointed beak."""
    twin = nsmb.systems.woodpecker_4dof(r_S=0)
    used = ("m_M", "J_M", "m_S", "J_S", "c_phi", "g", "r_0", "r_M", "h_M", "l_M", "l_G", "h_S")
    p = symbolic.parameters(**{k: twin.parameters[k] for k in (*used, "l_S", "mu", "e_beak")})
    x, y, phi, psi = q = symbolic.coordinates("x y phi_M phi_S")
    bird = (
        x + p.l_M * sp.cos(phi) + p.l_G * sp.cos(psi),
        y + p.l_M * sp.sin(phi) + p.l_G * sp.sin(psi),
    )
    v = symbolic.velocities(*q)
    rate = [sum(sp.diff(c, k) * w for k, w in zip(q, v, strict=True)) for c in bird]
    kinetic = (
        p.m_M * (v[0] ** 2 + v[1] ** 2)
        + p.J_M * v[2] ** 2
        + p.m_S * (rate[0] ** 2 + rate[1] ** 2)
        + p.J_S * v[3] ** 2
    ) / 2
    potential = p.g * (p.m_M * y + p.m_S * bird[1]) + p.c_phi * (phi - psi) ** 2 / 2

    def contact(name: str, point: tuple[sp.Expr, sp.Expr], side: int) -> nsmb.Contact:
        law = nsmb.ContactLaw(mu=p.mu, e_N=p.e_beak if name == "beak" else 0)
        slip = sum(sp.diff(point[1], k) * w for k, w in zip(q, v, strict=True))
        return nsmb.Contact(gap=side * point[0] - p.r_0, slip=slip, law=law, name=name)

    def corner(side: int, level: int) -> tuple[sp.Expr, sp.Expr]:
        a, b = side * p.r_M, level * p.h_M
        return (
            x + a * sp.cos(phi) - b * sp.sin(phi),
            y + a * sp.sin(phi) + b * sp.cos(phi),
        )

    back = p.l_G - p.l_S
    beak = (
        x + p.l_M * sp.cos(phi) + back * sp.cos(psi) - p.h_S * sp.sin(psi),
        y + p.l_M * sp.sin(phi) + back * sp.sin(psi) + p.h_S * sp.cos(psi),
    )
    places = {"LR": (1, -1), "UR": (1, 1), "LL": (-1, -1), "UL": (-1, 1)}
    contacts = [contact("beak", beak, 1)]
    contacts += [contact(name, corner(*place), place[0]) for name, place in places.items()]
    start = twin.initial_state
    values = dict(zip(q, (TO_ABSOLUTE @ start.q).tolist(), strict=True))
    values |= dict(zip(v, (TO_ABSOLUTE @ start.u).tolist(), strict=True))
    return symbolic.LagrangianSystem(
        q, kinetic, potential, contacts=contacts, parameters=p, initial=values
    )


def test_three_descriptions_have_the_same_first_twenty_events() -> None:
    method = nsmb.EventDriven(impact_law="poisson", rtol=1e-12)
    energies = nsmb.simulate(from_energies(), t_end=0.136, method=method, output_step=0)
    bodies = nsmb.simulate(
        nsmb.systems.woodpecker_4dof(r_S=0), t_end=0.136, method=method, output_step=0
    )
    reference = by_hand.simulate(0.2, tip=0.0, max_events=20)
    for events in (energies.events[:20], bodies.events[:20]):
        assert events.kinds == [e.kind for e in reference]
        # Required: 1e-9 s. Measured: 2e-14 s.
        assert events.t == pytest.approx([e.t for e in reference], abs=1e-12)
        assert [e.contacts for e in events] == [e.contacts for e in reference]
    assert energies.contact_names == bodies.contact_names == NAMES
    u = bodies.events[:20].u_plus @ TO_ABSOLUTE.T
    assert energies.events[:20].u_plus == pytest.approx(u, abs=1e-9)


def test_energies_give_the_equations_of_the_paper() -> None:
    system = from_energies()
    q, u = [1e-4, -0.02, -0.08, -0.25], [0.01, -0.3, 4.0, -6.0]
    assert system.mass_matrix(0.0, q) == pytest.approx(by_hand.mass(np.array(q)), rel=1e-13)
    printed = [3.072154413e-3, -4.7746730201e-2, -1.396149244e-3, 3.12237587e-4]
    assert system.forces(0.0, q, u) == pytest.approx(printed, rel=1e-8)
