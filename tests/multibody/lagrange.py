"""Lagrange's equations by SymPy, for bodies given by positions of centres and rotation matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]
t = sp.Symbol("t")


@dataclass(frozen=True)
class Rigid:
    """Rigid body: mass, inertia about the centre in body components, centre, rotation."""

    mass: float
    inertia: Array
    r: sp.Matrix
    A: sp.Matrix


@dataclass(frozen=True)
class Equations:
    M: Callable[..., Array]
    h: Callable[..., Array]
    energies: Callable[..., Array]


def lagrange(q: Sequence[sp.Expr], bodies: Sequence[Rigid], gravity: Sequence[float]) -> Equations:
    """Return M(q, t), h(q, q', t) with M q'' = h, and (T, V), for functions of time q.

    With y all positions of centres and all rotation matrices, T = xi'Q xi/2 for xi = dy/dt: the
    rotations enter by tr(A' E A'^T)/2, with E the second moments of mass, without angular
    velocities. In Lagrange's equation d/dt(dT/dq') - dT/dq = J'Q d(xi)/dt, J = dy/dq = d(xi)/dq'.
    """
    f = len(q)
    x = sp.symbols(f"x:{f}")
    v = sp.symbols(f"v:{f}")
    column = sp.Matrix(v)
    y = sp.Matrix([e for body in bodies for e in (*body.r, *body.A.T)])
    y = y.subs(dict(zip(q, x, strict=True))).applyfunc(sp.expand)
    J = y.jacobian(x)
    xi = J * column + sp.diff(y, t)
    rest = xi.jacobian(x) * column + sp.diff(xi, t)
    functions = sp.lambdify((t, x, v), (y, J, xi, rest), cse=True)
    Q = np.zeros((12 * len(bodies),) * 2)
    for k, body in enumerate(bodies):
        second = np.eye(3) * np.trace(body.inertia) / 2 - body.inertia
        Q[12 * k : 12 * k + 3, 12 * k : 12 * k + 3] = body.mass * np.eye(3)
        Q[12 * k + 3 : 12 * k + 12, 12 * k + 3 : 12 * k + 12] = np.kron(second, np.eye(3))
    weight = np.concatenate([[*(body.mass * np.array(gravity)), *np.zeros(9)] for body in bodies])

    def M(*at: object) -> Array:
        _, J, _, _ = functions(*at)
        return np.asarray(J.T @ Q @ J)

    def h(*at: object) -> Array:
        _, J, _, rest = functions(*at)
        return np.asarray(J.T @ (weight - Q @ rest.ravel()))

    def energies(*at: object) -> Array:
        y, _, xi, _ = functions(*at)
        return np.array([xi.ravel() @ Q @ xi.ravel() / 2, -weight @ y.ravel()])

    return Equations(M, h, energies)


def lagrange_of_energies(
    q: Sequence[sp.Expr], bodies: Sequence[Rigid], gravity: Sequence[float]
) -> Equations:
    """Return the same directly from T and V, with angular velocities by (2.13); slow."""
    f = len(q)
    x = sp.symbols(f"x:{f}")
    v = sp.symbols(f"v:{f}")
    values = dict(zip(q, x, strict=True))
    rates = {sp.diff(a, t): b for a, b in zip(q, v, strict=True)}

    def plain(e: sp.Matrix) -> sp.Matrix:
        return e.subs(rates).subs(values)

    T, V = sp.Integer(0), sp.Integer(0)
    for body in bodies:
        speed = plain(sp.diff(body.r, t))
        A = plain(body.A)
        spin = plain(sp.diff(body.A, t)) * A.T
        omega = A.T * sp.Matrix([spin[2, 1], spin[0, 2], spin[1, 0]])
        T += body.mass * speed.dot(speed) / 2 + (omega.T * sp.Matrix(body.inertia) * omega)[0] / 2
        V -= body.mass * plain(body.r).dot(sp.Matrix(gravity))
    p = sp.Matrix([T]).jacobian(v).T
    M = p.jacobian(v)
    h = sp.Matrix([T - V]).jacobian(x).T - p.jacobian(x) * sp.Matrix(v) - sp.diff(p, t)
    return Equations(*(sp.lambdify((t, x, v), e) for e in (M, h, sp.Matrix([T, V]))))
