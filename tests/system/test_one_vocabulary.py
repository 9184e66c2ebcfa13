"""Contact, Friction, Constraint and ForceElement: accepted and rejected arguments of each system.

Each remedy of a message is applied in the same test.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import Constraint, Contact, ContactLaw, ForceElement, Friction, GapForce, symbolic

sympy = pytest.importorskip("sympy")

x = symbolic.coordinates("x")
v = symbolic.velocities(x)
p = symbolic.parameters(mu=0.3, c=100.0)
PAD = GapForce(100.0, 1.0)


def linear(*contacts: Any, **options: Any) -> nsmb.System:
    return nsmb.LinearSystem([[1.0]], contacts=contacts, **options)


def callback(*contacts: Any, **options: Any) -> nsmb.System:
    return nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.0], contacts, **options)


def lagrangian(*contacts: Any, **options: Any) -> nsmb.System:
    return symbolic.LagrangianSystem(
        [x], v**2 / 2, contacts=contacts, parameters=p, **options
    )  # fmt: skip


def equations(*contacts: Any, **options: Any) -> nsmb.System:
    return symbolic.from_equations([x], [[1]], [0], contacts, parameters=p, **options)


def gap(t: float, q: Any) -> float:
    return float(q[0])


def slip(t: float, q: Any, u: Any) -> float:
    return float(u[0])


def row(t: float, q: Any) -> list[float]:
    return [1.0]


ROWS = Contact(w_N=[1.0], name="floor")
FUNCTIONS = Contact(gap, name="floor")
EXPRESSIONS = Contact(x, name="floor")

# The arguments, the message, and a system that accepts them.
OTHER_KINDS: dict[str, tuple[Callable[[], Any], str, Callable[[], Any]]] = {
    "a function in a linear system": (
        lambda: linear(FUNCTIONS),
        r"contact 'floor': gap: must be numbers, got a function\. Use the contact in a "
        r"nsmb\.CallbackSystem\.",
        lambda: callback(FUNCTIONS),
    ),
    "a function as direction": (
        lambda: linear(Contact(w_N=row, name="floor")),
        r"contact 'floor': w_N: must be numbers, got a function",
        lambda: callback(Contact(gap, w_N=row, name="floor")),
    ),
    "an expression in a linear system": (
        lambda: linear(EXPRESSIONS),
        r"contact 'floor': gap: must be numbers, got the expression x\. Use the contact in a "
        r"nsmb\.symbolic\.LagrangianSystem\.",
        lambda: lagrangian(EXPRESSIONS),
    ),
    "an expression in a system by functions": (
        lambda: callback(EXPRESSIONS),
        r"contact 'floor': gap: must be a function of \(t, q\), got the expression x\. Use the "
        r"contact in a nsmb\.symbolic\.LagrangianSystem\.",
        lambda: lagrangian(EXPRESSIONS),
    ),
    "rows in a system by functions": (
        lambda: callback(ROWS),
        r"contact 'floor': w_N: must be a function of \(t, q\), got \[1\.0\]\. Use the contact in "
        r"a nsmb\.LinearSystem, or give functions\.",
        lambda: linear(ROWS),
    ),
    "a number as gap in a system by functions": (
        lambda: callback(Contact(0.1, name="floor")),
        r"contact 'floor': gap: must be a function of \(t, q\), got 0\.1",
        lambda: callback(FUNCTIONS),
    ),
    "rows in a system by energies": (
        lambda: lagrangian(ROWS),
        r"contact 'floor': w_N: must be an expression, got the row \[1\.0\]\. Use the "
        r"contact in a nsmb\.LinearSystem\.",
        lambda: linear(ROWS),
    ),
    "functions in a system by energies": (
        lambda: lagrangian(FUNCTIONS),
        r"contact 'floor': gap: must be an expression, got a function\. Use the contact in a "
        r"nsmb\.CallbackSystem\.",
        lambda: callback(FUNCTIONS),
    ),
    "functions in equations": (
        lambda: equations(Contact(x, slip, name="floor")),
        r"contact 'floor': slip: must be an expression, got a function",
        lambda: equations(Contact(x, v, name="floor")),
    ),
    "friction by a function in a linear system": (
        lambda: linear(Friction(slip, 1.0, name="guide")),
        r"contact 'guide': slip: must be numbers, got a function\. Use .* nsmb\.CallbackSystem",
        lambda: callback(Friction(slip, 1.0, name="guide")),
    ),
    "bound by a function in a linear system": (
        lambda: linear(Friction(bound=lambda t, q, u: 1.0, w_T=[1.0], name="guide")),
        r"contact 'guide': bound: must be numbers, got a function",
        lambda: linear(Friction(bound=1.0, w_T=[1.0], name="guide")),
    ),
    "friction by a row in a system by functions": (
        lambda: callback(Friction(bound=1.0, w_T=[1.0], name="guide")),
        r"contact 'guide': w_T: must be a function of \(t, q\), got \[1\.0\]",
        lambda: callback(Friction(bound=1.0, w_T=row, name="guide")),
    ),
    "a coefficient of parameters": (
        lambda: linear(Friction(w_T=[1.0], mu=p.mu, normal="floor", name="guide"), ROWS),
        r"contact 'guide': mu: must be a number, got the expression mu\. Use expressions in a "
        r"nsmb\.symbolic\.LagrangianSystem",
        lambda: lagrangian(Friction(v, mu=p.mu, normal="floor", name="guide"), EXPRESSIONS),
    ),
    "a law of parameters in a linear system": (
        lambda: linear(Contact(w_N=[1.0], law=ContactLaw(p.mu), name="floor")),
        r"contact 'floor': law\.mu: must be a number, got the expression mu\. Use expressions in a "
        r"nsmb\.symbolic\.LagrangianSystem",
        lambda: lagrangian(Contact(x, law=ContactLaw(p.mu), name="floor")),
    ),
    "a law of parameters in a system by functions": (
        lambda: callback(Contact(gap, law=ContactLaw(e_N=p.mu), name="floor")),
        r"contact 'floor': law\.e_N: must be a number, got the expression mu",
        lambda: callback(Contact(gap, law=ContactLaw(e_N=0.3), name="floor")),
    ),
    "a constraint by an expression in a system by functions": (
        lambda: callback(constraints=[Constraint(x, name="rod")]),
        r"constraint 'rod': gap: must be a function of \(t, q\), got the expression x\. Use the "
        r"constraint in a nsmb\.symbolic\.LagrangianSystem",
        lambda: lagrangian(constraints=[Constraint(x, name="rod")]),
    ),
    "a constraint by a function in a system by energies": (
        lambda: lagrangian(constraints=[Constraint(velocity=slip, name="rod")]),
        r"constraint 'rod': velocity: must be an expression, got a function",
        lambda: lagrangian(constraints=[Constraint(velocity=v, name="rod")]),
    ),
    "a constraint by a number": (
        lambda: callback(constraints=[Constraint(1.0, name="rod")]),  # type: ignore[arg-type]
        r"constraint 'rod': gap: must be a function of \(t, q\), got 1\.0\. Give a function\.",
        lambda: callback(constraints=[Constraint(gap, name="rod")]),
    ),
    "a constraint among contacts": (
        lambda: linear(Constraint(gap)),
        r"contact 'contact_1': must be a nsmb\.Contact or a nsmb\.Friction, got Constraint",
        lambda: callback(constraints=[Constraint(gap)]),
    ),
    "a force element by a function in a linear system": (
        lambda: linear(elements=[ForceElement(gap, PAD, "pad")]),
        r"force element 'pad': gap: must be numbers, got a function",
        lambda: callback(elements=[ForceElement(gap, PAD, "pad")]),
    ),
    "a force element by a row in a system by functions": (
        lambda: callback(elements=[ForceElement(law=PAD, name="pad", w=[1.0])]),
        r"force element 'pad': w: must be a function of \(t, q\), got \[1\.0\]",
        lambda: linear(elements=[ForceElement(law=PAD, name="pad", w=[1.0])]),
    ),
    "a force element by a row in a system by energies": (
        lambda: lagrangian(elements=[ForceElement(law=PAD, name="pad", w=[1.0])]),
        r"force element 'pad': w: must be an expression, got the row \[1\.0\]",
        lambda: lagrangian(elements=[ForceElement(x, PAD, "pad")]),
    ),
    "a stiffness of parameters in a linear system": (
        lambda: linear(elements=[ForceElement(law=GapForce(p.c, 1.0), name="pad", w=[1.0])]),
        r"force element 'pad': law\.c: must be a number, got the expression c",
        lambda: lagrangian(elements=[ForceElement(x, GapForce(p.c, 1.0), "pad")]),
    ),
    "a stiffness of parameters in a system by functions": (
        lambda: callback(elements=[ForceElement(gap, GapForce(p.c, 1.0), "pad")]),
        r"force element 'pad': law\.c: must be a number, got the expression c",
        lambda: callback(elements=[ForceElement(gap, PAD, "pad")]),
    ),
    "a contact as force element": (
        lambda: linear(elements=[ROWS]),
        r"force element 'floor': must be a nsmb\.ForceElement, got Contact",
        lambda: linear(elements=[ForceElement(law=PAD, w=[1.0])]),
    ),
    "a row as gap": (
        lambda: linear(Contact([1.0], name="floor")),  # type: ignore[arg-type]
        r"contact 'floor': gap: must be a number, got \[1\.0\]\. Pass the row as w_N=\.",
        lambda: linear(Contact(w_N=[1.0], name="floor")),
    ),
    "a row as gap of a force element": (
        lambda: linear(elements=[ForceElement([1.0], PAD, "pad")]),  # type: ignore[arg-type]
        r"force element 'pad': gap: must be a number, got \[1\.0\]\. Pass the row as w=\.",
        lambda: linear(elements=[ForceElement(law=PAD, w=[1.0])]),
    ),
    "a law in the place of the slip": (
        lambda: Contact(gap, ContactLaw(0.3), name="floor"),  # type: ignore[arg-type]
        r"contact 'floor': slip: must be geometry, got a ContactLaw\. Pass it as law=\.",
        lambda: Contact(gap, law=ContactLaw(0.3), name="floor"),
    ),
    "a name in the place of the law": (
        lambda: Contact(gap, slip, "floor"),  # type: ignore[arg-type]
        r"law: must be a nsmb\.ContactLaw, got 'floor'",
        lambda: Contact(gap, slip, name="floor"),
    ),
    "a number as name": (
        lambda: Contact(gap, name=3),  # type: ignore[arg-type]
        r"contact: name: must be a text, got 3",
        lambda: Contact(gap, name="3"),
    ),
    "a stiffness in the place of the law": (
        lambda: ForceElement(gap, 100.0, "pad"),  # type: ignore[arg-type]
        r"force element 'pad': law: must be a nsmb\.GapForce, got 100\.0\. Pass stiffness and "
        r"damping as law=nsmb\.GapForce\(c, d\)\.",
        lambda: ForceElement(gap, GapForce(100.0), "pad"),
    ),
    "a law of parameters between bodies": (
        lambda: two_bodies().collide(ContactLaw(p.mu)),
        r"law\.mu: must be a number, got the expression mu",
        lambda: two_bodies().collide(ContactLaw(0.3)),
    ),
    "a stop of parameters between bodies": (
        lambda: two_bodies().add_stop("slide", 0.0, law=ContactLaw(e_N=p.mu)),
        r"law\.e_N: must be a number, got the expression mu",
        lambda: two_bodies().add_stop("slide", 0.0, law=ContactLaw(e_N=0.3)),
    ),
    "a force of parameters between bodies": (
        lambda: two_bodies().add_gap_force("pad", GapForce(p.c, 1.0), coordinate="slide"),
        r"law\.c: must be a number, got the expression c",
        lambda: two_bodies().add_gap_force("pad", PAD, coordinate="slide", direction=1),
    ),
}

# The arguments, the message, and the remedy.
UNUSED: dict[str, tuple[Callable[[], Any], str, Callable[[], Any]]] = {
    "slip of rows": (
        lambda: linear(Contact(0.1, [1.0], w_N=[1.0], name="floor")),  # type: ignore[arg-type]
        r"contact 'floor': slip: must be left out in a LinearSystem, got \[1\.0\]\. Give the "
        r"direction as w_T=",
        lambda: linear(Contact(0.1, w_N=[1.0], w_T=[1.0], name="floor")),
    ),
    "w_bar_N of rows": (
        lambda: linear(Contact(w_N=[1.0], w_bar_N=0.0, name="floor")),  # type: ignore[arg-type]
        r"contact 'floor': w_bar_N: must be left out in a LinearSystem, got 0\.0\. Leave it out",
        lambda: linear(Contact(w_N=[1.0], name="floor")),
    ),
    "w_bar_T of rows": (
        lambda: linear(Friction(bound=1.0, w_T=[1.0], w_bar_T=0.0)),  # type: ignore[arg-type]
        r"contact 'contact_1': w_bar_T: must be left out in a LinearSystem",
        lambda: linear(Friction(bound=1.0, w_T=[1.0])),
    ),
    "tangents of rows": (
        lambda: linear(Contact(w_N=[1.0], w_T=[1.0], tangents=1, name="floor")),
        r"contact 'floor': tangents: must be left out in a LinearSystem, got 1\. .* shape of `w_T`",
        lambda: linear(Contact(w_N=[1.0], w_T=[1.0], name="floor")),
    ),
    "no row": (
        lambda: linear(Contact(0.1, name="floor")),
        r"contact 'floor': w_N: must be given in a LinearSystem, got None",
        lambda: linear(Contact(0.1, w_N=[1.0], name="floor")),
    ),
    "no row of a force element": (
        lambda: linear(elements=[ForceElement(0.1, PAD, "pad")]),
        r"force element 'pad': w: must be given in a LinearSystem, got None",
        lambda: linear(elements=[ForceElement(0.1, PAD, "pad", w=[1.0])]),
    ),
    "no function": (
        lambda: callback(Contact(name="floor")),
        r"contact 'floor': gap: must be given in a CallbackSystem, got None",
        lambda: callback(Contact(gap, name="floor")),
    ),
    "no function of a force element": (
        lambda: callback(elements=[ForceElement(law=PAD, name="pad")]),
        r"force element 'pad': gap: must be given in a CallbackSystem, got None",
        lambda: callback(elements=[ForceElement(gap, PAD, "pad")]),
    ),
    "no expression": (
        lambda: lagrangian(Contact(slip=v, name="floor")),
        r"contact 'floor': gap: must be given in a LagrangianSystem, got None",
        lambda: lagrangian(symbolic.point_contact((0, x), (1, 0), name="floor")),
    ),
    "no expression of a force element": (
        lambda: lagrangian(elements=[ForceElement(law=PAD, name="pad")]),
        r"force element 'pad': gap: must be given in a LagrangianSystem, got None",
        lambda: lagrangian(elements=[ForceElement(x, PAD, "pad")]),
    ),
    "w_N beside a gap by an expression": (
        lambda: lagrangian(Contact(x, name="floor", w_N=[1.0])),
        r"contact 'floor': w_N: must be left out in a LagrangianSystem, got \[1\.0\]\. .* derived",
        lambda: lagrangian(Contact(x, name="floor")),
    ),
    "w_T beside a gap by an expression": (
        lambda: lagrangian(Contact(x, name="floor", w_T=[1.0])),
        r"contact 'floor': w_T: must be left out .* Give the velocity as slip=",
        lambda: lagrangian(Contact(x, v, name="floor")),
    ),
    "w_tilde_T beside a slip by an expression": (
        lambda: lagrangian(Friction(v, 1.0, name="guide", w_tilde_T=2.0)),
        r"contact 'guide': w_tilde_T: must be left out .* Add the prescribed velocity to `slip`",
        lambda: lagrangian(Friction(v + 2.0, 1.0, name="guide")),
    ),
    "tangents of expressions": (
        lambda: lagrangian(Contact(x, v, tangents=1, name="floor")),
        r"contact 'floor': tangents: must be left out .* the number of expressions in `slip`",
        lambda: lagrangian(Contact(x, v, name="floor")),
    ),
    "w of a constraint by an expression": (
        lambda: lagrangian(constraints=[Constraint(x, name="rod", w=[1.0])]),  # type: ignore[arg-type]
        r"constraint 'rod': w: must be left out in a LagrangianSystem",
        lambda: lagrangian(constraints=[Constraint(x, name="rod")]),
    ),
    "slip and its direction": (
        lambda: Contact(gap, slip, name="floor", w_T=row),
        r"contact 'floor': w_T: must be left out with `slip`, got both",
        lambda: Contact(gap, name="floor", w_T=row),
    ),
    "slip and what is prescribed": (
        lambda: Friction(slip, 1.0, name="guide", w_tilde_T=lambda t, q: 1.0),
        r"contact 'guide': w_tilde_T: must be left out with `slip`, got both",
        lambda: Friction(lambda t, q, u: u[0] + 1.0, 1.0, name="guide"),
    ),
    "velocity and its direction": (
        lambda: Constraint(velocity=slip, name="skate", w=row),
        r"constraint 'skate': w: must be left out with `velocity`, got both",
        lambda: Constraint(velocity=slip, name="skate"),
    ),
    "gap and velocity": (
        lambda: Constraint(gap, slip, "rod"),
        r"constraint 'rod': gap: must be given, or `velocity` instead of it, got both",
        lambda: Constraint(gap, name="rod"),
    ),
    "neither gap nor velocity": (
        lambda: Constraint(name="rod"),
        r"constraint 'rod': gap: must be given, or `velocity` instead of it, got neither",
        lambda: Constraint(velocity=slip, name="rod"),
    ),
    "friction without direction": (
        lambda: Friction(bound=1.0, name="guide"),
        r"contact 'guide': slip: must be given, got None\. Give the velocity as slip=, or its",
        lambda: Friction(bound=1.0, name="guide", w_T=[1.0]),
    ),
    "a slip of other arguments": (
        lambda: Contact(gap, lambda t, q: 0.0, name="floor"),  # type: ignore[arg-type, misc]
        r"contact 'floor': slip: expected a function of \(t, q, u\), got one of \(t, q\)",
        lambda: Contact(gap, lambda t, q, u: 0.0, name="floor"),
    ),
    "a slip that is not affine": (
        lambda: callback(Contact(gap, lambda t, q, u: u[0] ** 3, name="floor")),
        r"contact 'floor': slip\(t, q, u\): must be affine in the velocities, .* check=False",
        lambda: callback(Contact(gap, lambda t, q, u: u[0] ** 3, name="floor"), check=False),
    ),
    "a velocity that is not affine": (
        lambda: callback(constraints=[Constraint(velocity=lambda t, q, u: abs(u[0]), name="c")]),
        r"constraint 'c': velocity\(t, q, u\): must be affine in the velocities",
        lambda: callback(constraints=[Constraint(velocity=lambda t, q, u: u[0], name="c")]),
    ),
    "a stop with w_N of a row": (
        lambda: nsmb.two_sided_stop([1.0], -1.0, 1.0, w_N=row),
        r"w_N: must be left out with a row, got <function row",
        lambda: nsmb.two_sided_stop([1.0], -1.0, 1.0),
    ),
}


def two_bodies() -> nsmb.Model:
    model = nsmb.Model(gravity=(0, 0))
    body = model.add_body("body", mass=1.0, inertia=1.0)
    model.add_joint("slide", nsmb.joints.Prismatic(), model.ground, body)
    return model


@pytest.mark.parametrize("case", OTHER_KINDS)
def test_geometry_of_another_kind_names_the_system_that_takes_it(case: str) -> None:
    call, message, remedy = OTHER_KINDS[case]
    with pytest.raises(TypeError, match=message):
        call()
    remedy()


@pytest.mark.parametrize("case", UNUSED)
def test_fields_that_are_not_used_are_refused(case: str) -> None:
    call, message, remedy = UNUSED[case]
    with pytest.raises(ValueError, match=message):
        call()
    remedy()


def test_fields_stand_in_the_order_of_what_is_written_first() -> None:
    contact = Contact(1.0, 2.0, ContactLaw(0.1), "name")  # type: ignore[arg-type]
    assert (contact.gap, contact.slip, contact.law.mu, contact.name) == (1.0, 2.0, 0.1, "name")
    friction = Friction(slip, 1.0, 0.2, "floor", "name")
    assert (friction.bound, friction.mu, friction.normal) == (1.0, 0.2, "floor")
    assert Constraint(gap, None, "name").name == "name"
    assert ForceElement(1.0, PAD, "name").name == "name"
    with pytest.raises(TypeError):
        Contact(1.0, None, ContactLaw(), "name", [1.0])  # type: ignore[misc]


def test_numbers_of_laws_are_checked_at_once_and_expressions_are_kept() -> None:
    law = ContactLaw(p.mu, e_N=sympy.Rational(1, 2))
    assert law.mu is p.mu
    assert law.e_N == 0.5
    with pytest.raises(ValueError, match="e_N: expected a number in"):
        ContactLaw(p.mu, e_N=2.0)
    assert GapForce(p.c).c is p.c
    with pytest.raises(ValueError, match="d: expected a number, got 'soft'"):
        GapForce(p.c, "soft")  # type: ignore[arg-type]


def test_laws_of_parameters_take_their_values() -> None:
    system = lagrangian(Contact(x, v, ContactLaw(p.mu), "floor"))
    assert system.contacts[0].law.mu == 0.3
    assert system.with_parameters(mu=0.7).contacts[0].law.mu == 0.7
    with pytest.raises(ValueError, match="mu: expected a number >= 0"):
        system.with_parameters(mu=-1.0)


@pytest.mark.parametrize("moving", [False, True])
def test_a_slip_gives_directions_to_rounding(moving: bool) -> None:
    """γ_T = cos(q_2) u_1 + 2 u_2 + a sin 3t against its rows, in two directions."""
    a = 0.4 if moving else 0.0

    def slips(t: float, q: Any, u: Any) -> list[float]:
        return [np.cos(q[1]) * u[0] + 2 * u[1] + a * np.sin(3 * t), u[1] - u[0]]

    by_slip = Contact(lambda t, q: q[0], slips, tangents=2)
    by_rows = Contact(
        lambda t, q: q[0],
        w_T=lambda t, q: np.array([[np.cos(q[1]), -1.0], [2.0, 1.0]]),
        w_tilde_T=lambda t, q: [a * np.sin(3 * t), 0.0],
        w_bar_T=lambda t, q, u: [-np.sin(q[1]) * u[0] * u[1] + 3 * a * np.cos(3 * t), 0.0],
        tangents=2,
    )
    t, q, u = 0.7, np.array([0.3, -0.8]), np.array([1.2, -0.5])
    found, expected = (
        nsmb.CallbackSystem(
            ["x", "y"], np.eye(2), lambda t, q, u: [0.0, 0.0], [contact],
            initial_state=nsmb.State(t, q, u),
        ).contact_kinematics(t, q, u)
        for contact in (by_slip, by_rows)
    )  # fmt: skip
    for name in ("W_T", "w_tilde_T"):
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-15)
    # Central differences of step 6e-6: (6e-6)²/6 of the third derivative, and rounding, 1e-10.
    np.testing.assert_allclose(found["w_bar_T"], expected["w_bar_T"], rtol=0, atol=1e-9)


def test_systems_by_functions_of_a_module_can_be_pickled() -> None:
    stops = nsmb.two_sided_stop(gap, -1.0, 1.0, w_N=row)
    again = pickle.loads(pickle.dumps(stops))
    assert [contact.gap(0.0, [0.25]) for contact in again] == [1.25, 0.75]
    assert [contact.w_N(0.0, [0.25])[0] for contact in again] == [1.0, -1.0]


def test_contacts_do_not_import_sympy() -> None:
    code = (
        "import sys, nsmb\n"
        "nsmb.LinearSystem([[1.0]], contacts=[nsmb.Contact(w_N=[1.0])],"
        " elements=[nsmb.ForceElement(law=nsmb.GapForce(1.0, 1.0), w=[1.0])])\n"
        "assert 'sympy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
