"""Handles of a model are names, and a model can replace the system that it builds."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import nsmb
from nsmb import analysis, geometry, instant, joints
from nsmb.multibody import Body, Handle, JointHandle, StopHandles


def pendulum(start=0.3):
    """A ball on a rod with a spring and friction, above a floor and below a limit."""
    m = nsmb.Model(gravity=(0, -9.81))
    rod = m.add_body("rod", mass=0.4, inertia=3e-3, center=(0.15, 0))
    hinge = m.add_joint("hinge", joints.Revolute(), m.ground, rod, at=(0, 0.2), angle=start)
    tip = rod.contour("tip", geometry.Circle(0.01), at=(0.3, 0))
    floor = m.ground.contour("floor", geometry.Line())
    parts = {
        "rod": rod,
        "hinge": hinge,
        "bump": m.add_contact(tip, floor, nsmb.ContactLaw(e_N=0.5), "bump"),
        "spring": m.add_torsion_spring("spring", hinge, c=0.3),
        "rub": m.add_joint_friction("rub", hinge, 0.01),
        "stop": m.add_stop(hinge, upper=0.5, name="stop"),
    }
    return m, parts


class TestHandles:
    def test_each_part_is_read_by_its_handle(self) -> None:
        m, of = pendulum()
        assert [type(of[key]) for key in ("rod", "hinge", "bump")] == [Body, JointHandle, Handle]
        sol = nsmb.simulate(m.build(initial={of["hinge"]: 0.1}), 2.0)
        assert sol[of["hinge"]][0] == 0.1
        for found, key in (
            (sol.bodies[of["rod"]].position, sol.bodies["rod"].position),
            (sol.joints[of["hinge"]].force, sol.joints["hinge"].force),
            (sol.contacts[of["bump"]].force, sol.contacts["bump"].force),
            (sol.elements[of["spring"]].force, sol.elements["spring"].force),
            (sol.contacts[of["rub"]].force, sol.contacts["rub"].force),
            (sol.contacts[of["stop"].upper].lambda_N, sol.contacts["stop.upper"].lambda_N),
        ):
            np.testing.assert_array_equal(found, key)
        assert sol.contacts[of["bump"]].force_on(of["rod"])[-1, 1] > 0.5

    def test_every_kind_of_part_returns_one(self) -> None:
        m = nsmb.Model()
        cart, bob = m.add_body("cart", mass=1.0), m.add_body("bob", mass=1.0, inertia=0.1)
        x = m.add_joint("x", joints.Prismatic(), m.ground, cart)
        phi = m.add_joint("phi", joints.Revolute(), cart, bob)
        one, other = geometry.Sphere(0.1), geometry.HalfSpace()
        ball, floor = bob.shape("ball", one), m.ground.shape("floor", other, at=(0, 0, -9))
        law = nsmb.ContactLaw()
        found = [
            m.add_loop("rod", joints.Rod(1.0), m.ground, bob, at_2=(1.0, 0)),
            m.add_contact(ball, floor, law, "ball"),
            m.add_spring_damper("a", m.ground, cart, c=1.0, free_length=1.0),
            m.add_force("b", m.ground, cart, lambda t, g, v: 0.0),
            m.add_torsion_spring("c", phi, c=1.0),
            m.add_joint_force("d", x, lambda t, q, u: 0.0),
            m.add_gap_force("e", nsmb.GapForce(c=1.0), coordinate=x),
            m.add_load("f", bob, lambda t, r, A, v, Omega: (0, 0, 0)),
            m.add_user_force("g", lambda now: 0.0, coordinates=[x]),
            m.add_joint_friction("h", phi, 1.0),
            m.add_elastic_foundation(
                "i", m.ground, geometry.box_mesh((1, 1, 1)), bob, geometry.box_mesh((1, 1, 1)),
                stiffness=1.0,
            ),
        ]  # fmt: skip
        assert found == ["rod", "ball", *"abcdefghi"]
        assert all(isinstance(part, Handle) for part in found)

    def test_joints_tell_their_coordinates(self) -> None:
        m = nsmb.Model()
        bodies = [m.add_body(name, mass=1.0, inertia=1.0) for name in "abc"]
        one = m.add_joint("one", joints.Revolute(), m.ground, bodies[0])
        plane = m.add_joint("plane", joints.Planar(), m.ground, bodies[1])
        free = m.add_joint("free", joints.Free(), m.ground, bodies[2])
        loop = m.add_loop("loop", joints.Rod(1.0), bodies[0], bodies[1], at_2=(1, 0))
        system = m.build()
        assert (*one.coordinates, *plane.coordinates, *free.coordinates) == system.coordinates
        every = (*one.velocities, *plane.velocities, *free.velocities)
        assert every == system.velocity_names
        assert loop.coordinates == loop.velocities == ()

    def test_limits_that_are_there(self) -> None:
        m, of = pendulum()
        assert of["stop"] == StopHandles(None, Handle("stop.upper"))
        both = m.add_stop("hinge", -1.0, 1.0)
        assert both == ("stop of hinge.lower", "stop of hinge.upper")
        assert both.lower in m.build().contact_names

    def test_completion_shows_what_a_body_carries_and_nothing_of_texts(self) -> None:
        rod = pendulum()[1]["rod"]
        shown = {name for name in dir(rod) if not name.startswith("_")}
        assert shown == {"boundary", "contour", "marker", "name", "outline", "shape"}

    def test_systems_keep_no_handle(self) -> None:
        m, of = pendulum()
        system = m.build(initial={of["hinge"]: 0.1})
        twin = pickle.loads(pickle.dumps(system))
        assert twin.initial_state.q[0] == copy.copy(system).initial_state.q[0] == 0.1
        assert {type(key) for key in system._given["initial"]} == {str}

    def test_handles_are_copied_with_what_they_tell(self) -> None:
        _, of = pendulum()
        twin = pickle.loads(pickle.dumps(of["hinge"]))
        assert (twin, twin.coordinates) == ("hinge", ("hinge",))

    def test_a_body_of_another_model_is_refused(self) -> None:
        (m, _), (_, others) = pendulum(), pendulum()
        with pytest.raises(ValueError, match="body 'rod': must be a body of this model"):
            m.add_load("load", others["rod"], lambda t, r, A, v, Omega: (0, 0, 0))

    def test_bodies_are_no_groups(self) -> None:
        m, of = pendulum()
        m.let_pass(m.ground, of["rod"])
        for other in ("feet", 3):
            with pytest.raises(ValueError, match="expected two bodies or two names of groups"):
                m.let_pass(of["rod"], other)
        with pytest.raises(ValueError, match="expected two bodies or two names of groups"):
            m.let_pass(3, 4)


def asked(function, system):
    """Return the result of `function` for a system, as numbers."""
    q, u = np.array([0.1]), np.array([0.0])
    return {
        "simulate": lambda: nsmb.simulate(system, 0.2).q,
        "Simulator": lambda: nsmb.Simulator(system).system.initial_state.q,
        "accelerations": lambda: instant.accelerations(system, 0.0, q, u).udot,
        "consistent_state": lambda: instant.consistent_state(system, q, u).q,
        "contact_problem": lambda: instant.contact_problem(system, 0.0, q, u).A,
        "impact": lambda: instant.impact(system, 0.0, q, u).u_E,
        "random_start": lambda: instant.random_start(system, 3).q,
        "equilibrium": lambda: analysis.equilibrium(system).state.q,
        "modes": lambda: analysis.modes(system, q, frozen=True).eigenvalues,
        "PoincareMap": lambda: analysis.PoincareMap(system, analysis.on_event("impact")).system.nq,
    }[function]()


@pytest.mark.parametrize(
    "function",
    [
        "simulate", "Simulator", "accelerations", "consistent_state", "contact_problem", "impact",
        "random_start", "equilibrium", "modes", "PoincareMap",
    ],
)  # fmt: skip
def test_a_model_stands_for_its_system(function) -> None:
    def model():
        m = nsmb.Model(gravity=(0, -9.81))
        rod = m.add_body("rod", mass=0.4, inertia=3e-3, center=(0.15, 0))
        hinge = m.add_joint("hinge", joints.Revolute(), m.ground, rod, at=(0, 0.2))
        m.add_torsion_spring("spring", hinge, c=20.0, d=0.1)
        tip = rod.contour("tip", geometry.Circle(0.01), at=(0.3, 0))
        m.add_contact(tip, m.ground.contour("floor", geometry.Line()), name="bump")
        return m

    np.testing.assert_array_equal(asked(function, model()), asked(function, model().build()))


def test_every_function_of_a_system_takes_a_model() -> None:
    """Test every public function that is documented to take a system.

    A bifurcation diagram needs a named parameter, which a model has only after it is built.
    """
    missing = []
    for room in (nsmb, instant, analysis):
        for name in room.__all__:
            made = getattr(room, name)
            if not callable(made) or name in ("System", "bifurcation_diagram"):
                continue
            try:
                parameters = inspect.signature(made).parameters
            except (TypeError, ValueError):
                continue
            for key in ("system", "subject"):
                said = str(parameters[key].annotation) if key in parameters else ""
                if "System" in said and "SystemLike" not in said and "| None" not in said:
                    missing.append((name, said))
    assert missing == []


def test_a_model_that_does_not_build_says_why() -> None:
    m = nsmb.Model()
    m.add_body("rod", mass=1.0)
    with pytest.raises(ValueError, match=r"body 'rod': .*unconnected"):
        nsmb.simulate(m, 1.0)
    with pytest.raises(ValueError, match=r"system: expected a nsmb.System, got Builder"):
        nsmb.simulate(type("Builder", (), {"build": lambda self: 3})(), 1.0)
    with pytest.raises(ValueError, match=r"system: expected a nsmb.System, got type"):
        nsmb.simulate(nsmb.Model, 1.0)
