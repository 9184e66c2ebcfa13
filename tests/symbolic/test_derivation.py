"""Derived quantities agree with SymPy's own Lagrangian equations and with differences."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray
from scipy.differentiate import jacobian as numerical_jacobian
from sympy.physics import mechanics

import nsmb
from nsmb import Contact, ContactLaw, ForceElement, Friction, GapForce, symbolic
from nsmb.symbolic import LagrangianSystem, point_contact
from tests.systems.examples import contact_errors

Array = NDArray[np.float64]


def crane(**options: Any) -> LagrangianSystem:
    """Return a double pendulum on a cart with a driven pivot and all features of a system."""
    s, phi, psi = q = symbolic.coordinates("s phi psi")
    p = symbolic.parameters(m=1.3, l=0.7, g=9.81, c=3.0, a=0.1, mu=0.4, d=0.2)
    t, z = symbolic.time, symbolic.states("z")
    pivot = (s + p.a * sp.sin(5 * t), p.a * s**2)
    first = (pivot[0] + p.l * sp.sin(phi), pivot[1] - p.l * sp.cos(phi))
    second = (first[0] + p.l * sp.sin(psi), first[1] - p.l * sp.cos(psi))
    v, omega = symbolic.velocities(s, phi)
    kinetic = sum(
        p.m / 2 * sum(rate**2 for rate in symbolic.rate(point)) for point in (pivot, first, second)
    )
    potential = p.m * p.g * (pivot[1] + first[1] + second[1]) + p.c / 2 * (s - p.a * t) ** 2
    slope = sp.pi / 6 + sp.Rational(1, 5) * sp.sin(s + t)
    arguments: dict[str, Any] = {
        "forces": [-p.d * v * sp.Abs(v) + z, -p.d * omega + sp.cos(3 * t), z * omega],
        "contacts": [
            point_contact(
                point=second,
                tangent=(sp.cos(slope), sp.sin(slope)),
                origin=(s, -3 * p.l),
                belt=p.a * sp.sin(t),
                law=ContactLaw(mu=p.mu, e_N=sp.Rational(1, 2)),
                name="line",
            ),
            Contact(sp.sqrt(1 + first[0] ** 2) - p.l / 2, omega * s, ContactLaw(mu=0.1), "wall"),
            Friction([v, omega * p.l], bound=1 + phi**2, mu=0.2, normal="wall", name="rub"),
        ],
        "elements": [ForceElement(first[1] + p.l * sp.exp(-s), GapForce(p.c, p.d), "stop")],
        "states": {z: -z / p.d + v * sp.tanh(phi)},
        "constraints": [second[0] ** 2 - p.a * t],
        "parameters": p,
        "initial": {phi: 0.3, z: p.a},
    }
    return LagrangianSystem(q, kinetic, potential, **arguments | options)


whole_crane = cache(crane)


def states(count: int, seed: int = 3) -> list[tuple[float, Array, Array]]:
    rng = np.random.default_rng(seed)
    return [
        (float(rng.uniform(0, 2)), rng.uniform(-1, 1, 3), rng.uniform(-2, 2, 3))
        for _ in range(count)
    ]


def test_mass_matrix_and_forces_are_those_of_sympy() -> None:
    """Rheonomic terms are included. SymPy forms the equations by other rules and symbols."""
    t = mechanics.dynamicsymbols._t
    s, phi, psi = mechanics.dynamicsymbols("s phi psi")
    m, l, g, c, a = 1.3, 0.7, 9.81, 3.0, 0.1
    pivot = (s + a * sp.sin(5 * t), a * s**2)
    first = (pivot[0] + l * sp.sin(phi), pivot[1] - l * sp.cos(phi))
    second = (first[0] + l * sp.sin(psi), first[1] - l * sp.cos(psi))
    T = sum(m / 2 * x.diff(t) ** 2 for point in (pivot, first, second) for x in point)
    V = m * g * (pivot[1] + first[1] + second[1]) + c / 2 * (s - a * t) ** 2
    method = mechanics.LagrangesMethod(T - V, [s, phi, psi])
    method.form_lagranges_equations()
    u = [q.diff(t) for q in method.q]
    symbols = [t, *method.q, *u]
    dummies = sp.symbols("d:7")
    exchange = dict(zip(reversed(symbols), reversed(dummies), strict=True))
    M, h = (
        sp.lambdify(dummies, e.subs(exchange), "numpy")
        for e in (sp.Matrix(method.mass_matrix), sp.Matrix(method.forcing))
    )
    system = crane(forces=None, contacts=(), states=None, initial={})
    for time, q, v in states(20):
        arguments = (time, *q, *v)
        # Some fifty operations on numbers up to 100. Measured: 1e-14.
        np.testing.assert_allclose(system.mass_matrix(time, q), M(*arguments), 0, 1e-12)
        np.testing.assert_allclose(system.forces(time, q, v), h(*arguments).ravel(), 0, 1e-12)


@pytest.mark.parametrize("state", states(5))
def test_contact_terms_are_derivatives_of_gaps_and_slips(state: tuple[float, Array, Array]) -> None:
    # Differences of step 1e-5, see contact_errors, of gaps that curve over 0.1 m. Measured: 3e-9.
    assert contact_errors(whole_crane(), *state).max() < 1e-7


def test_a_point_over_a_turning_line_slips_like_its_material() -> None:
    """γ_T = t·(v - v_0 - ω × (r - r_0)) - belt and g_N = n·(r - r_0) hold in vector form."""
    t, q, u = states(1, 8)[0]
    h = 1e-6
    l, a = 0.7, 0.1

    def place(t: float, q: Array) -> tuple[Array, Array, float]:
        s, phi, psi = q
        x = s + a * np.sin(5 * t) + l * np.sin(phi) + l * np.sin(psi)
        y = a * s**2 - l * np.cos(phi) - l * np.cos(psi)
        return np.array([x, y]), np.array([s, -3 * l]), np.pi / 6 + 0.2 * np.sin(s + t)

    r, r_0, angle = place(t, q)
    ahead, behind = place(t + h, q + h * u), place(t - h, q - h * u)
    v, v_0, omega = ((x - y) / (2 * h) for x, y in zip(ahead, behind, strict=True))
    tangent, normal = (
        np.array([np.cos(angle), np.sin(angle)]),
        np.array([-np.sin(angle), np.cos(angle)]),
    )
    arm = r - r_0
    slip = tangent @ (v - v_0 - omega * np.array([-arm[1], arm[0]])) - a * np.sin(t)
    found = whole_crane().contact_quantities(t, q, u)
    assert found["g_N"][0] == pytest.approx(normal @ arm, abs=1e-14)
    assert found["gamma_T"][0] == pytest.approx(slip, abs=1e-9)  # differences: 1e-10
    closing = normal @ (v - v_0) - omega * (tangent @ arm)
    assert found["gamma_N"][0] == pytest.approx(closing, abs=1e-9)


def test_constraints_are_derivatives_of_their_function() -> None:
    t, q, u = states(1, 9)[0]
    h = 1e-5

    def g(s: float) -> float:
        return float(whole_crane().constraint_kinematics(t + s, q + s * u, u)["g"][0])

    found = whole_crane().constraint_kinematics(t, q, u)
    gamma = found["W"][:, 0] @ u + found["w_tilde"][0]
    assert gamma == pytest.approx((g(h) - g(-h)) / (2 * h), abs=1e-8)
    bend = (g(h) - 2 * g(0.0) + g(-h)) / h**2  # q̈ = 0
    assert found["w_bar"][0] == pytest.approx(bend, abs=1e-4)  # rounding 1e-16 / h²


def test_jacobians_are_those_of_differences() -> None:
    """Members of jacobians() agree column by column at random forces and accelerations."""
    rng = np.random.default_rng(5)
    udot, x = rng.normal(size=3), np.array([0.4])
    forces = {
        "lambda_N": rng.normal(size=3),
        "lambda_T": rng.normal(size=4),
        "zeta": rng.normal(size=1),
        "lambda_B": rng.normal(size=1),
    }
    full = np.concatenate([x, np.zeros(1)])  # with the wall of the element

    def outputs(t: float, y: Array) -> dict[str, Array]:
        q, u, z = y[:3], y[3:6], np.concatenate([y[6:], np.zeros(1)])
        k, e = whole_crane().contact_kinematics(t, q, u), whole_crane().element_kinematics(t, q)
        c = whole_crane().constraint_kinematics(t, q, u)
        W = np.hstack([k["W_N"], k["W_T"], e["W"], c["W"]])
        force = np.concatenate(
            [forces[name] for name in ("lambda_N", "lambda_T", "zeta", "lambda_B")]
        )
        rows = np.hstack([k["W_N"], k["W_T"], c["W"]])
        bars = np.concatenate([k["w_bar_N"], k["w_bar_T"], c["w_bar"]])
        return {
            "residual": whole_crane().mass_matrix(t, q) @ udot
            - whole_crane().forces(t, q, u, z)
            - W @ force,
            "gammadot": rows.T @ udot + bars,
            "element": np.concatenate([e["gamma"], e["W"].T @ u + e["w_tilde"]]),
            "qdot": u,
            "xdot": whole_crane().state_rates(t, q, u, z),
        }

    for t, q, u in states(4, 6):
        y = np.concatenate([q, u, x])
        found = whole_crane().jacobians(t, q, u, x, udot=udot, **forces)
        for name, value in found.items():

            def column(points: Array, name: str = name, t: float = t) -> Array:
                flat = points.reshape(7, -1)
                return np.stack([outputs(t, p)[name] for p in flat.T], axis=-1).reshape(
                    -1, *points.shape[1:]
                )

            expected = numerical_jacobian(column, y, initial_step=0.05).df
            # Richardson differences of order 8. Measured: 1e-10 of numbers up to 100.
            np.testing.assert_allclose(value, expected, 1e-7, 1e-6, err_msg=name)
    assert full.size == whole_crane().nx


def test_friction_in_a_plane_of_space_has_two_slips() -> None:
    """The plane below a sphere's lowest point moves sideways and rotates about its normal."""
    q = symbolic.coordinates("x y z")
    t = symbolic.time
    p = symbolic.parameters(m=2.0, mu=0.3, w=0.7)
    turn = p.w * t
    plane = point_contact(
        point=q,
        tangent=([sp.cos(turn), sp.sin(turn), 0], [-sp.sin(turn), sp.cos(turn), 0]),
        origin=(t, 0, 0),
        law=ContactLaw(mu=p.mu),
        name="plane",
    )
    system = LagrangianSystem(
        q, p.m * sum(c.velocity**2 for c in q) / 2, contacts=[plane], parameters=p
    )
    assert system.tangent_names == ("plane.1", "plane.2")
    time, place, u = 0.4, np.array([0.3, -0.2, 0.1]), np.array([0.5, 1.5, -0.3])
    found = system.contact_quantities(time, place, u)
    angle = 0.7 * time
    relative = u - [1, 0, 0] - np.cross([0, 0, 0.7], place - [time, 0, 0])
    tangents = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0]])
    np.testing.assert_allclose(found["gamma_T"], tangents @ relative, atol=1e-14)
    np.testing.assert_allclose([found["g_N"][0], found["gamma_N"][0]], [0.1, -0.3], atol=1e-15)
    assert contact_errors(system, time, place, u).max() < 1e-8


def test_constants_are_recognised() -> None:
    """With sin² + cos² = 1, the mass matrix of a pendulum in Cartesian terms is constant."""
    phi = symbolic.coordinates("phi")
    p = symbolic.parameters(m=1.0, l=2.0)
    tip = [p.l * sp.sin(phi), p.l * sp.cos(phi)]
    pendulum = LagrangianSystem(
        [phi], p.m / 2 * sum(v**2 for v in symbolic.rate(tip)), parameters=p
    )
    assert pendulum._core.constant_mass_matrix  # type: ignore[attr-defined]
    assert not whole_crane()._core.constant_mass_matrix  # type: ignore[attr-defined]


q = symbolic.coordinates("q")
POINTS = [-0.83, -0.3, 0.21, 0.6]
FUNCTIONS = {
    "sin": sp.sin(q), "cos": sp.cos(q), "tan": sp.tan(q), "cot": sp.cot(q), "sec": sp.sec(q),
    "csc": sp.csc(q), "asin": sp.asin(q), "acos": sp.acos(q), "atan": sp.atan(q),
    "sinh": sp.sinh(q), "cosh": sp.cosh(q), "tanh": sp.tanh(q), "coth": sp.coth(q),
    "sech": sp.sech(q), "csch": sp.csch(q), "asinh": sp.asinh(q), "acosh": sp.acosh(q + 3),
    "atanh": sp.atanh(q), "exp": sp.exp(q), "log": sp.log(q + 2), "erf": sp.erf(q),
    "sqrt": sp.sqrt(q + 1), "root": (q + 2) ** sp.Rational(-3, 2), "cube": q**3, "inverse": q**-5,
    "real power": (q + 2) ** sp.Float(1.7), "any power": (q + 2) ** (q / 3),
    "abs": sp.Abs(q - 1) + sp.Abs(q), "sign": q * sp.sign(q), "atan2": sp.atan2(q, 1 - q**2),
    "min": sp.Min(q, q**2, 1), "max": sp.Max(-q, q**3),
    "piecewise": sp.Piecewise((q**2, q < -sp.Rational(1, 2)), (sp.sin(q), q <= 0), (q, True)),
    "guarded": sp.Piecewise((sp.sqrt(q), q > 0), (0, True)),
    "logic": sp.Piecewise((q, (q > -1) & ~(q > 0)), (2 * q, (q > 0.5) | (q < -2)), (0, True)),
    "floor": q * sp.floor(3 * q) + sp.ceiling(q), "heaviside": q**2 * sp.Heaviside(q, 1),
    "numbers": sp.pi * q + sp.sqrt(2) * sp.E - sp.Rational(1, 3),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_and_their_derivatives(name: str) -> None:
    """As forces, their values and slopes agree with SymPy's at 30 digits."""
    expression = FUNCTIONS[name]
    system = LagrangianSystem([q], q.velocity**2 / 2, forces=[expression], linear=False)
    for point in POINTS:
        value = float(expression.subs(q, point).evalf(30))
        h = sp.Float(10, 30) ** -12
        around = [expression.subs(q, sp.Float(point, 30) + k * h).evalf(30) for k in (1, -1)]
        slope = float((around[0] - around[1]) / (2 * h))
        # A few rounding errors, and derivatives near the ends of the domains.
        assert system.forces(0.0, [point], [0.0])[0] == pytest.approx(value, rel=1e-14, abs=1e-15)
        found = -system.jacobians(0.0, [point], [0.0])["residual"][0, 0]
        assert found == pytest.approx(slope, rel=1e-12, abs=1e-14)


def test_common_subexpressions_are_computed_once() -> None:
    """For a chain of five links, every sine and cosine is called once per function."""
    q = symbolic.coordinates("a b c d e")
    x = list(itertools.accumulate(sp.sin(angle) for angle in q))
    y = list(itertools.accumulate(-sp.cos(angle) for angle in q))
    kinetic = sum(symbolic.rate(e) ** 2 for e in (*x, *y)) / 2
    system = LagrangianSystem(q, kinetic, 9.81 * sum(y))
    text = system._program.assembly
    forces = text[text.index("define void @forces") :].partition("\n}")[0]
    assert forces.count("call double @llvm.sin.f64") == 5
    assert forces.count("call double @llvm.cos.f64") == 5


def test_a_name_may_be_coordinate_and_parameter() -> None:
    y = symbolic.coordinates("y")
    p = symbolic.parameters(y=2.0)
    system = LagrangianSystem([y], y.velocity**2 / 2, forces=[p.y * y], parameters=p)
    assert system.forces(0.0, [3.0], [0.0])[0] == 6.0


def test_a_parameter_may_be_called_like_time() -> None:
    y = symbolic.coordinates("y")
    p = symbolic.parameters(t=2.0)
    force = p.t * y + symbolic.time
    system = LagrangianSystem([y], y.velocity**2 / 2, forces=[force], parameters=p)
    assert system.forces(10.0, [3.0], [0.0])[0] == 16.0


def test_derivatives_that_were_not_carried_out_are() -> None:
    q = mechanics.dynamicsymbols("q")
    velocity = sp.Derivative(sp.sin(q), mechanics.dynamicsymbols._t)
    system = LagrangianSystem([q], velocity**2 / 2)
    assert system.mass_matrix(0.0, [0.4])[0, 0] == pytest.approx(np.cos(0.4) ** 2, rel=1e-15)


def test_plain_symbols_name_parameters() -> None:
    y, k = symbolic.coordinates("y"), sp.Symbol("k")
    system = LagrangianSystem([y], y.velocity**2 / 2, k * y**2 / 2, parameters={k: 3.0})
    assert dict(system.parameters) == {"k": 3.0}
    assert nsmb.simulate(system, 1.0, q=[1.0], u=[0.0]).q[-1, 0] == pytest.approx(np.cos(3.0**0.5))
