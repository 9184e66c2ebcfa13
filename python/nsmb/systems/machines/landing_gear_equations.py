"""Forces, guides and stops of the landing airplane: (14.48), (14.61)-(14.92)."""

from __future__ import annotations

import functools
from typing import Any

from nsmb.common.extras import import_extra
from nsmb.system import System
from nsmb.system.contacts import Contact, Friction
from nsmb.systems.machines.landing_gear_airframe import Airframe, airframe, coordinates
from nsmb.systems.machines.landing_gear_data import GEARS, LandingGearParameters, Strut

__all__ = ["SLIP_CURVE", "numbers", "template"]

SLIP_CURVE = ((0.0, 0.0), (0.05, 0.6), (0.15, 1.0), (0.3, 0.93), (0.6, 0.8), (1.0, 0.7))
"""Slip ratios and fractions of the largest coefficient, from Fig. 14.24."""


def numbers(p: LandingGearParameters) -> dict[str, float]:
    """Return the parameters of the template: data, matrices and rows."""
    made, values = airframe(p), dict(p.values())
    for kind, name, _, value in _entries(made):
        values[f"{kind}_{name}"] = value
    return values


def _entries(made: Airframe) -> list[tuple[str, str, tuple[int, ...], float]]:
    """Return kind, name, index and value of all numbers of an airframe that may be nonzero."""
    names = made.coordinates
    found: list[tuple[str, str, tuple[int, ...], float]] = []
    spins = {names.index("phi_2"), names.index("phi_3")}
    for i, one in enumerate(names):
        found.append(("weight", one, (i,), float(made.weight[i])))
        for k, two in enumerate(names[: i + 1]):
            if i == k or not spins & {i, k}:
                found.append(("M", f"{one}_{two}", (i, k), float(made.M[i, k])))
            if min(i, k) >= names.index("phi_3") + 1:
                found.append(("K", f"{one}_{two}", (i, k), float(made.K[i, k])))
                found.append(("D", f"{one}_{two}", (i, k), float(made.D[i, k])))
    for place, row in made.rows.items():
        found += [(place, name, (i,), float(row[i])) for i, name in enumerate(names)]
    return found


class _Equations:
    """Energies, forces, contacts and elements, with symbols for all numbers."""

    def __init__(self, elastic: bool) -> None:
        sympy = import_extra("sympy", "symbolic")

        from nsmb import symbolic

        data = LandingGearParameters(elastic=int(elastic))
        self.sympy, self.symbolic = sympy, symbolic
        self.p: Any = symbolic.parameters(**numbers(data))
        self.names = coordinates(elastic)
        q = symbolic.coordinates(" ".join(self.names))
        self.q = dict(zip(self.names, q, strict=True))
        self.u = dict(zip(self.names, symbolic.velocities(*q), strict=True))
        self.kinetic: list[Any] = []
        self.potential: list[Any] = []
        self.pushes: dict[Any, list[Any]] = {symbol: [] for symbol in q}
        self.elements: list[Any] = []
        self.contacts: list[Any] = []
        self.guides: list[Any] = []
        self.initial: dict[Any, Any] = {}
        self._bodies(airframe(data))
        self._air()
        for gear in GEARS:
            self._undercarriage(gear)
        self._start()

    def _symbol(self, kind: str, name: str) -> Any:
        return getattr(self.p, f"{kind}_{name}")

    def along(self, place: str, of: dict[str, Any]) -> Any:
        """Return a row of the Jacobians times velocities or coordinates."""
        return self.sympy.Add(*(self._symbol(place, name) * of[name] for name in self.names))

    def push(self, force: Any, place: str) -> None:
        """Add a force along a row (14.46)."""
        for name in self.names:
            self.pushes[self.q[name]].append(self._symbol(place, name) * force)

    def _bodies(self, made: Airframe) -> None:
        for kind, name, place, _ in _entries(made):
            if kind in ("M", "K", "D"):
                i, k = (self.names[j] for j in place)
                factor = self._symbol(kind, name) * (1 if i == k else 2) / 2
                if kind == "M":
                    self.kinetic.append(factor * self.u[i] * self.u[k])  # (14.49)
                elif kind == "K":
                    self.potential.append(factor * self.q[i] * self.q[k])  # (14.53)
                else:
                    self.pushes[self.q[i]].append(-factor * self.u[k])
                    self.pushes[self.q[k]].append(-factor * self.u[i])
            elif kind == "weight":
                self.potential.append(-self._symbol(kind, name) * self.q[self.names[place[0]]])

    def _air(self) -> None:
        p, q, u = self.p, self.q, self.u
        alpha, v = q["alpha"], u["x"]
        pressure = p.rho / 2 * v**2 * p.F_B
        c_A = p.c_A_alpha * (alpha - p.alpha_0)  # (14.62)
        c_W = p.a_0 + p.a_1 * alpha + p.a_2 * alpha**2
        c_M = p.c_M0 + p.c_M_A * c_A + p.c_M_q * p.l_mu * u["alpha"] / v
        thrust = p.F_S0 - p.k * v  # (14.63)
        self.pushes[q["x"]].append(thrust - pressure * c_W)  # (14.48)
        self.push(-pressure * c_A - thrust * p.alpha_0, "centre")
        self.push(pressure * c_M * p.l_mu, "pitch")

    def _undercarriage(self, gear: Strut) -> None:
        """Add strut, tyres, guide and stops of a leg, times the number of such legs."""
        p, i, n, sympy = self.p, gear.index, gear.count, self.sympy

        def data(name: str) -> Any:
            return getattr(p, f"{name}{i}")

        wheel = self.q[f"y_2{i}"]
        stroke = self.along(f"hinge_{i}", self.q) - wheel  # (14.89), Δy_0,i = 0
        rate = self.along(f"hinge_{i}", self.u) - self.u[f"y_2{i}"]
        elements = self.symbolic.elements
        strut = elements.gas_spring(  # (14.86) without friction
            f"{gear.name}_strut", stroke, area=n * data("K_"), volume_1=n * data("V_1"),
            pressure_1=data("p_1"), volume_2=n * data("V_2"), pressure_2=data("p_2"),
            exponent=p.n_p, oil_in=n * data("oil_in"), oil_out=n * data("oil_out"),
        )  # fmt: skip
        way = 2 * sympy.pi * (self.q["x"] + getattr(p, f"x_1{i}")) / p.l_r
        runway = p.h_r / 2 * (1 - sympy.cos(way))
        curve = elements.slip_curve(SLIP_CURVE)
        tyre = elements.tyre(  # (14.64)-(14.67)
            f"{gear.name}_tyre", wheel + runway, stiffness=[n * data(f"c_{k}") for k in (1, 2, 3)],
            steps=[data(f"s_{k}") for k in (1, 2)], speed=self.along(f"axle_{i}", self.u),
            spin=self.u[f"phi_{i}"], radius=data("r_"), mu=lambda slip: p.mu_Sp * curve(slip),
        )  # fmt: skip
        self.elements += [strut, tyre]
        if i == "2":
            self._brake(n)
        F_R, F_Sp = (-force for _, force in tyre.actions)
        k = data("k_")
        # (14.87), (14.88): F_R and F_Sp of the same instant are functions of the state
        across = (k * F_R + gear.rake * F_Sp) / sympy.sqrt(1 + k**2)
        lever = (data("l_g") + data("a_g")) / (data("l_g") - data("a_g"))
        bound = p.mu_G * lever * sympy.Abs(across)
        self.guides.append(Friction(rate, bound, name=f"{gear.name}_guide"))
        for name, gap in (("lower", stroke - data("y_min")), ("upper", data("y_max") - stroke)):
            # (14.90)-(14.92)
            self.contacts.append(Contact(gap=gap, name=f"{gear.name}_{name}"))

    def _brake(self, n: int) -> None:
        """Add the brake torque (14.68) between wheels and leg."""
        p = self.p
        torque = n * p.M_B * self.sympy.Heaviside(self.symbolic.time - p.t_S, 0)
        self.pushes[self.q["phi_2"]].append(-torque)
        self.push(torque, "turn_2")

    def _start(self) -> None:
        """Set the initial state: main tyres touch without force, struts are extended."""
        p, q, u = self.p, self.q, self.u
        y = p.x_12 * p.alpha + p.y_min2
        self.initial = {q["alpha"]: p.alpha, q["y"]: y, u["x"]: p.v_x}
        self.initial[q["y_23"]] = y - p.x_13 * p.alpha - p.y_min3
        for name in ("y", "y_22", "y_23"):
            self.initial[u[name]] = p.v_sink


@functools.cache
def template(elastic: bool) -> System:
    """Derive the system with the default parameters once."""
    from nsmb import symbolic

    made = _Equations(elastic)
    units = ["m", "m", "rad", "m", "m", "rad", "rad"]
    return symbolic.LagrangianSystem(
        list(made.q.values()),
        made.sympy.Add(*made.kinetic),
        made.sympy.Add(*made.potential),
        {q: made.sympy.Add(*parts) for q, parts in made.pushes.items()},
        contacts=[*made.contacts, *made.guides],
        elements=made.elements,
        parameters=made.p,
        initial=made.initial,
        linear=False,
        name="landing_gear",
        coordinate_units=units + ["m"] * (len(made.names) - len(units)),
    )
