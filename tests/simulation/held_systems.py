"""A mass over a floor and a mass on a rough table, with an input, in every form of description."""

from __future__ import annotations

from collections.abc import Callable

import nsmb
from nsmb import symbolic

MASS, GRAVITY, FRICTION = 2.0, 9.81, 0.5
FORCE = nsmb.Input("force", 0.0, unit="N")
LAW = nsmb.ContactLaw(e_N=0.0, mu=FRICTION)
START = nsmb.State(0.0, [0.0, 0.0], [0.0, 0.0])


def linear(lifts: bool) -> nsmb.System:
    direction = [0.0, 1.0] if lifts else [1.0, 0.0]
    return nsmb.LinearSystem(
        [[MASS, 0.0], [0.0, MASS]],
        force=nsmb.Force([0.0, -MASS * GRAVITY], inputs={FORCE: direction}),
        contacts=[nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=LAW, name="floor")],
        coordinates=["x", "z"],
    )


def callback(lifts: bool) -> nsmb.System:
    def forces(t: float, q: object, u: object, force: float) -> list[float]:
        return [0.0, force - MASS * GRAVITY] if lifts else [force, -MASS * GRAVITY]

    floor = nsmb.Contact(
        gap=lambda t, q: q[1], w_N=lambda t, q: [0.0, 1.0], w_T=lambda t, q: [1.0, 0.0],
        law=LAW, name="floor",
    )  # fmt: skip
    masses = [[MASS, 0.0], [0.0, MASS]]
    return nsmb.CallbackSystem(["x", "z"], masses, forces, [floor], inputs=[FORCE])


def sympy_energies(lifts: bool) -> nsmb.System:
    x, z = symbolic.coordinates("x z")
    u, w = symbolic.velocities(x, z)
    law = nsmb.ContactLaw(e_N=0.0, mu=FRICTION)
    return symbolic.LagrangianSystem(
        [x, z],
        MASS / 2 * (u**2 + w**2),
        MASS * GRAVITY * z,
        forces={z if lifts else x: FORCE},
        contacts=[nsmb.Contact(gap=z, slip=u, law=law, name="floor")],
        inputs=[FORCE],
    )


def sympy_integrated(lifts: bool) -> nsmb.System:
    x, z = symbolic.coordinates("x z")
    u, _ = symbolic.velocities(x, z)
    law = nsmb.ContactLaw(e_N=0.0, mu=FRICTION)
    h = [0, FORCE - MASS * GRAVITY] if lifts else [FORCE, -MASS * GRAVITY]
    return symbolic.from_equations(
        [x, z],
        [[MASS, 0], [0, MASS]],
        h,
        contacts=[nsmb.Contact(gap=z, slip=u, law=law, name="floor")],
        inputs=[FORCE],
        linear=False,
    )


def _bodies() -> nsmb.Model:
    model = nsmb.Model(gravity=(0.0, -GRAVITY, 0.0))
    body = model.add_body("mass", mass=MASS, inertia=1.0)
    slide = model.add_body("slide")
    model.add_joint("x", nsmb.joints.Prismatic((1.0, 0.0, 0.0)), model.ground, slide)
    model.add_joint("z", nsmb.joints.Prismatic((0.0, 1.0, 0.0)), slide, body)
    floor = model.ground.contour("floor", nsmb.geometry.Line())
    foot = body.contour("foot", nsmb.geometry.Circle(0.1), at=(0.0, 0.1))
    model.add_contact(foot, floor, law=LAW, name="floor")
    return model


def bodies(lifts: bool) -> nsmb.System:
    model = _bodies()
    model.add_joint_force("motor", "z" if lifts else "x", FORCE)
    return model.build()


def bodies_with_load(lifts: bool) -> nsmb.System:
    def load(t: float, r: object, A: object, v: object, Omega: object, force: float) -> list[float]:
        return [0.0, force, 0.0] if lifts else [force, 0.0, 0.0]

    model = _bodies()
    body = model.bodies[0]
    model.add_load("load", body, load, inputs=[FORCE])
    return model.build()


def bodies_with_law(lifts: bool) -> nsmb.System:
    model = _bodies()
    coordinate = "z" if lifts else "x"
    model.add_joint_force("motor", coordinate, lambda t, q, v, force: force, inputs=[FORCE])
    return model.build()


KINDS: dict[str, Callable[[bool], nsmb.System]] = {
    make.__name__: make
    for make in (
        linear, callback, sympy_energies, sympy_integrated, bodies, bodies_with_load,
        bodies_with_law,
    )
}  # fmt: skip
