"""A sphere on a beam, two beams and a sphere, and a helical spring agree with known results."""

import numpy as np
import pytest

import nsmb
from nsmb.systems import helical_spring


def test_a_sphere_at_rest_bends_the_beam_as_its_weight_does() -> None:
    system = nsmb.systems.sphere_on_beam(h=-1e-4, zeta=0.3)
    sol = nsmb.simulate(system, 0.4)
    contact = system.areal_contact("layer", 0.0, sol.q[-1], sol.u[-1])
    weight = 0.2 * 9.81
    assert -contact.force[2] == pytest.approx(weight, rel=1e-2)
    z = sol.q[-1][system.coordinates.index("sphere.z")]
    # Due to the sphere and the beam's own weight. Three bending modes miss 0.4 %.
    EI, own = 3e9 * 0.05 * 0.01**3 / 12.0, 1200.0 * 0.05 * 0.01 * 0.6 * 9.81
    sag = (2.0 * weight + own) * 0.6**3 / (384.0 * EI)
    assert 0.035 - z - contact.depth == pytest.approx(sag, rel=0.01)


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
    system = nsmb.systems.helical_spring(mass=4.0)
    assert helical_spring.stiffness() == pytest.approx(13426.46, rel=1e-6)
    q, u = np.zeros(system.nq), np.zeros(system.nu)

    def forces(x):
        return system.forces(0.0, x, u)

    h = 1e-4
    K = [(forces(q - h * e) - forces(q + h * e)) / (2.0 * h) for e in np.eye(system.nq)]
    sag = -np.linalg.solve(np.transpose(K), forces(q))[0]
    assert sag == pytest.approx(2.9e-3, rel=0.01)
    # Weight and 4 g of wire. The end is guided, and chords are 0.4 % stiffer than the helix.
    assert 4.0 * 9.81 / sag == pytest.approx(helical_spring.stiffness(), rel=1e-2)


def test_coils_of_a_damped_wire_meet_twice_and_not_at_the_third_shortest_length() -> None:
    """The source gives contact at 0.049 and 0.175 s, and none at the next minimum at 0.31 s."""
    damped = nsmb.systems.helical_spring.parameter_sets["damped_wire"]
    system = nsmb.systems.helical_spring(**damped)
    t = np.arange(0.0, 0.34, 5e-4)
    at = nsmb.simulate(system, 0.34, rtol=1e-5).at(t)
    names = ("coils_1_2", "coils_2_3", "coils_3_4")
    closed = np.array([
        [system.areal_contact(name, 0.0, q, u).active > 0 for name in names]
        for q, u in zip(at.q, at.u, strict=True)
    ])  # fmt: skip
    touches = closed.any(axis=1)
    begins = t[1:][touches[1:] & ~touches[:-1]]
    assert begins == pytest.approx([0.0495, 0.1790], abs=1e-3)
    assert closed.any(axis=0).all()
    z = at.q[:, 0]
    lowest = np.flatnonzero((z[1:-1] < z[:-2]) & (z[1:-1] < z[2:])) + 1
    assert t[lowest] == pytest.approx([0.049, 0.175, 0.31], rel=0.045)
    assert touches[lowest].tolist() == [True, True, False]


def test_coils_meet_at_the_solid_length() -> None:
    system = nsmb.systems.helical_spring(contacts=True)
    q, u = np.zeros(system.nq), np.zeros(system.nu)
    found = {}
    for travel in (5.0e-3, 6.0e-3):
        q[0] = -travel
        names = ("coils_1_2", "coils_2_3", "coils_3_4")
        found[travel] = [system.areal_contact(name, 0.0, q, u) for name in names]
    assert all(c.active == 0 for c in found[5.0e-3])
    assert all(c.active > 0 for c in found[6.0e-3])
