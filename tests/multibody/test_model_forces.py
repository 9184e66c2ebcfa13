"""Force elements of models against forces written by hand."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import nsmb
from nsmb import joints
from nsmb._core import multibody as mb


def two_points(add, *, x=(0.7, -0.2), v=(0.3, 0.5)):
    """Return a system of two masses on rails and its state.

    `add` adds an element between the masses.
    """
    m = nsmb.Model()
    one, two = m.add_body("one", mass=1.0), m.add_body("two", mass=2.0)
    m.add_joint("x_1", joints.Prismatic((1, 0)), m.ground, one)
    m.add_joint("x_2", joints.Prismatic((1, 0)), m.ground, two)
    add(m, one, two)
    return m.build({"x_1": x[0], "x_2": x[1]}, {"x_1": v[0], "x_2": v[1]})


def pull(system):
    """Return the force on the first mass towards the second one, which is at its left."""
    state = system.initial_state
    h = system.forces(0.0, state.q, state.u)
    assert h[0] == -h[1]
    return -h[0]


LENGTH, RATE = 0.9, -0.2  # of the states above


@pytest.mark.parametrize(("sign", "direction"), [("tension", 1.0), ("pressure", -1.0)])
def test_spring_and_damper_with_both_sign_conventions(sign, direction) -> None:
    """(3.13): under both conventions the spring pulls when it is long; only the preload differs."""
    system = two_points(
        lambda m, one, two: m.add_spring_damper(
            "s", one, two, c=50.0, d=3.0, free_length=0.4, preload=7.0, sign=sign
        )
    )
    assert pull(system) == pytest.approx(50.0 * (LENGTH - 0.4) + 3.0 * RATE + direction * 7.0)
    energy = 25.0 * (LENGTH - 0.4) ** 2 + direction * 7.0 * (LENGTH - 0.4)
    assert system.potential_energy(0.0, system.initial_state.q) == pytest.approx(energy)


def law(t, gamma, gamma_dot):
    return 3.0 + 10.0 * gamma**2 - 0.5 * gamma_dot


def test_pressure_is_minus_tension() -> None:
    zeta = law(0.0, LENGTH, RATE)
    for sign, expected in (("tension", zeta), ("pressure", -zeta)):
        system = two_points(lambda m, a, b, sign=sign: m.add_force("f", a, b, law, sign=sign))
        assert pull(system) == pytest.approx(expected)


def test_tables_go_through_their_points_and_straight_on() -> None:
    x = np.linspace(0.1, 1.2, 6)
    table = nsmb.ForceTable(x, 40.0 * x**3, (-1.0, 1.0), (-2.0, 2.0))
    system = two_points(lambda m, a, b: m.add_force("f", a, b, table))
    assert pull(system) == pytest.approx(40.0 * LENGTH**3 + 2.0 * RATE)  # a cubic is its own spline
    far = two_points(lambda m, a, b: m.add_force("f", a, b, table), x=(2.0, 0.0), v=(0, 0))
    assert pull(far) == pytest.approx(40.0 * 1.2**3 + 120.0 * 1.2**2 * 0.8)
    steps = nsmb.ForceTable((0, 1, 2, 3), (0, 0, 1, 1), monotone=True)
    system = two_points(lambda m, a, b: m.add_force("f", a, b, steps), v=(0, 0))
    assert pull(system) == 0.0


def hinge(add, **start):
    m = nsmb.Model()
    rod = m.add_body("rod", mass=0.5, inertia=0.02)
    m.add_joint("phi", joints.Revolute(), m.ground, rod)
    add(m, rod)
    return m.build(**start)


def test_torsion_spring_swings_in_closed_form() -> None:
    system = hinge(
        lambda m, rod: m.add_torsion_spring("s", "phi", c=0.8, free_angle=0.1, preload=-0.04),
        initial={"phi": 0.5},
    )
    sol = nsmb.simulate(system, 3.0, rtol=1e-11, output_step=0.1)
    middle = 0.1 - 0.04 / 0.8
    exact = middle + (0.5 - middle) * np.cos(np.sqrt(0.8 / 0.02) * sol.t)
    assert sol.q[:, 0] == pytest.approx(exact, abs=1e-9)


def test_motor_on_a_coordinate_drives_it_forward() -> None:
    system = hinge(lambda m, rod: m.add_joint_force("motor", "phi", lambda t, q, u: 0.3 + t))
    assert system.forces(2.0, [0.0], [0.0]) == pytest.approx([2.3])


def test_load_acts_at_its_place_with_its_moment() -> None:
    def wind(t, r, A, v, Omega):
        assert v == pytest.approx(np.cross(Omega, r))
        return [0.0, 3.0, 0.0], [0.0, 0.0, 0.7]

    system = hinge(lambda m, rod: m.add_load("wind", rod, wind, at=(0.4, 0.0)))
    assert system.forces(0.0, [0.3], [1.2]) == pytest.approx([3.0 * 0.4 * np.cos(0.3) + 0.7])
    only_force = hinge(lambda m, rod: m.add_load("f", rod, lambda *_: [2.0, 0, 0], at=(0, 0.5)))
    assert only_force.forces(0.0, [0.0], [0.0]) == pytest.approx([-1.0])
    wrong = hinge(lambda m, rod: m.add_load("f", rod, lambda *_: [2.0, 0]))
    with pytest.raises(ValueError, match=r"load 'f': expected a force \(3,\).*shape \(2,\)"):
        wrong.forces(0.0, [0.0], [0.0])


def test_gap_force_between_points_and_on_a_coordinate_is_the_one_of_a_linear_system() -> None:
    law = nsmb.GapForce(c=400.0, d=9.0)
    reference = nsmb.LinearSystem(
        [[1.3]],
        force=[-1.3 * 9.81],
        elements=[nsmb.ForceElement(w=[1.0], law=law, gap=-0.2, name="wall")],
    )
    expected = nsmb.simulate(reference, 1.5, q=[0.5], rtol=1e-11)
    for on_coordinate in (True, False):
        m = nsmb.Model(gravity=(0, -9.81))
        mass = m.add_body("mass", mass=1.3)
        m.add_joint("y", joints.Prismatic((0, 1)), m.ground, mass)
        if on_coordinate:
            m.add_gap_force("wall", law, coordinate="y", rest=0.2)
        else:
            m.add_gap_force("wall", law, m.ground, mass, at=(0, -0.3), rest=0.5)
        sol = nsmb.simulate(m.build({"y": 0.5}), 1.5, rtol=1e-11)
        assert sol.events.kinds == expected.events.kinds
        assert len(sol.events) == 3
        assert sol.events.t == pytest.approx(expected.events.t, abs=1e-9)
        assert sol.q[-1] == pytest.approx(expected.q[-1], abs=1e-9)


def test_gap_force_on_the_other_side_of_a_coordinate() -> None:
    law = nsmb.GapForce(c=100.0, law="elastic_gap")
    m = nsmb.Model()
    mass = m.add_body("mass", mass=1.0)
    m.add_joint("x", joints.Prismatic(), m.ground, mass)
    m.add_gap_force("stop", law, coordinate="x", rest=0.3, direction=-1)
    sol = nsmb.simulate(m.build(velocities={"x": 2.0}), 1.0, rtol=1e-11)
    assert sol.events.t == pytest.approx([0.15, 0.15 + np.pi / 10], abs=1e-9)
    assert sol.u[-1] == pytest.approx([-2.0], abs=1e-9)


def test_friction_in_a_joint_stops_it_where_it_must() -> None:
    system = hinge(
        lambda m, rod: m.add_joint_friction("brake", "phi", 0.05), velocities={"phi": 1.5}
    )
    sol = nsmb.simulate(system, 1.0)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t == pytest.approx([1.5 * 0.02 / 0.05], abs=1e-10)
    assert sol.q[-1] == pytest.approx([1.5**2 * 0.02 / 0.1], abs=1e-10)


def support(t):
    return 0.2 * np.sin(3.0 * t), 0.6 * np.cos(3.0 * t), -1.8 * np.sin(3.0 * t)


@pytest.mark.parametrize("how", ["locked", "added"])
def test_moving_support_is_the_pendulum_with_the_inertia_force(how) -> None:
    """φ̈ = -(g sin φ + ẍ cos φ) / l of a point mass."""
    m = nsmb.Model(gravity=(0, -9.81))
    bob = m.add_body("bob", mass=0.3)
    length = 0.6
    if how == "locked":
        cart = m.add_body("cart")
        m.add_joint("x", joints.Prismatic((1, 0)), m.ground, cart, motion=support)
        m.add_joint("phi", joints.Revolute(), cart, bob, at_2=(0, length))
        system = m.build({"phi": 0.4})
    else:
        cart = m.add_body("cart", mass=1e9)  # its own coordinate hardly changes
        m.add_joint("x", joints.Prismatic((1, 0)), m.ground, cart)
        m.drive("x", support, locked=False)
        m.add_load("hold", cart, lambda t, r, A, v, Om: [1e9 * support(t)[2], 0, 0])
        m.add_joint("phi", joints.Revolute(), cart, bob, at_2=(0, length))
        system = m.build({"phi": 0.4})
    phi = system.coordinates.index("phi")
    reference = nsmb.CallbackSystem(
        ["phi"],
        [[1.0]],
        lambda t, q, u: [-(9.81 * np.sin(q[0]) + support(t)[2] * np.cos(q[0])) / length],
        initial_state=nsmb.State(0.0, np.array([0.4]), np.zeros(1)),
    )
    one = nsmb.simulate(system, 2.0, rtol=1e-10)
    two = nsmb.simulate(reference, 2.0, rtol=1e-10)
    assert one.q[-1, phi] == pytest.approx(two.q[-1, 0], abs=1e-7)


def test_polynomial_motion_is_the_function_it_stands_for() -> None:
    s = Polynomial([0.3, -1.0, 2.0, 0.7], domain=[0, 2], window=[-1, 1])

    def function(t):
        return s(t), s.deriv()(t), s.deriv(2)(t)

    values = []
    for motion in (s, function):
        m = nsmb.Model()
        cart, bob = m.add_body("cart"), m.add_body("bob", mass=1.0, inertia=0.1, center=(0.2, 0))
        m.add_joint("x", joints.Prismatic((1, 0)), m.ground, cart, motion=motion)
        m.add_joint("phi", joints.Revolute(), cart, bob)
        system = m.build({"phi": 0.4})
        r = system.position("bob", 0.8, [0.4])
        v, _ = system.velocity("bob", 0.8, [0.4], [0.0])
        values.append([*r, *v, *system.forces(0.8, [0.4], [0.3])])
        assert r[0] == pytest.approx(s(0.8), abs=1e-14)
        assert v[0] == pytest.approx(s.deriv()(0.8), abs=1e-14)
    assert values[0] == pytest.approx(values[1], abs=1e-13)


def driven(motion):
    m = nsmb.Model()
    cart, bob = m.add_body("cart"), m.add_body("bob", mass=1.0, inertia=0.1, center=(0.2, 0))
    m.add_joint("x", joints.Prismatic((1, 0)), m.ground, cart, motion=motion)
    m.add_joint("phi", joints.Revolute(), cart, bob)
    return m.build({"phi": 0.4})


def test_polynomials_one_after_the_other_are_the_function_they_stand_for() -> None:
    """The motion is from rest to 2 m/s, with a constant acceleration from 0.5 s to 1 s.

    At t = -1 the first polynomial applies.
    """
    pieces = [
        (0.0, Polynomial([0.3])),
        (0.5, Polynomial([0.3 + 0.5, -2.0, 2.0])),
        (1.0, Polynomial([0.3 - 1.5, 2.0], domain=[-1, 1], window=[-1, 1])),
    ]

    def function(t):
        if t < 0.5:
            return 0.3, 0.0, 0.0
        return (0.3 + 2 * (t - 0.5) ** 2, 4 * (t - 0.5), 4.0) if t < 1 else (2 * t - 1.2, 2.0, 0.0)

    systems = [driven(pieces), driven(function)]
    for t in (-1.0, 0.2, 0.5, 0.8, 1.0, 3.0):
        values = [
            [
                *system.position("bob", t, [0.4]),
                *system.velocity("bob", t, [0.4], [0.3])[0],
                *system.forces(t, [0.4], [0.3]),
            ]
            for system in systems
        ]
        assert values[0] == pytest.approx(values[1], abs=1e-13)
    # A run stops where s̈ jumps, which a plain function does not declare.
    assert [systems[0].next_discontinuity(t) for t in (-1.0, 0.5, 1.0)] == [0.5, 1.0, np.inf]
    assert systems[1].next_discontinuity(-1.0) == np.inf


def test_polynomials_that_do_not_meet_are_refused() -> None:
    flat, line = Polynomial([0.3]), Polynomial([0.3, 1.0])
    for pieces, message in (
        ([(0.0, flat), (1.0, Polynomial([0.4]))], "the value 0.3 before and 0.4 after t = 1"),
        ([(0.0, line), (1.0, Polynomial([1.3]))], "the first derivative 1 before and 0 after"),
        ([(1.0, flat), (1.0, flat)], "increasing times, got 1 after 1"),
        ([(0.0, 3.0)], "pairs of a time and a numpy Polynomial"),
        ([], "at least one piece"),
    ):
        with pytest.raises(ValueError, match=f"motion of 'x': .*{message}"):
            driven(pieces)


def test_laws_of_the_core_say_what_they_are() -> None:
    spring = mb.SpringDamper(50.0, 3.0, 0.4, 7.0)
    assert spring.force(0.0, 0.9, -0.2) == pytest.approx(50 * 0.5 - 0.6 + 7)
    h = 1e-6
    slope = (spring.energy(0.9 + h) - spring.energy(0.9 - h)) / (2 * h)
    assert slope == pytest.approx(spring.force(0.0, 0.9, 0.0), rel=1e-9)
