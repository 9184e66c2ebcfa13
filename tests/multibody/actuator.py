"""A force element written in Python, in SymPy and in C++, and its motion by matrix exponentials.

The C++ version is in ``examples/cpp/own_force_element.cpp``. A slide on a spring k is pulled by a
damper d, a spring c and an actuator in series. With the stretch s of the spring and the stroke a
of the actuator

    T = c s,   γ̇ = ṡ + ȧ + T/d,   m q̈ + k q = -T,
    free: ȧ = b (T - T_0) while a_max - a >= 0,   locked: ȧ = 0 while T - T_0 >= 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import brentq

import nsmb
from nsmb import symbolic

Array = NDArray[np.float64]
NUMBERS = {"c": 100.0, "d": 100.0, "T0": -4.0, "b": 0.01, "a_max": 0.05}
MASS, SPRING, START, END = 1.0, 400.0, -0.3, 2.0


class Actuator(nsmb.UserForce):
    """The actuator in Python."""

    def __init__(self, **numbers: float) -> None:
        self.p = NUMBERS | numbers
        self.states = {"s": 0.0, "a": 0.0}
        self.watched = {"locked": False}

    def force(self, now: nsmb.ForceInput) -> Array:
        return now.pull(self.p["c"] * now.x[0])

    def rates(self, now: nsmb.ForceInput) -> tuple[float, float]:
        p, tension = self.p, self.p["c"] * now.x[0]
        flow = 0.0 if now.closed[0] else p["b"] * (tension - p["T0"])
        return now.rate() - tension / p["d"] - flow, flow

    def watch(self, now: nsmb.ForceInput) -> float:
        p = self.p
        return float(p["c"] * now.x[0] - p["T0"] if now.closed[0] else p["a_max"] - now.x[1])

    def energy(self, now: nsmb.ForceInput) -> float:
        return float(0.5 * self.p["c"] * now.x[0] ** 2)


def in_sympy(**numbers: float) -> symbolic.BodyForce:
    at = symbolic.Places(markers=2)
    s, a = symbolic.states("s a")
    locked = symbolic.modes("locked")
    p = symbolic.parameters(**(NUMBERS | numbers))
    tension = p.c * s
    flow = locked.select(open=p.b * (tension - p.T0), closed=0)
    return symbolic.BodyForce(
        at,
        tension=tension,
        rates={s: at.rate() - tension / p.d - flow, a: flow},
        watch={locked: (p.a_max - a, tension - p.T0)},
        energy=p.c * s**2 / 2,
        parameters=p,
    )


def model(element: Any, slides: int = 1) -> nsmb.Model:
    """Slides side by side, each with its own element."""
    m = nsmb.Model()
    for k in range(slides):
        name = f"slide{k}" if slides > 1 else "slide"
        body = m.add_body(name, mass=MASS, inertia=1e-3)
        m.add_joint(name, nsmb.joints.Prismatic((1, 0)), m.ground, body, at=(0, k))
        m.add_torsion_spring(f"spring of {name}", name, c=SPRING)
        actuator = "actuator" + name[5:]
        m.add_user_force(actuator, element, [m.ground, body], at=[(-1, k), None])
    return m


def slide(element: Any, slides: int = 1) -> nsmb.MultibodySystem:
    m = model(element, slides)
    return m.build(dict.fromkeys(m._records.joints, START))


class Truth:
    """Reference motion: y = (q, u, s, a, 1) is exp(A t) y(0) in each mode.

    A mode ends at a zero of a row times y.
    """

    def __init__(self, **numbers: float) -> None:
        p = NUMBERS | numbers
        c, T0 = p["c"], p["T0"]
        free = np.zeros((5, 5))
        free[0, 1] = 1.0
        free[1, [0, 2]] = -SPRING / MASS, -c / MASS
        free[2, [1, 2]] = 1.0, -c / p["d"]
        locked = free.copy()
        free[3, [2, 4]] = p["b"] * c, -p["b"] * T0
        free[2] -= free[3]
        self.A = {False: free, True: locked}
        self.row = {
            False: np.array([0, 0, 0, -1, p["a_max"]]),
            True: np.array([0, 0, c, 0, -T0]),
        }

    def run(self, y: Array, end: float, locked: bool = False) -> tuple[Array, Array]:
        """Return the final state and the switching times.

        Modes must last over a millisecond.
        """
        t, step, switches = 0.0, 1e-3, []
        while True:
            A, row, start = self.A[locked], self.row[locked], y

            def left(dt: float, A: Array = A, row: Array = row, start: Array = start) -> float:
                return float(row @ expm(A * dt) @ start)

            few = expm(A * step)
            dt, y = step, few @ start
            while t + dt < end and row @ y >= 0.0:
                dt, y = dt + step, few @ y
            if t + dt >= end:
                return expm(A * (end - t)) @ start, np.array(switches)
            dt = float(brentq(left, dt - step, dt, xtol=1e-15))
            y, t, locked = expm(A * dt) @ start, t + dt, not locked
            switches.append(t)


def truth(**numbers: float) -> tuple[Array, Array]:
    return Truth(**numbers).run(np.array([START, 0.0, 0.0, 0.0, 1.0]), END)
