"""The energy of a run by part agrees with closed forms, quadrature and other descriptions."""

import numpy as np
import pytest

import nsmb
from nsmb import joints, symbolic

G = 9.81
EXACT = nsmb.EventDriven(integrator="dp853", rtol=1e-11)


def ends(parts, *columns):
    """Return the columns of all parts at the end."""
    return {
        name: tuple(float(getattr(part, column)[-1]) for column in columns)
        for name, part in parts.items()
    }


def work_of(t, power):
    """Return the work by Simpson's rule on a fine grid."""
    h = t[1] - t[0]
    return h / 3.0 * (power[0] + 4.0 * power[1::2].sum() + 2.0 * power[2:-1:2].sum() + power[-1])


def test_damper_takes_what_the_closed_form_loses():
    m, d, k, q_0 = 2.0, 0.4, 50.0, 0.1
    sol = nsmb.simulate(nsmb.LinearSystem([[m]], [[k]], [[d]]), 5.0, q=[q_0])
    parts, t = sol.energy.parts, sol.t
    delta, w = d / (2 * m), np.sqrt(k / m - (d / (2 * m)) ** 2)
    q = q_0 * np.exp(-delta * t) * (np.cos(w * t) + delta / w * np.sin(w * t))
    u = -q_0 * np.exp(-delta * t) * (w + delta**2 / w) * np.sin(w * t)
    held = 0.5 * k * q**2
    assert list(parts) == ["potential", "damping"]
    assert parts["potential"].stored == pytest.approx(held - held[0], abs=1e-12)
    assert parts["damping"].dissipated == pytest.approx(held[0] - held - 0.5 * m * u**2, abs=1e-12)
    assert not parts["potential"].supplied.any()
    assert not parts["damping"].supplied.any()
    assert parts.relative < 1e-12


def test_block_slides_to_rest():
    floor = nsmb.Contact(w_N=[0, 1], w_T=[1, 0], law=nsmb.ContactLaw(mu=0.4), name="floor")
    idle = nsmb.Contact(w_N=[0, -1], gap=1.0, law=nsmb.ContactLaw(mu=0.4), name="idle")
    block = nsmb.LinearSystem(np.eye(2) * 3.0, force=[0.0, -3.0 * G], contacts=[floor, idle])
    sol = nsmb.simulate(block, 1.0, u=[2.0, 0.0])
    loss = np.where(0.4 * G * sol.t < 2.0, 6.0 - 1.5 * (2.0 - 0.4 * G * sol.t) ** 2, 6.0)
    assert sol.energy.parts["floor"].dissipated == pytest.approx(loss, abs=1e-12)
    assert sol.energy.parts["floor"].work == pytest.approx(-loss, abs=1e-12)
    assert not sol.energy.parts["idle"].dissipated.any()
    assert not sol.energy.parts["idle"].work.any()


def two_drives():
    belt = nsmb.Contact(
        w_N=[0, 1], w_T=[1, 0], w_tilde_T=-0.5, law=nsmb.ContactLaw(mu=0.3), name="belt"
    )
    brush = nsmb.Friction(w_T=[1, 0], bound=2.0, w_tilde_T=0.25, name="brush")
    return nsmb.LinearSystem(
        np.eye(2) * 2.0, np.diag([30.0, 0.0]), force=[0.0, -2.0 * G], contacts=[belt, brush]
    )


def test_two_drives_are_told_apart_in_an_event_driven_run():
    sol = nsmb.simulate(two_drives(), 3.0, output_step=0.02)
    parts, first = sol.energy.parts, sol.t < sol.events.t[0]
    assert parts["belt"].supplied[first] == pytest.approx(0.6 * G * 0.5 * sol.t[first], rel=1e-9)
    assert parts["brush"].supplied[first] == pytest.approx(2.0 * 0.25 * sol.t[first], rel=1e-9)
    given = parts["belt"].supplied + parts["brush"].supplied
    assert given == pytest.approx(sol.energy.drive_work, abs=1e-9)
    assert set(sol.events.kinds) >= {"stick"}  # sticking forces are not given by friction
    assert parts.relative < 1e-9


def test_two_drives_are_one_part_of_a_stepped_run():
    parts = nsmb.simulate(two_drives(), 1.0, method=nsmb.Midpoint(1e-2)).energy.parts
    assert list(parts) == ["belt", "brush", "belt + brush", "potential"]
    assert parts["belt + brush"].supplied[-1] > 1.0
    assert parts.relative < 1e-9


def test_impact_on_a_moving_table_tells_loss_from_drive():
    m, v, V, e = 2.0, -3.0, 1.5, 0.6
    table = nsmb.Contact(w_N=[1.0], w_tilde_N=-V, law=nsmb.ContactLaw(e_N=e), name="table")
    system = nsmb.LinearSystem([[m]], contacts=[table])
    sol = nsmb.simulate(system, 1.0, q=[0.9], u=[v])
    part = sol.energy.parts["table"]
    assert part.dissipated[-1] == pytest.approx(0.5 * m * (1 - e**2) * (V - v) ** 2)
    assert part.supplied[-1] == pytest.approx(m * (1 + e) * (V - v) * V)
    assert not part.supplied[sol.t < sol.events.t[0]].any()


def test_impacts_on_two_moving_walls_tell_their_drives_apart():
    m, v, e, V = 2.0, -3.0, 0.6, {"left": 1.5, "right": -0.5}
    law = nsmb.ContactLaw(e_N=e)
    walls = [
        nsmb.Contact(w_N=[1.0], w_tilde_N=-V["left"], law=law, name="left"),
        nsmb.Contact(2.0, w_N=[-1.0], w_tilde_N=V["right"], law=law, name="right"),
    ]
    sol = nsmb.simulate(nsmb.LinearSystem([[m]], contacts=walls), 0.6, q=[0.9], u=[v])
    assert sol.events.kinds == ["impact", "impact"]
    for name in ("left", "right"):
        part = sol.energy.parts[name]
        assert part.dissipated[-1] == pytest.approx(0.5 * m * (1 - e**2) * (V[name] - v) ** 2)
        assert part.supplied[-1] == pytest.approx(m * (1 + e) * (V[name] - v) * V[name])
        v = V[name] + e * (V[name] - v)


def test_constraint_at_rest_takes_nothing_in_an_impact():
    hold = nsmb.Constraint(
        lambda t, q: q[0], w=lambda t, q: [1.0, 0.0], w_bar=lambda t, q, u: 0.0, name="hold"
    )
    table = nsmb.Contact(
        lambda t, q: q[1], w_N=lambda t, q: [0.0, 1.0], law=nsmb.ContactLaw(), name="table"
    )
    system = nsmb.CallbackSystem(
        ["x", "y"],
        mass_matrix=[[2.0, 1.0], [1.0, 3.0]],
        forces=lambda t, q, u: [0.0, 0.0],
        contacts=[table],
        constraints=[hold],
    )
    sol = nsmb.simulate(system, 1.0, q=[0.0, 1.0], u=[0.0, -2.0], output_step=0.1)
    assert list(sol.energy.parts) == ["table", "forces"]
    assert sol.energy.parts["table"].dissipated[-1] == pytest.approx(6.0)
    assert sol.energy.parts.relative < 1e-12


@pytest.mark.parametrize("method", [nsmb.EventDriven(), nsmb.Midpoint(1e-3)])
def test_constraint_that_moves_does_work_in_an_impact(method):
    """It keeps x at velocity V, while the mass matrix transmits the impact to it."""
    V, v = 0.7, 2.0
    hold = nsmb.Constraint(
        lambda t, q: q[0] - V * t, w=lambda t, q: [1.0, 0.0], w_bar=lambda t, q, u: 0.0, name="hold"
    )
    table = nsmb.Contact(
        lambda t, q: q[1], w_N=lambda t, q: [0.0, 1.0], law=nsmb.ContactLaw(), name="table"
    )
    system = nsmb.CallbackSystem(
        ["x", "y"],
        mass_matrix=[[2.0, 1.0], [1.0, 3.0]],
        forces=lambda t, q, u: [0.0, 0.0],
        contacts=[table],
        constraints=[hold],
    )
    sol = nsmb.simulate(system, 1.0, q=[0.0, 1.0], u=[V, -v], output_step=0.1, method=method)
    (event,) = sol.events.of_kind("impact")
    assert event.energy_loss == pytest.approx(1.5 * v**2)
    assert event.drive_work == pytest.approx(V * v)
    assert sol.energy.relative < 1e-12
    assert sol.energy.parts["hold"].supplied[-1] == pytest.approx(V * v)
    assert sol.energy.parts.relative < 1e-12


def test_constraints_that_move_are_told_apart():
    def moves(k, size, w, name):
        row = np.eye(2)[k]
        return nsmb.Constraint(
            lambda t, q: q[k] - size * np.sin(w * t), w=lambda t, q: row,
            w_bar=lambda t, q, u: size * w**2 * np.sin(w * t), name=name,
        )  # fmt: skip

    system = nsmb.CallbackSystem(
        ["x", "y"],
        mass_matrix=np.diag([2.0, 1.0]),
        forces=lambda t, q, u: [0.0, -5.0 * q[1]],
        constraints=[moves(0, 0.1, 3.0, "push"), moves(1, 0.2, 2.0, "lift")],
        initial_state=nsmb.State(0.0, np.zeros(2), np.array([0.3, 0.4])),
    )
    parts = nsmb.simulate(system, 0.7, rtol=1e-11, output_step=0.1).energy.parts
    c_x, c_y, y = 0.3 * np.cos(2.1), 0.4 * np.cos(1.4), 0.2 * np.sin(1.4)
    assert parts["push"].supplied[-1] == pytest.approx(c_x**2 - 0.09, abs=1e-10)
    lifted = 0.5 * (c_y**2 - 0.16) + 2.5 * y**2
    assert parts["lift"].supplied[-1] == pytest.approx(lifted, abs=1e-10)
    assert parts["forces"].supplied[-1] == pytest.approx(-2.5 * y**2, abs=1e-10)


def test_elements_tell_dampers_springs_and_supports_apart():
    c, d, v = 80.0, 3.0, 0.2
    element = nsmb.ForceElement(
        w=[1.0], law=nsmb.GapForce(c, d, "gap_damper"), gap=0.1, w_tilde=-v, name="pad"
    )
    sol = nsmb.simulate(nsmb.LinearSystem([[2.0]], elements=[element]), 0.8)
    assert list(sol.events.kinds) == ["switch"]  # it touches and does not leave before the end
    part, t = sol.energy.parts["pad"], np.linspace(sol.events.t[0], 0.8, 4001)
    motion = sol.at(t)
    gamma, rate = motion.q[:, 0] + 0.1 - v * t, motion.u[:, 0] - v
    assert part.stored[-1] == pytest.approx(0.5 * c * gamma[-1] ** 2)
    assert part.dissipated[-1] == pytest.approx(work_of(t, d * rate**2), rel=1e-9)
    assert part.supplied[-1] == pytest.approx(work_of(t, -(c * gamma + d * rate) * v), rel=1e-9)


def test_input_gives_force_times_travel():
    push, hold = nsmb.Input("push", 3.0), nsmb.Input("hold", 1.0)
    force = nsmb.Force(inputs={push: [1.0, 0.0], hold: [0.0, 1.0]})
    system = nsmb.LinearSystem(np.eye(2), D=np.diag([0.5, 0.0]), force=force)
    change = nsmb.At([1.0], lambda now: {"inputs": {"push": -1.0}}, name="back")
    sol = nsmb.simulate(system, 2.0, events=[change])
    first = np.flatnonzero(sol.t == 1.0)[0]
    travel = 3.0 * sol.q[first, 0] - (sol.q[-1, 0] - sol.q[first, 0])
    assert sol.energy.parts["push"].supplied[-1] == pytest.approx(travel)
    assert sol.energy.parts["hold"].supplied[-1] == pytest.approx(sol.q[-1, 1])
    assert not sol.energy.parts["back"].supplied.any()
    assert sol.energy.parts.relative < 1e-12


def pendulum(motion):
    m = nsmb.Model(gravity=(0.0, -G))
    rod = m.add_body("rod", mass=2.0, inertia=0.1, center=(0.5, 0.0))
    m.add_joint("hinge", joints.Revolute(), m.ground, rod, motion=motion)
    tip = m.add_body("tip", mass=1.0, inertia=0.2)
    m.add_joint("pin", joints.Revolute(), rod, tip, at=(1.0, 0.0))
    m.add_joint_friction("bearing", "pin", 0.3)
    return m


POLYNOMIAL = np.polynomial.Polynomial([0.1, 2.0, 1.5])
MOTIONS = {
    "function": lambda t: (0.1 + 2.0 * t + 1.5 * t**2, 2.0 + 3.0 * t, 3.0),
    "polynomial": POLYNOMIAL,
    "pieces": [(0.0, POLYNOMIAL), (0.5, POLYNOMIAL)],
}


@pytest.mark.parametrize("kind", MOTIONS)
def test_driven_pendulum_gets_all_energy_from_its_drive(kind):
    model = pendulum(MOTIONS[kind])
    sol = nsmb.simulate(model.build(), 1.0, method=EXACT, output_step=0.02)
    parts = sol.energy.parts
    phi, omega = 0.1 + 2.0 * sol.t + 1.5 * sol.t**2, 2.0 + 3.0 * sol.t
    lift = (2.0 * 0.5 + 1.0) * G * (np.sin(phi) - np.sin(0.1))
    assert parts["gravity"].stored == pytest.approx(lift, abs=1e-10)
    # The tip does not rotate freely, as the bearing slips with the relative rate.
    spin = 0.5 * 0.2 * (omega + sol.u[:, 0]) ** 2
    kinetic = spin + 0.5 * (0.1 + 2.0 * 0.25 + 1.0) * omega**2
    heat = parts["bearing"].dissipated
    assert heat[-1] > 0.1
    assert parts["hinge"].supplied == pytest.approx(kinetic - kinetic[0] + lift + heat, abs=1e-9)
    # The same follows from the moment transmitted by the joint.
    power = sol.joints["hinge"].moment[:, 2] * omega
    done = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(sol.t))])
    assert parts["hinge"].supplied == pytest.approx(done, abs=2e-2)
    assert parts.relative < 1e-9


def test_drive_of_a_model_gets_what_contacts_and_elements_take_from_it():
    m = nsmb.Model()
    belt = m.add_body("belt", mass=7.0, inertia=1.0)
    block = m.add_body("block", mass=2.0, inertia=1.0)
    m.add_joint("run", joints.Prismatic(), m.ground, belt, motion=lambda t: (0.5 * t, 0.5, 0.0))
    m.add_joint("x", joints.Prismatic(), belt, block)
    m.add_joint_friction("grip", "x", 3.0)
    m.add_spring_damper("rope", m.ground, block, c=20.0, d=2.0, free_length=1.0, at=(-1.0, 0.0))
    m.add_gap_force("bumper", nsmb.GapForce(90.0, 3.0), m.ground, block, at=(0.4, 0.0), rest=0.25)
    sol = nsmb.simulate(m.build(), 1.0, output_step=0.05)
    parts = sol.energy.parts
    assert parts["run"].supplied[-1] > 0.1
    assert parts["rope"].work == pytest.approx(sol.elements["rope"].work, abs=1e-9)
    absolute = 0.5 + sol.u[:, 0]
    assert parts["bumper"].dissipated[-1] > 1e-3
    others = ("rope", "grip", "bumper")
    rest = sum(parts[name].work for name in others) + parts["run"].supplied
    assert absolute**2 - 0.25 == pytest.approx(rest, abs=1e-8)


def test_each_force_of_a_model_is_a_part():
    class Fan(nsmb.UserForce):
        def force(self, now):
            return -0.05 * now.u * abs(now.u[0])

    m = nsmb.Model(gravity=(0.0, -G))
    cart = m.add_body("cart", mass=2.0, inertia=1.0)
    m.add_joint("x", joints.Prismatic(), m.ground, cart)
    m.add_joint_force("motor", "x", lambda t, q, u: 6.0 * np.sin(3.0 * t))
    m.add_joint_force("table", "x", nsmb.ForceTable(lengths=[-1, 0, 1], forces=[9.0, 0.0, -9.0]))
    m.add_spring_damper(
        "spring", m.ground, cart, c=30.0, d=0.7, free_length=0.5, at=(-0.5, 0.3), sign="pressure"
    )
    m.add_load("wind", cart, lambda t, r, A, v, Omega: (0.8, 0.0, 0.0))
    m.add_user_force("fan", Fan(), coordinates=["x"])
    m.add_stop("x", upper=0.05, law=nsmb.ContactLaw(e_N=0.5), name="end")
    m.add_gap_force("pad", nsmb.GapForce(50.0, 2.0), coordinate="x", rest=0.03, direction=-1)
    sol = nsmb.simulate(m.build(), 1.0, method=EXACT, output_step=0.05)
    parts = sol.energy.parts
    assert list(parts) == [
        "end.upper", "pad", "gravity", "motor", "table", "spring", "wind", "fan"
    ]  # fmt: skip
    for name in ("motor", "table", "spring"):
        assert parts[name].work == pytest.approx(sol.elements[name].work, abs=1e-9)
    assert parts["wind"].supplied == pytest.approx(0.8 * (sol.q[:, 0] - sol.q[0, 0]), abs=1e-9)
    t = np.linspace(0.0, 1.0, 20_001)
    drag = work_of(t, -0.05 * np.abs(sol.at(t).u[:, 0]) ** 3)
    assert parts["fan"].supplied[-1] == pytest.approx(drag, abs=1e-7)
    assert parts["end.upper"].dissipated == pytest.approx(sol.contacts["end.upper"].dissipation)
    assert parts["end.upper"].dissipated[-1] > 0.0
    assert np.abs(parts["gravity"].work).max() < 1e-12
    assert parts["table"].stored == pytest.approx(4.5 * (sol.q[:, 0] ** 2), abs=1e-9)
    stretch = np.hypot(sol.q[:, 0] + 0.5, 0.3) - 0.5
    held = 15.0 * stretch**2
    assert parts["spring"].stored == pytest.approx(held - held[0], abs=1e-12)
    assert parts["spring"].dissipated[-1] > 0.0 == parts["table"].dissipated[-1]
    assert not parts["spring"].supplied.any()
    assert parts.relative < 1e-9


def test_constant_force_of_a_motor_is_supplied_and_not_stored():
    m = nsmb.Model()
    cart = m.add_body("cart", mass=2.0, inertia=1.0)
    m.add_joint("x", joints.Revolute(), m.ground, cart)
    m.add_torsion_spring("motor", "x", c=0.0, preload=3.0)
    sol = nsmb.simulate(m.build(), 1.0)
    assert np.abs(sol.energy.parts["motor"].supplied) == pytest.approx(3.0 * np.abs(sol.q[:, 0]))
    assert not sol.energy.parts["motor"].stored.any()


MASS, STIFFNESS, DAMPING, BOUND = 2.0, 40.0, 0.3, 1.5
PAD = nsmb.GapForce(300.0, 4.0)


def by_matrices():
    brake = nsmb.Friction(w_T=[1.0], bound=BOUND, name="brake")
    pad = nsmb.ForceElement(0.05, PAD, w=[1.0], name="pad")
    return nsmb.LinearSystem(
        [[MASS]], [[STIFFNESS]], [[DAMPING]], contacts=[brake], elements=[pad], coordinates=["x"]
    )


def by_functions():
    return nsmb.CallbackSystem(
        ["x"],
        [[MASS]],
        lambda t, q, u: [-STIFFNESS * q[0] - DAMPING * u[0]],
        contacts=[nsmb.Friction(lambda t, q, u: u[0], bound=BOUND, name="brake")],
        elements=[nsmb.ForceElement(lambda t, q: 0.05 + q[0], PAD, name="pad")],
        potential_energy=lambda t, q: 0.5 * STIFFNESS * q[0] ** 2,
    )


def by_energies():
    x = symbolic.coordinates("x")
    return symbolic.LagrangianSystem(
        [x],
        0.5 * MASS * x.velocity**2,
        0.5 * STIFFNESS * x**2,
        forces=[-DAMPING * x.velocity],
        contacts=[nsmb.Friction(x.velocity, bound=BOUND, name="brake")],
        elements=[nsmb.ForceElement(0.05 + x, PAD, name="pad")],
    )


def by_bodies():
    m = nsmb.Model()
    cart = m.add_body("cart", mass=MASS, inertia=1.0)
    m.add_joint("x", joints.Prismatic(), m.ground, cart)
    m.add_torsion_spring("spring", "x", c=STIFFNESS, d=DAMPING)
    m.add_joint_friction("brake", "x", BOUND)
    m.add_gap_force("pad", PAD, coordinate="x", rest=-0.05, direction=1)
    return m.build()


@pytest.fixture(scope="module")
def by_description():
    """Return the parts of one motion with a kick, in four descriptions."""
    kick = nsmb.At([0.3], lambda now: {"u": now.u + 0.5}, name="kick")
    builds = (by_matrices, by_functions, by_energies, by_bodies)
    runs = [
        nsmb.simulate(build(), 1.0, q=[0.2], u=[0.0], events=[kick], method=EXACT, output_step=0.1)
        for build in builds
    ]
    return dict(zip(builds, (sol.energy.parts for sol in runs), strict=True))


@pytest.mark.parametrize("build", [by_matrices, by_functions, by_energies, by_bodies])
def test_four_descriptions_have_the_same_parts(by_description, build):
    parts, others = by_description[build], by_description[by_matrices]
    columns = ("supplied", "dissipated", "stored", "work")
    found, wanted = ends(parts, *columns), ends(others, *columns)
    for name in ("brake", "pad", "kick"):
        assert found.pop(name) == pytest.approx(wanted.pop(name), rel=1e-9, abs=1e-9)
    # Parts with different names: spring and damper, potential and damping, potential and forces.
    rest, same = (np.sum(list(table.values()), axis=0) for table in (found, wanted))
    assert rest[2:] == pytest.approx(same[2:], abs=1e-9)
    assert rest[0] - rest[1] == pytest.approx(same[0] - same[1], abs=1e-9)
    assert wanted["damping"][1] > 1e-3
    assert parts.relative < 1e-9


@pytest.mark.parametrize(("step", "most"), [(1e-2, 1e-2), (1e-3, 3e-4)])
def test_residual_of_a_stepped_run_is_that_of_the_step(step, most):
    sol = nsmb.simulate(
        nsmb.systems.woodpecker(), 0.3, method=nsmb.Midpoint(step), output_step=step
    )
    parts, e = sol.energy.parts, sol.energy
    taken = sum(part.dissipated for part in parts.values())
    assert taken == pytest.approx(e.friction_loss + e.impact_loss - e.impact_loss[0], abs=1e-12)
    assert parts["all contacts"].dissipated[-1] > 0.0
    assert 1e-3 * most < parts.relative < most


def test_steps_give_the_loss_of_one_contact_to_it():
    ball = nsmb.systems.bouncing_ball()
    fine, steps = (
        nsmb.simulate(ball, 1.0, method=method).energy.parts["floor"].dissipated[-1]
        for method in (nsmb.EventDriven(), nsmb.Midpoint(1e-3))
    )
    assert steps == pytest.approx(fine, rel=1e-2)


@pytest.mark.parametrize(
    "name", ["slider_crank", "gear_rattling", "involute_rattle", "synchroniser", "rocking_rod",
             "parabola_on_line_bodies", "ring_in_hole", "dominoes"]
)  # fmt: skip
def test_parts_of_ready_made_systems_add_up(name):
    sol = nsmb.simulate(nsmb.systems.build(name), 0.01, throw=False, output_step=1e-3)
    e, parts = sol.energy, sol.energy.parts
    assert parts.relative < (1e-3 if name == "dominoes" else 1e-7)
    contacts = sum(part.dissipated for part in parts.values() if part.kind == "contact")
    assert contacts == pytest.approx(
        e.friction_loss + e.impact_loss - e.impact_loss[0], abs=1e-12 + 1e-12 * e.turnover.max()
    )


def test_elastic_body_holds_and_takes_what_its_history_says():
    sol = nsmb.simulate(nsmb.systems.impacting_beam(), 2e-3, throw=False, output_step=2e-4)
    for name, part in sol.energy.parts.items():
        if part.kind == "body":
            own = sol.bodies[name].energy
            assert part.dissipated == pytest.approx(own.dissipated, abs=1e-15)
            assert part.stored == pytest.approx(own.elastic - own.elastic[0], abs=1e-15)
    assert "body" in {part.kind for part in sol.energy.parts.values()}


def test_effect_that_changes_a_state_gives_what_the_state_holds():
    element = nsmb.ForceElement(1.0, nsmb.GapForce(80.0, 3.0), w=[1.0], name="wall")
    system = nsmb.LinearSystem([[1.0]], elements=[element])
    press = nsmb.At([0.5], lambda now: {"x": now.x - 0.1}, name="press")
    sol = nsmb.simulate(system, 1.0, events=[press])
    parts = sol.energy.parts
    assert parts["press"].supplied[-1] == pytest.approx(0.5 * 80.0 * 0.01)
    assert parts["press"].supplied[sol.t < 0.5].tolist() == [0.0] * (sol.t < 0.5).sum()
    # The damper dissipates it while the wall returns: γ_w = -0.1 exp(-c/d t).
    left = 0.4 * np.exp(-2.0 * 80.0 / 3.0 * 0.5)
    assert parts["wall"].dissipated[-1] == pytest.approx(0.4 - left)
    assert parts.relative < 1e-9


def test_names_of_different_kinds_do_not_mix():
    one = nsmb.Friction(w_T=[1.0], bound=1.0, name="forces")
    system = nsmb.LinearSystem([[1.0]], force=lambda t: [0.3], contacts=[one])
    parts = nsmb.simulate(system, 1.0, u=[2.0]).energy.parts
    assert list(parts) == ["forces", "potential", "forces (force)"]
    assert parts["forces"].dissipated[-1] == pytest.approx(parts["forces"].work[-1] * -1.0)
    assert parts["forces (force)"].supplied[-1] > 0.0


def test_tables(tmp_path):
    sol = nsmb.simulate(two_drives(), 0.5)
    parts = sol.energy.parts
    text = repr(parts).splitlines()
    assert text[0].split()[:4] == ["part", "kind", "supplied", "/"]
    assert [line.split()[0] for line in text[2:]] == [*parts, "kinetic", "residual"]
    assert "<table>" in parts._repr_html_()
    assert "contact 'belt': supplied" in repr(parts["belt"])
    frame = parts.to_dataframe()
    assert list(frame) == ["part", "t", "supplied", "dissipated", "stored", "work"]
    last = frame.groupby("part").last()
    kinetic = sol.energy.kinetic
    assert last["work"].sum() == pytest.approx(kinetic[-1] - kinetic[0])
    data = parts.to_xarray()
    assert data["supplied"].attrs["units"] == "J"
    assert data["supplied"].sel(part="belt").values.tolist() == parts["belt"].supplied.tolist()
    with pytest.raises(KeyError, match="did you mean 'belt'"):
        _ = parts["bell"]
    sol.save(tmp_path / "run.npz")
    again = nsmb.Solution.load(tmp_path / "run.npz")
    again.system = sol.system
    assert again.energy.parts["belt"].supplied.tolist() == parts["belt"].supplied.tolist()


def test_what_is_not_known_is_refused_or_nan():
    method = nsmb.EventDriven(dense_output=False)
    parts = nsmb.simulate(two_drives(), 0.5, method=method).energy.parts
    assert np.isfinite(parts["potential"].stored).all()
    assert np.isfinite(parts["belt"].dissipated).all()
    assert np.isnan(parts["belt"].supplied).all()
    columns = nsmb.simulate(two_drives(), 0.5).energy.columns()
    with pytest.raises(ValueError, match=r"Use sol\.energy\.parts"):
        _ = nsmb.results.EnergyBalance(**columns).parts


def test_a_machine_that_is_locked_has_no_relative_residual() -> None:
    """A wedge held by friction moves by rounding alone, whose work is no measure of its energy."""
    m = nsmb.Model(gravity=(0, -9.81))
    angle = 0.5
    slide = m.add_body("a", mass=1.0, inertia=0.1)
    m.add_joint("a", nsmb.joints.Prismatic((0, 1, 0)), m.ground, slide)
    wedge = m.add_body("b", mass=2.0, inertia=0.1)
    m.add_joint("b", nsmb.joints.Prismatic((1, 0, 0)), m.ground, wedge)
    slope = nsmb.geometry.Line((0, 0), (-np.cos(angle), np.sin(angle)))
    tip = slide.contour("tip", nsmb.geometry.Circle(0.05))
    m.add_contact(wedge.contour("slope", slope), tip, nsmb.ContactLaw(mu=0.6), "w")
    m.add_joint_friction("guide", "b", 2.0)
    sol = nsmb.simulate(m.build({"a": 0.05 / np.cos(angle)}), 0.5)
    assert np.abs(sol.u).max() < 1e-12
    assert sol.energy.relative < 1e-12
    assert sol.energy.parts.relative < 1e-12
