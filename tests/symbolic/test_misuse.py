"""Bad input raises a ValueError that names the argument."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsmb
from nsmb import Contact, ContactLaw, ForceElement, Friction, GapForce, symbolic
from nsmb.symbolic import LagrangianSystem

x, y = symbolic.coordinates("x y")
v, w = symbolic.velocities(x, y)
z = symbolic.states("z")
other = symbolic.coordinates("other")
p = symbolic.parameters(m=1.0, k=2.0)
KINETIC = p.m / 2 * (v**2 + w**2)
q_t = dynamicsymbols("q")
mystery = sp.Function("mystery")


def build(**changes: Any) -> LagrangianSystem:
    arguments: dict[str, Any] = {"q": [x, y], "kinetic": KINETIC, "parameters": p}
    return LagrangianSystem(**arguments | changes)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown symbol in T": (
        {"kinetic": KINETIC * sp.Symbol("mass")},
        r"kinetic: symbol 'mass': expected one of",
    ),
    "near miss": ({"potential": sp.Symbol("kk") * x}, r"potential: symbol 'kk'.*did you mean 'k'"),
    "unlisted coordinate": ({"potential": other**2}, r"potential: symbol 'other'"),
    "unlisted velocity": ({"kinetic": KINETIC + other.velocity**2}, r"symbol 'other_dot'"),
    "unknown function": ({"potential": mystery(x)}, r"potential: function 'mystery' is not known"),
    "uncompilable function": ({"potential": sp.gamma(x)}, r"function 'gamma' cannot be compiled"),
    "coordinate missing in T": ({"kinetic": p.m * v**2 / 2}, r"kinetic: .* without that of 'y'"),
    "singular M": (
        {"kinetic": p.m * (v + w) ** 2},
        r"mass matrix: .* indefinite in the velocity of 'y'",
    ),
    "negative mass": ({"kinetic": -p.m * v**2 + w**2}, r"mass matrix: .* velocity of 'x'"),
    "cubic T": ({"kinetic": KINETIC + v**3}, r"kinetic: expected a quadratic form of velocities"),
    "velocity in V": (
        {"potential": x * v},
        r"potential: expected an expression without velocities",
    ),
    "state in T": (
        {"kinetic": KINETIC * z, "states": {z: 0}},
        r"kinetic: .* without internal states",
    ),
    "unknown state": ({"forces": [z, 0]}, r"forces\[x_dot\]: symbol 'z'"),
    "too few forces": ({"forces": [1]}, r"forces: expected 2 expressions, got 1"),
    "force of another": ({"forces": {other: 1}}, r"forces: coordinate 'other'"),
    "text as force": ({"forces": ["k*x", 0]}, r"forces\[0\]: expected an expression, got 'k\*x'"),
    "complex constant": ({"potential": sp.I * x}, r"potential: expected real numbers, got I"),
    "infinite constant": ({"potential": sp.oo}, r"potential: expected real numbers, got oo"),
    "root of -1": ({"potential": sp.sqrt(-2) * x}, r"potential: expected real numbers"),
    "open piecewise": (
        {"potential": sp.Piecewise((x, x > 0))},
        r"expected a Piecewise that ends with",
    ),
    "no coordinates": ({"q": []}, r"q: expected at least one coordinate"),
    "coordinate twice": ({"q": [x, x]}, r"q: must be distinct coordinates, got x twice"),
    "plain symbol": ({"q": [sp.Symbol("x")]}, r"q: expected symbols made by coordinates\(\)"),
    "velocity as coordinate": ({"q": [v]}, r"q: expected symbols made by coordinates"),
    "gap with velocity": (
        {"contacts": [Contact(y + v, name="c")]},
        r"contact 'c': gap: expected an expression without velocities",
    ),
    "gap without coordinates": (
        {"contacts": [Contact(p.k)]},
        r"contact 'contact_1': gap: expected an expression of the coordinates",
    ),
    "slip with squares": (
        {"contacts": [Contact(y, v**2)]},
        r"contact 'contact_1': slip: expected an expression affine in the velocities",
    ),
    "three slips": ({"contacts": [Contact(y, [v, w, v])]}, r"slip: expected 1 or 2 expressions"),
    "nothing": (
        {"contacts": [Contact()]},
        r"contact 'contact_1': gap: must be given in a LagrangianSystem, got None",
    ),
    "law of motion": (
        {"contacts": [Contact(y, law=ContactLaw(mu=x))]},
        r"contact 'contact_1': law\.mu: expected an expression without coordinates",
    ),
    "law out of range": (
        {"contacts": [Contact(y, law=ContactLaw(e_N=p.k))]},
        r"e_N: expected a number in \[0, 1\], got 2",
    ),
    "friction of nobody": (
        {"contacts": [Friction(v, mu=0.1, normal="floor")]},
        r"normal 'floor': expected no name",
    ),
    "bound with an unknown state": ({"contacts": [Friction(v, z)]}, r"bound: symbol 'z'"),
    "slip with states": (
        {"contacts": [Friction(v + z, 1)], "states": {z: 0}},
        r"slip: expected an expression without internal states",
    ),
    "element with velocity": (
        {"elements": [ForceElement(v, GapForce(1.0, 1.0))]},
        r"force element 'element_1': gap: expected an expression without velocities",
    ),
    "stiffness of motion": (
        {"elements": [ForceElement(x, GapForce(y, 1.0))]},
        r"force element 'element_1': law\.c: expected an expression without coordinates",
    ),
    "constraint of time": (
        {"constraints": [symbolic.time]},
        r"constraint 'constraint_1': gap: expected an expression of the coordinates",
    ),
    "no state": ({"states": {x: 1}}, r"states: expected symbols made by states\(\), got x"),
    "unknown start": ({"initial": {other: 1.0}}, r"initial: symbol 'other'"),
    "moving start": (
        {"initial": {x: y}},
        r"initial\[x\]: expected an expression without coordinates",
    ),
    "short start": (
        {"initial": nsmb.State(0.0, [1.0], [0.0, 0.0])},
        r"initial\.q: expected shape \(2,\)",
    ),
    "one contact": (
        {"contacts": Contact(y)},
        r"contacts: must be a sequence, got Contact\(.*in a list",
    ),
    "one friction": (
        {"contacts": Friction(v, 1.0)},
        r"contacts: must be a sequence, got Friction",
    ),
    "one element": (
        {"elements": ForceElement(x, GapForce(1.0))},
        r"elements: must be a sequence, got Force",
    ),
    "one constraint": ({"constraints": x - y}, r"constraints: must be a sequence, got x - y"),
    "states without rates": ({"states": [z]}, r"states: expected a mapping, got \[z\]"),
    "other assumptions": (
        {"potential": sp.Symbol("k", nonnegative=True) * x},
        r"potential: symbol 'k': expected the symbol of the system, got the same name with other "
        r"assumptions or of another kind \(Symbol, nonnegative=True\)\. Use .* `parameters`",
    ),
    "velocity as plain symbol": (
        {"forces": [sp.Symbol("x_dot"), 0]},
        r"symbol 'x_dot': .* same name .* \(Symbol, no assumptions\)",
    ),
    "start of a plain symbol": (
        {"initial": {sp.Symbol("x"): 1.0}},
        r"initial: symbol 'x': expected the symbol of the system, got the same name",
    ),
    "force on a plain symbol": (
        {"forces": {sp.Symbol("x"): 1.0}},
        r"forces: coordinate 'x': expected the symbol of the system, got the same name",
    ),
    "unknown name at the start": ({"initial": {"xx": 1.0}}, r"initial: symbol 'xx': .* mean 'x'"),
    "start given twice": (
        {"initial": {"x": 1.0, x: 1.0}},
        r"initial: symbol 'x': expected one value, got two",
    ),
    "start of two": (
        {"initial": {"x": 1.0}, "states": {symbolic.states("x"): 0}},
        r"initial: symbol 'x': must be a symbol, because several have this name",
    ),
    "parameters of one name": (
        {"parameters": {"m": 1.0, sp.Symbol("m"): 2.0}},
        r"parameters: must have distinct names, got 'm' twice",
    ),
    "coordinate as parameter": (
        {"parameters": {"m": 1.0, x: 2.0}},
        r"parameters: expected names or plain symbols, got x",
    ),
    "no parameters": ({"parameters": 3}, r"parameters: expected parameters\(\.\.\.\) or a mapping"),
    "not linear": (
        {"potential": x**4, "linear": True},
        r"linear: .* derivative of the forces with respect to x depends on coordinates",
    ),
    "not linear in time": (
        {"forces": [sp.exp(symbolic.time), 0], "linear": True},
        r"the forces depend on time by other terms",
    ),
    "acceleration": (
        {"q": [q_t], "kinetic": q_t.diff() ** 2, "forces": [q_t.diff().diff()]},
        r"forces\[.*\]: expected an expression without accelerations",
    ),
    "foreign rate": (
        {"q": [q_t], "kinetic": q_t.diff() ** 2, "forces": [mystery(x).diff(x)]},
        r"rates that are no velocities of the system",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_names_the_culprit(name: str) -> None:
    changes, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        build(**changes)


def test_other_objects_among_contacts_and_elements_are_refused() -> None:
    with pytest.raises(TypeError, match=r"contact 'contact_1': must be a nsmb\.Contact or .*got y"):
        build(contacts=[y])
    with pytest.raises(TypeError, match=r"elements\[0\]: must be a nsmb\.ForceElement or .*got x"):
        build(elements=[x])


def test_points_over_lines_are_checked() -> None:
    with pytest.raises(ValueError, match="tangent: expected 2 expressions"):
        symbolic.point_contact((x, y), (1, 0, 0))
    with pytest.raises(ValueError, match=r"contact 'tip': tangent: .* at right angles"):
        symbolic.point_contact((x, y, 0), ([1, 0, 0], [1, 1, 0]), name="tip")
    with pytest.raises(ValueError, match="tangent: expected two vectors"):
        symbolic.point_contact((x, y, 0), [[1, 0, 0]])
    with pytest.raises(ValueError, match="belt: expected 1 expressions"):
        symbolic.point_contact((x, y), (1, 0), belt=(1, 2))


def test_the_base_of_the_table_is_right() -> None:
    assert build(potential=p.k * x**2).nq == 2


def test_rates_of_velocities_are_refused() -> None:
    with pytest.raises(ValueError, match="got one with x_dot"):
        symbolic.rate(x * v)


def test_velocities_of_something_else_are_refused() -> None:
    with pytest.raises(ValueError, match="expected symbols made by coordinates"):
        symbolic.velocities(p.m)


@pytest.mark.parametrize("names", ["", "a a", 3])
def test_names_of_symbols_are_checked(names: Any) -> None:
    with pytest.raises(ValueError, match=r"coordinates: must be"):
        symbolic.coordinates(names)


def test_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match="parameter 'm': expected a finite number"):
        symbolic.parameters(m=float("nan"))
    with pytest.raises(AttributeError, match=r"parameter 'kk'.*did you mean 'k'") as caught:
        _ = p.kk
    assert caught.value.obj is None  # otherwise Python appends the same hint
    with pytest.raises(ValueError, match="parameter 'mu': expected one of m, k"):
        build().with_parameters(mu=1.0)
    with pytest.raises(ValueError, match="parameter 'm': expected a number"):
        build().with_parameters(m="heavy")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"mass matrix: .* velocity of 'x'"):
        build().with_parameters(m=-1.0)


def test_parameters_that_make_numbers_infinite_are_named() -> None:
    system = build(potential=x**2 / p.k)
    with pytest.raises(ValueError, match=r"parameters: expected values with finite .* k = 0"):
        system.with_parameters(k=0.0)


@pytest.mark.parametrize("name", ["values", "items", "keys", "get", "symbols", "of"])
def test_names_that_parameters_use_themselves_are_refused(name: str) -> None:
    message = rf"parameter '{name}': must not be a name that parameters use themselves"
    with pytest.raises(ValueError, match=message):
        symbolic.parameters(**{name: 1.0})
    with pytest.raises(ValueError, match=message):
        build(parameters={"m": 1.0, name: 1.0})


def test_unknown_symbols_list_each_name_once() -> None:
    with pytest.raises(ValueError, match=r"expected one of m, k, t, x, y, x_dot, y_dot; num"):
        build(potential=sp.Symbol("qwertz") * x)


@pytest.mark.parametrize(
    "assumptions", [{}, {"real": True}, {"nonnegative": True}, {"integer": True}, {"nonzero": True}]
)
def test_parameters_may_be_symbols_with_any_assumptions(assumptions: dict[str, bool]) -> None:
    m, k = sp.symbols("m k", **assumptions)
    system = build(
        kinetic=m / 2 * (v**2 + w**2), potential=k * x**2 / 2, parameters={m: 2.0, k: 3.0}
    )
    assert system.with_parameters(k=5.0).forces(0.0, [2.0, 0.0], [0.0, 0.0])[0] == -10.0
    assert system.mass_matrix(0.0, [0.0, 0.0])[0, 0] == 2.0


def test_starts_and_forces_may_be_given_by_names() -> None:
    system = build(initial={"x": p.k, "y_dot": 3.0}, forces={"y": 7.0})
    assert system.initial_state.q.tolist() == [2.0, 0.0]
    assert system.initial_state.u.tolist() == [0.0, 3.0]
    assert system.forces(0.0, [0.0, 0.0], [0.0, 0.0]).tolist() == [0.0, 7.0]
    moving = build(q=[q_t], kinetic=q_t.diff() ** 2, initial={"q": 1.5})
    assert moving.initial_state.q.tolist() == [1.5]
