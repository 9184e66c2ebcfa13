"""`Solution.contacts` returns forces in world axes, points and energies of contacts by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

G = 9.81
Build = Callable[[], nsmb.System]


# ---- one force on two bodies: Σ Jᵀf is W λ ----


def planar(first: object, second: object, swapped: bool) -> nsmb.System:
    """Return two touching free planar bodies in either order."""
    m = nsmb.Model()
    bodies = [m.add_body(name, mass=1.0 + k, inertia=0.1) for k, name in enumerate("ab")]
    for body in bodies:
        m.add_joint(body.name, joints.Planar(), m.ground, body)
    placed = [
        body.contour("c", contour) for body, contour in zip(bodies, (first, second), strict=True)
    ]
    pair = placed[::-1] if swapped else placed
    m.add_contact(*pair, nsmb.ContactLaw(mu=0.4), "touch")
    m.add_load("push", bodies[0], lambda t, r, A, v, w: [3.0, 1.0, 0.0])
    m.add_load("back", bodies[1], lambda t, r, A, v, w: [-5.0, 2.0, 0.0])
    return m.build({"a": (0.0, 0.0, 0.3), "b": (0.5, 0.0, 0.2)}, {"a": (0.0, 0.7, 0.2)})


def spatial(swapped: bool) -> nsmb.System:
    m = nsmb.Model()
    balls = []
    for k, name in enumerate("ab"):
        ball = m.add_body(name, mass=1.0 + k, inertia=(0.1, 0.2, 0.15))
        m.add_joint(name, joints.Free(), m.ground, ball)
        force = [2.0, -5.0, 0.1] if k else [1.0, 3.0, 0.2]
        m.add_load(f"push {name}", ball, lambda t, r, A, v, w, force=force: force)
        balls.append(ball.shape("s", geometry.Sphere(0.25)))
    m.add_contact(*(balls[::-1] if swapped else balls), nsmb.ContactLaw(mu=0.4), "touch")
    start = {"a": (0, 0, 0, 1, 0, 0, 0), "b": (0, 0.5, 0, 1, 0, 0, 0)}
    return m.build(start, {"a": (0.4, 0.0, 0.3, 0.1, 0.2, 0.3)})


SCENES: dict[str, Build] = {
    f"{name}{' swapped' * swapped}": build
    for swapped in (False, True)
    for name, build in {
        "discs": lambda s=swapped: planar(geometry.Circle(0.2), geometry.Circle(0.3), s),
        "spheres": lambda s=swapped: spatial(s),
    }.items()
}


@pytest.mark.parametrize("scene", SCENES)
def test_forces_in_world_axes_are_those_along_the_rows(scene: str) -> None:
    """Σ Jᵀf over bodies, with moments about their origins, is W_N λ_N + W_T λ_T."""
    sol = nsmb.simulate(SCENES[scene](), 0.05)
    touch = sol.contacts["touch"]
    pressed = np.flatnonzero(touch.lambda_N > 0.1)[::100]
    assert pressed.size > 3
    system = sol.system
    assert isinstance(system, nsmb.MultibodySystem)
    for k in pressed.tolist():
        t, q = float(sol.t[k]), sol.q[k]
        rows = system.contact_kinematics(t, q, sol.u[k])
        expected = rows["W_N"] @ sol.lambda_N[k] + rows["W_T"] @ sol.lambda_T[k]
        wrench = []
        for body in "ab":
            r, A = system.pose(body, t, q)
            force = touch.force_on(body)[k]
            moment = np.cross(touch.point[k] - r, force) + 0.0
            wrench.append((force, moment, A))
        if "discs" in scene:
            got = np.concatenate([[f[0], f[1], M[2]] for f, M, _ in wrench])
        else:  # angular velocities of free joints are in body axes
            got = np.concatenate([np.concatenate([f, A.T @ M]) for f, M, A in wrench])
        # The point lies between both surfaces, with a gap of rounding size.
        np.testing.assert_allclose(got, expected, atol=1e-8 * np.abs(expected).max())
    np.testing.assert_array_equal(touch.force_on("a"), -touch.force_on("b"))
    np.testing.assert_allclose(np.linalg.norm(touch.normal[pressed], axis=1), 1.0, rtol=1e-12)


# ---- several points ----


def crate(method: nsmb.EventDriven | nsmb.Midpoint, as_shapes: bool) -> nsmb.Solution:
    """Return a crate of 2 kg at rest on a slope of 15 degrees, with e_x downhill."""
    slope = np.radians(15.0)
    if as_shapes:
        m = nsmb.Model(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
        body = m.add_solid("crate", geometry.Box((0.4, 0.4, 0.2)), 2.0 / (0.4 * 0.4 * 0.2))
        m.add_joint("free", joints.Free(), m.ground, body)
        m.ground.shape("slope", geometry.HalfSpace())
        m.collide(nsmb.ContactLaw(mu=0.5))
        system = m.build({"free": (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0)})
    else:
        m = nsmb.Model(gravity=(G * np.sin(slope), -G * np.cos(slope)))
        body = m.add_body("crate", mass=2.0, inertia=0.03)
        m.add_joint("free", joints.Planar(), m.ground, body)
        corners = [(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)]
        box = body.contour("solid", geometry.Polygon(corners))
        m.add_contact(m.ground.contour("slope", geometry.Line()), box, nsmb.ContactLaw(mu=0.5))
        system = m.build({"free": (0.0, 0.1, 0.0)})
    return nsmb.simulate(system, 0.02, method=method, output_step=2e-3)


@pytest.mark.parametrize("as_shapes", [False, True], ids=["contours", "shapes"])
@pytest.mark.parametrize(
    "method", [nsmb.EventDriven(), nsmb.Midpoint(2e-3)], ids=["events", "steps"]
)
def test_a_crate_on_a_slope_has_one_force_under_its_center(
    method: nsmb.EventDriven | nsmb.Midpoint, as_shapes: bool
) -> None:
    """The force is m g sin α along and m g cos α across the slope, h tan α off the middle."""
    sol = crate(method, as_shapes)
    assert len(sol.contacts) == 1
    contact = sol.contacts["ground.slope-crate.solid"]
    up = 2 if as_shapes else 1
    slope, weight = np.radians(15.0), 2.0 * G
    force = np.zeros(3)
    force[[0, up]] = -weight * np.sin(slope), weight * np.cos(slope)
    for k in (-1, -3):
        np.testing.assert_allclose(contact.force_on("crate")[k], force, atol=1e-9)
        np.testing.assert_allclose(contact.point[k, 0], 0.1 * np.tan(slope), atol=1e-8)
        np.testing.assert_allclose(contact.point[k, up], 0.0, atol=1e-8)
        np.testing.assert_allclose(contact.lambda_N[k], weight * np.cos(slope), rtol=1e-9)
        assert contact.state[k] == nsmb.ContactState.STICK
    np.testing.assert_array_equal(sol.contacts.force_on("crate"), contact.force_on("crate"))
    assert sol.contacts["crate.solid-ground.slope"] is contact
    assert len(contact.points) >= 2 * 9


def test_slip_of_a_shape_is_the_motion_of_its_lowest_point() -> None:
    """A sphere thrown along a floor slides, with slip falling by 7/2 μ g t, and then rolls."""
    mu, v, r = 0.2, np.array([0.3, 0.4]), 0.1
    m = nsmb.Model(gravity=(0.0, 0.0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    ball = m.add_solid("ball", geometry.Sphere(r), 1000.0)
    m.add_joint("ball", joints.Free(), m.ground, ball)
    m.collide(nsmb.ContactLaw(mu=mu))
    start, speed = (0.0, 0.0, r, 1.0, 0.0, 0.0, 0.0), (*v, 0.0, 0.0, 0.0, 0.0)
    system = m.build({"ball": start}, velocities={"ball": speed})
    sol = nsmb.simulate(system, 0.15, method=nsmb.Midpoint(1e-3), output_step=0.01)
    contact = sol.contacts["ground.floor-ball.solid"]
    slip = np.maximum(0.0, 1.0 - 3.5 * mu * G * sol.t / np.linalg.norm(v))[:, None] * v
    np.testing.assert_allclose(contact.slip[1:], slip[1:], atol=1e-3)
    assert np.isnan(contact.slip[0]).all()  # no step has searched for contacts yet
    assert contact.columns()["slip_T2"][5] == contact.slip[5, 1]
    assert sol.contacts.to_xarray()["slip_T1"].attrs["units"] == "m/s"


def test_forces_and_impulses_of_a_tumbling_box_are_its_momentum() -> None:
    """m Δv = ∫ F dt + Σ impulses + m g t for any contacts of edges and corners."""
    m = nsmb.Model(gravity=(0.0, -G))
    box = m.add_body("box", mass=3.0, inertia=0.05)
    m.add_joint("free", joints.Planar(), m.ground, box)
    sides = [(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)]
    square = box.contour("sides", geometry.Polygon(sides))
    floor = m.ground.contour("floor", geometry.Line())
    m.add_contact(square, floor, nsmb.ContactLaw(mu=0.3, e_N=0.3), "foot")
    sol = nsmb.simulate(m.build({"free": (0, 0.5, 0.4)}, {"free": (1.0, 0.0, 2.0)}), 2.0)
    foot = sol.contacts["foot"]
    assert len(foot.events.of_kind("impact")) > 10
    force = foot.force_on("box")
    steps = np.diff(sol.t)[:, None]
    momentum = 0.5 * (steps * (force[1:] + force[:-1])).sum(axis=0) - foot.impulse[-1]
    momentum += [0.0, -3.0 * G * sol.t[-1], 0.0]
    change = 3.0 * (sol.u[-1, :2] - sol.u[0, :2])
    np.testing.assert_allclose(momentum[:2], change, atol=2e-5)  # by the trapezoidal rule
    np.testing.assert_allclose(
        foot.dissipation[-1], sol.energy.friction_loss[-1] + sol.energy.impact_loss[-1], rtol=1e-12
    )


# ---- a cam, in closed form ----

R, E, OMEGA, M, C = 0.03, 0.01, 20.0, 0.4, 60.0


def cam_force(t: np.ndarray) -> np.ndarray:
    """Return the force on a flat follower y = R + e sin ωt on an eccentric disc with a spring."""
    y, y_ddot = R + E * np.sin(OMEGA * t), -E * OMEGA**2 * np.sin(OMEGA * t)
    return M * (y_ddot + G) + C * (y + 0.02)


def cam_of_bodies() -> nsmb.System:
    m = nsmb.Model(gravity=(0.0, -G))
    cam = m.add_body("cam", mass=1.0, inertia=1e-3)
    turn = np.polynomial.Polynomial([0.0, OMEGA])
    m.add_joint("shaft", joints.Revolute(), m.ground, cam, motion=turn)
    follower = m.add_body("follower", mass=M, inertia=1e-3)
    m.add_joint("lift", joints.Prismatic((0.0, 1.0, 0.0)), m.ground, follower)
    m.add_joint_force("spring", "lift", lambda t, y, v: -C * (y + 0.02))
    disc = cam.contour("disc", geometry.Circle(R), at=(E, 0.0))
    face = follower.contour("face", geometry.Line(), angle=np.pi)
    m.add_contact(disc, face, name="cam")
    return m.build({"lift": R}, {"lift": E * OMEGA})


def cam_of_functions() -> nsmb.System:
    return nsmb.CallbackSystem(
        mass_matrix=lambda t, q: [[M]],
        forces=lambda t, q, u: [-M * G - C * (q[0] + 0.02)],
        coordinates=["lift"],
        contacts=[
            nsmb.Contact(
                lambda t, q: q[0] - R - E * np.sin(OMEGA * t),
                w_N=lambda t, q: [1.0],
                w_tilde_N=lambda t, q: -E * OMEGA * np.cos(OMEGA * t),
                w_bar_N=lambda t, q, u: E * OMEGA**2 * np.sin(OMEGA * t),
                name="cam",
            )
        ],
        initial_state=nsmb.State(0.0, [R], [E * OMEGA]),
    )


@pytest.mark.parametrize(("build", "column"), [(cam_of_bodies, 1), (cam_of_functions, 0)])
def test_the_force_of_a_cam_is_its_closed_form(build: Build, column: int) -> None:
    sol = nsmb.simulate(build(), 0.6, method=nsmb.EventDriven(rtol=1e-13))
    cam = sol.contacts["cam"]
    assert cam.closed.all()
    np.testing.assert_allclose(cam.force[:, column], cam_force(sol.t), atol=1e-11, rtol=0)
    np.testing.assert_allclose(cam.lambda_N, cam_force(sol.t), atol=1e-11, rtol=0)
    assert cam.force[:, [k for k in range(cam.force.shape[1]) if k != column]].max() < 1e-11


def test_power_of_all_parts_adds_to_zero() -> None:
    """Work of the cam, of weight and spring, and the energies are balanced."""
    sol = nsmb.simulate(cam_of_bodies(), 0.6)
    assert sol.energy.relative < 1e-9
    assert np.ptp(sol.energy.drive_work) > 0.1
    assert sol.contacts["cam"].dissipation.max() == 0.0


# ---- clearance of a driven mechanism ----


@cache
def four_bar() -> nsmb.Solution:
    """Return a four-bar with 0.1 mm of clearance at the pin between coupler and rocker."""
    m = nsmb.Model(gravity=(0.0, -G))
    crank = m.add_body("crank", mass=0.2, inertia=1e-4)
    turn = np.polynomial.Polynomial([0.3, 15.0])
    m.add_joint("shaft", joints.Revolute(), m.ground, crank, motion=turn)
    coupler = m.add_body("coupler", mass=0.5, inertia=2e-3, center=(0.1, 0.0))
    m.add_joint("knee", joints.Revolute(), crank, coupler, at=(0.05, 0.0))
    rocker = m.add_body("rocker", mass=0.4, inertia=1e-3, center=(0.0, 0.075))
    m.add_joint("pivot", joints.Revolute(), m.ground, rocker, at=(0.2, 0.0))
    pin = coupler.contour("pin", geometry.Circle(0.005), at=(0.2, 0.0))
    hole = rocker.contour("hole", geometry.Circle(-0.0051), at=(0.0, 0.15))
    m.add_contact(pin, hole, nsmb.ContactLaw(mu=0.1, e_N=0.4), "pin")
    closed = closing_angles(0.3)
    system = m.build({"knee": closed[0] - 0.3, "pivot": closed[1]})
    return nsmb.simulate(system, 0.8)


def closing_angles(crank: float) -> tuple[float, float]:
    """Return the angles of coupler and rocker with the pin centred in its hole."""
    a = 0.05 * np.array([np.cos(crank), np.sin(crank)])
    b = np.array([0.2, 0.0])
    d = b - a
    length = np.hypot(*d)
    base = np.arctan2(d[1], d[0])
    at_a = np.arccos((0.2**2 + length**2 - 0.15**2) / (2.0 * 0.2 * length))
    end = a + 0.2 * np.array([np.cos(base + at_a), np.sin(base + at_a)])
    return float(base + at_a), float(np.arctan2(*(end - b)[::-1]) - np.pi / 2.0)


def test_a_clearance_pin_is_one_contact_that_never_gives_energy() -> None:
    sol = four_bar()
    assert list(sol.contacts) == ["pin"]
    pin = sol.contacts["pin"]
    impacts = pin.events.of_kind("impact")
    assert len(impacts) > 20
    assert (impacts.energy_loss > -1e-15).all()
    assert (np.diff(pin.impact_loss) >= -1e-15).all()
    assert (np.diff(pin.dissipation) >= -1e-15).all()
    # Drives take part in the impacts, with separate work.
    assert np.abs(impacts.drive_work).max() > 1e-3 * impacts.energy_loss.max()
    assert sol.energy.relative < 1e-6
    assert 0.0 > pin.gap.min() > -1e-8
    assert pin.bodies == ("coupler", "rocker")


# ---- systems without bodies, files, tables, refusals ----


def test_contacts_without_bodies_have_forces_along_their_own_axes() -> None:
    toy = nsmb.simulate(nsmb.systems.woodpecker(), 0.3)
    assert list(toy.contacts) == ["beak", "lower", "upper"]
    for k, (name, contact) in enumerate(toy.contacts.items()):
        assert contact.name == name
        assert contact.bodies is None
        np.testing.assert_array_equal(contact.gap, toy.g_N[:, k])
        np.testing.assert_array_equal(
            contact.force, np.stack([toy.lambda_N, toy.lambda_T], -1)[:, k]
        )
        np.testing.assert_array_equal(contact.slip[:, 0], toy.gamma_T[:, k])
        np.testing.assert_array_equal(contact.state, toy.contact_state[:, k])
    losses = sum(contact.dissipation for contact in toy.contacts.values())
    np.testing.assert_allclose(
        losses, toy.energy.friction_loss + toy.energy.impact_loss, atol=1e-15
    )
    impacts = toy.events.of_kind("impact")
    beak = toy.contacts["beak"]
    np.testing.assert_allclose(beak.impulse[-1, 0], impacts.Lambda_N[:, 0].sum(), rtol=1e-14)
    with pytest.raises(ValueError, match=r"^contact 'beak': points: .*Use lambda_N, gap and state"):
        beak.points  # noqa: B018 - it raises
    with pytest.raises(ValueError, match=r"^contacts\.points: .*'woodpecker'"):
        toy.contacts.force_on("beak")


def test_friction_alone_has_no_gap() -> None:
    guide = nsmb.Friction(w_T=[1.0], bound=2.0, name="guide")
    sol = nsmb.simulate(nsmb.LinearSystem([[1.0]], contacts=[guide]), 0.1, u=[1.0])
    assert np.isnan(sol.contacts["guide"].gap).all()
    np.testing.assert_allclose(sol.contacts["guide"].force[:, 1], -2.0)
    assert sol.contacts["guide"].friction_loss[-1] == pytest.approx(2.0 * sol.q[-1, 0])


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_files_give_the_same_contacts(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"run{suffix}"
    sol = nsmb.simulate(nsmb.systems.woodpecker(), 0.2)
    sol.save(path)
    loaded = nsmb.Solution.load(path)
    for name, contact in sol.contacts.items():
        np.testing.assert_array_equal(loaded.contacts[name].force, contact.force)
        np.testing.assert_array_equal(loaded.contacts[name].impact_loss, contact.impact_loss)


def test_tables_have_the_same_names() -> None:
    sol = four_bar()
    frame = sol.contacts.to_dataframe()
    data = sol.contacts.to_xarray()
    assert set(frame.columns) - {"contact", "t"} == set(data.data_vars)
    pin = sol.contacts["pin"]
    np.testing.assert_array_equal(frame["force_x"], pin.force[:, 0])
    np.testing.assert_array_equal(data["impulse_y"].sel(contact="pin"), pin.impulse[:, 1])
    assert data["force_x"].attrs["units"] == "N"
    assert data["lambda_N"].attrs["units"] == "N"
    assert repr(sol.contacts).splitlines()[-1].startswith("pin")
    assert "coupler - rocker" in sol.contacts._repr_html_()
    assert repr(pin).startswith("Contact 'pin' of coupler.pin and rocker.hole: closed for ")


def test_wrong_names_are_told_the_right_one() -> None:
    sol = four_bar()
    with pytest.raises(KeyError, match=r"contact 'pni': .*did you mean 'pin'"):
        sol.contacts["pni"]
    with pytest.raises(
        TypeError, match=r"contacts\[\.\.\.\]: must be the name of a contact, got 0"
    ):
        sol.contacts[0]  # type: ignore[index]
    with pytest.raises(ValueError, match=r"contact 'pin': body 'crank': expected one of coupler"):
        sol.contacts["pin"].force_on("crank")
    assert "pin" in sol.contacts
    assert sol.contacts.get("nothing") is None


def test_steps_say_what_they_do_not_keep() -> None:
    steps = nsmb.Midpoint(2e-3)
    shape = crate(steps, True).contacts["ground.slope-crate.solid"]
    for name in ("impulse", "friction_loss", "impact_loss"):
        with pytest.raises(
            ValueError, match=rf"^contact 'ground\.slope-crate\.solid': {name}: .*step"
        ):
            getattr(shape, name)
    contour = crate(steps, False).contacts["ground.slope-crate.solid"]
    with pytest.raises(ValueError, match=r"impact_loss: .*Use sol\.energy\.impact_loss"):
        contour.impact_loss  # noqa: B018 - it raises
    with pytest.raises(ValueError, match=r"impulse: .*whose force includes impulses"):
        contour.impulse  # noqa: B018 - it raises
    assert "impulse_x" not in contour.columns()
    apart = crate(steps, True).contacts
    assert len(apart["crate.solid-ground.slope"].points) > 0
    with pytest.raises(KeyError, match="contact 'crate-slope'"):
        apart["crate-slope"]


def falling_disc() -> nsmb.MultibodySystem:
    m = nsmb.Model(gravity=(0.0, -G))
    disc = m.add_body("disc", mass=1.0, inertia=0.01)
    m.add_joint("free", joints.Planar(), m.ground, disc)
    rim = disc.contour("rim", geometry.Circle(0.1))
    m.add_contact(m.ground.contour("floor", geometry.Line()), rim, name="floor")
    return m.build({"free": (0.0, 0.5, 0.0)})


@pytest.mark.parametrize("t_end", [0.0, 0.1])
def test_a_contact_that_has_not_struck_has_no_impulse(t_end: float) -> None:
    sol = nsmb.simulate(falling_disc(), t_end)
    assert (sol.contacts["floor"].impulse == 0.0).all()
    assert (sol.contacts.to_dataframe()["impulse_y"] == 0.0).all()


def test_a_run_that_kept_nothing_shows_what_it_has(tmp_path: Path) -> None:
    sol = nsmb.simulate(falling_disc(), 0.5, record="nothing")
    assert sol.contacts._repr_html_().startswith("<p><b>Contacts: 1</b>")
    assert repr(sol.contacts["floor"]).endswith("lambda_N up to 9.81 N")
    frame = sol.contacts.to_dataframe()
    assert "force_y" in frame
    assert not {"impulse_x", "impact_loss"} & set(frame)
    whole = nsmb.simulate(falling_disc(), 0.5)
    whole.save(tmp_path / "run.npz")
    loaded = nsmb.Solution.load(tmp_path / "run.npz")  # its system is unknown
    assert repr(loaded.contacts).splitlines()[-1].startswith("floor")
    assert "floor" in loaded.contacts._repr_html_()
    assert repr(loaded.contacts["floor"]).startswith("Contact 'floor': closed for ")
    with pytest.raises(ValueError, match=r"Set solution\.system"):
        loaded.contacts["floor"].force  # noqa: B018 - it raises
    loaded.system = whole.system
    np.testing.assert_array_equal(loaded.contacts["floor"].force, whole.contacts["floor"].force)
    assert repr(loaded.contacts["floor"]).startswith("Contact 'floor' of ground.floor and disc.rim")


@pytest.mark.parametrize("swapped", [False, True])
def test_corners_of_a_box_on_a_moving_table_are_one_contact(swapped: bool) -> None:
    """m Δv = ∫ F dt + Σ impulses + m g t, and the guide of the table carries the box."""
    m = nsmb.Model(gravity=(0.5, 0.2, -G))
    table = m.add_body("table", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("guide", joints.Prismatic((1.0, 0.0, 0.0)), m.ground, table)
    m.add_torsion_spring("spring", "guide", c=50.0, d=1.0)
    box = m.add_body("box", mass=1.0, inertia=(0.01, 0.02, 0.03))
    m.add_joint("free", joints.Free(), m.ground, box)
    pair = [table.shape("top", geometry.HalfSpace()), box.shape("c", geometry.Box((0.3, 0.2, 0.1)))]
    m.add_contact(*(pair[::-1] if swapped else pair), nsmb.ContactLaw(mu=0.3, e_N=0.1), "x")
    system = m.build({"free": (0.0, 0.0, 0.15, 1.0, 0.05, 0.1, 0.0)})
    sol = nsmb.simulate(system, 0.4, method=nsmb.EventDriven(rtol=1e-10))
    x = sol.contacts["x"]
    assert x.bodies is not None
    assert set(x.bodies) == {"table", "box"}
    force = x.force_on("box")
    impulse = x.impulse[-1] * (1.0 if x.bodies[1] == "box" else -1.0)
    assert impulse[2] > 0.5
    steps = np.diff(sol.t)[:, None]
    gained = 0.5 * (steps * (force[1:] + force[:-1])).sum(axis=0) + impulse
    gained += np.array([0.5, 0.2, -G]) * sol.t[-1]
    speed = sol.bodies["box"].velocity
    np.testing.assert_allclose(gained, speed[-1] - speed[0], atol=5e-5)  # trapezoidal rule
    carried = sol.joints["guide"].force[:, 2]
    np.testing.assert_allclose(carried, 2.0 * G + force[:, 2], atol=1e-8)
