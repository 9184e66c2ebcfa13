"""Sphere on a beam, two beams and a sphere, a helical spring: what is known of them."""

import numpy as np
import pytest

import nsmb
from nsmb.systems import helical_spring_stiffness


def test_a_sphere_at_rest_bends_the_beam_as_its_weight_does() -> None:
    system = nsmb.systems.sphere_on_beam(h=-1e-4, zeta=0.3)
    sol = nsmb.simulate(system, 0.4)
    contact = system.areal_contact("layer", 0.0, sol.q[-1], sol.u[-1])
    weight = 0.2 * 9.81
    assert -contact.force[2] == pytest.approx(weight, rel=1e-2)
    z = sol.q[-1][system.coordinates.index("sphere.z")]
    # Six modes carry 99 % of the deflection; the lowest facet is not under the middle.
    sag = weight * 0.6**3 / (192.0 * 3e9 * 0.05 * 0.01**3 / 12.0)
    assert 0.035 - z - contact.depth == pytest.approx(sag, rel=0.05)


def test_two_beams_touch_after_the_sphere_has_come() -> None:
    system = nsmb.systems.two_beams_and_sphere()
    sol = nsmb.simulate(system, 0.3)
    t = np.linspace(0.0, 0.3, 301)
    at = sol.at(t)
    touch = {
        name: [system.areal_contact(name, 0.0, q, u).active > 0
               for q, u in zip(at.q, at.u, strict=True)]
        for name in ("sphere_upper", "upper_lower")
    }  # fmt: skip
    first = {name: t[np.argmax(active)] for name, active in touch.items() if any(active)}
    assert first["sphere_upper"] > 0.19
    assert first["upper_lower"] > first["sphere_upper"]
    before = t < first["sphere_upper"]
    upper, lower = (at.q[before][:, system.elastic_coordinates(b)] for b in ("upper", "lower"))
    assert np.abs(upper - lower).max() < 1e-9


def test_the_spring_is_as_stiff_as_its_formula_says() -> None:
    system = nsmb.systems.helical_spring(mass=4.0, contacts=False, zeta=0.3)
    assert helical_spring_stiffness() == pytest.approx(13426.46, rel=1e-6)
    sol = nsmb.simulate(system, 2.0)
    sag = -sol.q[-1][0]
    assert sag == pytest.approx(2.9e-3, rel=0.02)
    assert 4.0 * 9.81 / sag == pytest.approx(helical_spring_stiffness(), rel=1e-2)
