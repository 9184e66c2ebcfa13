"""The landing airplane as a multibody model with beams of finite elements.

Kinematics and inertia are those of :class:`nsmb.Model`, for rotations and strokes of any size. Only
the functions w of the Ritz version are used, as columns over the unknowns of the nodes. Forces of
struts, tyres and air act at their actual points, those of tyres and air in inertial directions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.integrate import trapezoid

import nsmb
from nsmb.flexible import BodyFrame, NodalFrame, beam
from nsmb.flexible.body_frames import Discretised
from nsmb.systems.machines.landing_gear_airframe import Airframe, airframe
from nsmb.systems.machines.landing_gear_data import GEARS, LandingGearParameters, Strut
from nsmb.systems.machines.landing_gear_equations import numbers, template
from tests.systems.examples import Array
from tests.systems.landing_forces import Undercarriage, air_forces

STOPS = ("main_lower", "main_upper", "nose_lower", "nose_upper")
_DOWN = 0.5 * np.pi
_PLACES = {
    "centre": ("fuselage.centre", "y"), "pitch": ("fuselage.centre", "turn"),
    "hinge_2": ("main_upper", "y"), "axle_2": ("main_lower.end", "x"),
    "turn_2": ("main_lower.end", "turn"), "hinge_3": ("nose_upper", "y"),
    "axle_3": ("nose_lower.end", "x"), "turn_3": ("nose_lower.end", "turn"),
}  # fmt: skip


class _MeanLine(BodyFrame):
    """A frame about x_1 = 0 with ∫ w dm = 0 and ∫ x w dm = 0, as for the functions in use.

    With nsmb.flexible.MeanAxes the rotary inertia of sections would contribute.
    """

    def _place(self, body: Discretised) -> tuple[Array, Array]:
        return np.zeros(3), np.eye(3)

    def _conditions(self, body: Discretised, shapes: Array, origin: Array, axes: Array) -> Array:
        of = body.integrals(shapes, origin, axes)
        return np.vstack([of.displacement[:2], of.first[:, 1, 0] - of.first[:, 0, 1]])


@dataclass(frozen=True)
class Elements:
    """The number of equal elements of a body, and the additional nodes for attachments."""

    number: int

    @property
    def shares(self) -> Array:
        """Return the relative positions of nodes.

        With 11 elements they are the knots of the splines, between which both functions and beams
        are cubic.
        """
        return np.linspace(0.0, 1.0, self.number + 1)


EXACT = Elements(11)


class Airplane:
    """A model, and the map z = T q from the coordinates (14.33) to its own.

    Both main legs are one leg with twice the mass and stiffness. The lower part of a leg is a
    separate beam that slides along the frame of the upper one. By T both bend alike.
    """

    def __init__(self, p: LandingGearParameters, elements: Elements) -> None:
        self.p, self.made, self._shares = p, airframe(p), elements.shares
        self.gears = {gear.name: Undercarriage(p, gear) for gear in GEARS}
        self.bodies: dict[str, nsmb.flexible.FlexibleBody] = {}
        self.model = nsmb.Model(gravity=(0.0, p.g), name="airplane")  # y downwards
        self._fuselage()
        for gear in GEARS:
            self._leg(gear)
        self.system = self.model.build()

    def _beam(
        self, body: int, x: Array, mass: float, inertia: float, EI: float, frame: BodyFrame
    ) -> nsmb.flexible.FlexibleBody:
        """Return a beam with mass (kg/m) and rotary inertia (kg m) per length, without stretch."""
        nodes = np.column_stack([x, np.zeros(x.size)])
        elements = beam(nodes, E=EI / inertia, density=1.0, area=mass, I_z=inertia)
        pairs = [self.made.functions(body, place) for place in x.tolist()]
        columns = np.zeros((elements.unknowns, len(pairs[0][0])))  # x, y and rotation of each node
        columns[1::3] = [w for w, _ in pairs]
        columns[2::3] = [slope for _, slope in pairs]
        return nsmb.flexible.FlexibleBody.from_elements(
            elements, columns, frame=frame, damping_ratio=self.p.zeta
        )

    def _fuselage(self) -> None:
        p, m, line = self.p, self.model, self.made.bodies[0]
        x = line.start + line.length * self._shares
        places = np.array([0.0, p.x_12, p.x_13])
        new = places[np.abs(places[:, None] - x).min(axis=1) > 1e-9 * line.length]
        x = np.sort(np.append(x, new))
        self.at = {"123"[k]: int(np.argmin(np.abs(x - r))) for k, r in enumerate(places)}
        body = self._beam(1, x, p.m_1 / p.l_1, p.I_1z, p.EI_1, _MeanLine())
        self.bodies["fuselage"] = body
        fuselage = self.fuselage = m.add_elastic_body("fuselage", body)
        fuselage.marker("centre", self.at["1"], is_output=True)
        m.add_joint("flight", nsmb.joints.Planar(), m.ground, fuselage)

        def air(now: nsmb.ForceInput) -> tuple[Array, Array]:
            forward, down, turning = air_forces(p, -now.q[1], now.u[0], -now.u[1])
            return np.array([[[forward, down, 0.0], [0.0, 0.0, turning]]]), np.zeros(2)

        m.add_user_force(
            "air", air, [fuselage], at=[self.at["1"]], coordinates=["flight.x", "flight.phi"]
        )

    def _leg(self, gear: Strut) -> None:
        i, n, m, made = gear.index, gear.count, self.model, self.gears[gear.name]
        length, EI, I_z = (getattr(self.p, name) for name in (f"l_0{i}", f"EI_{i}", f"I_{i}z"))
        masses = {"upper": getattr(self.p, f"m_{i}o"), "lower": getattr(self.p, f"m_{i}u")}
        x, parts = length * self._shares, []
        for part, mass in masses.items():
            name, share = f"{gear.name}_{part}", n * mass / sum(masses.values())
            self.bodies[name] = self._beam(
                int(i), x, n * mass / length, share * I_z, share * EI, NodalFrame(0)
            )
            parts.append(m.add_elastic_body(name, self.bodies[name]))
        upper, lower = parts
        lower.marker("end", x.size - 1, is_output=True)
        mass, spin = (self.p.m_4, self.p.I_4) if i == "2" else (self.p.m_5, self.p.I_5)
        wheel = m.add_body(f"{gear.name}_wheel", mass=n * mass, inertia=n * spin)
        stroke = f"{gear.name}_stroke"
        m.add_joint(
            f"{gear.name}_hinge", nsmb.joints.Fixed(), self.fuselage, upper, at=self.at[i],
            angle=_DOWN,
        )  # fmt: skip
        m.add_joint(stroke, nsmb.joints.Prismatic((-1.0, 0.0)), upper, lower)
        m.add_joint(f"{gear.name}_axle", nsmb.joints.Revolute(), lower, wheel, at=x.size - 1)
        m.add_joint_force(f"{gear.name}_strut", stroke, lambda t, s, rate: -made.strut(s, rate))

        def tyre(now: nsmb.ForceInput) -> Array:
            pressed = float(now.r[0, 1]) - length
            F_R, F_Sp, lever = made.tyre(pressed, float(now.v[0, 0]), float(now.Omega[0, 2]))
            return np.array([[[-F_Sp, -F_R, 0.0], [0.0, 0.0, lever * F_Sp]]])

        m.add_user_force(f"{gear.name}_tyre", tyre, [wheel])
        limits = (getattr(self.p, f"{name}{i}") for name in ("y_min", "y_max"))
        m.add_stop(stroke, *limits, name=f"{gear.name}_stop")

    @cached_property
    def T(self) -> Array:
        """The map T from the motions of the nodes."""
        names, rows = self.made.coordinates, list(self.system.coordinates)
        of = dict(zip(names, np.eye(len(names)), strict=True))
        T = np.zeros((len(rows), len(names)))
        T[rows.index("flight.x")], T[rows.index("flight.y")] = of["x"], of["y"]
        T[rows.index("flight.phi")] = -of["alpha"]
        own = {i: np.array([of[s] for s in names if s.startswith(f"q_{i}")]) for i in "123"}
        bends = {"fuselage": "1", "main_upper": "2", "main_lower": "2", "nose_upper": "3",
                 "nose_lower": "3"}  # fmt: skip
        for body, i in bends.items():
            T[self.system.elastic_coordinates(body)] = own[i]
        for gear in GEARS:
            i = gear.index
            w, turn = self._motion("fuselage", self.at[i])
            hinge = of["y"] - getattr(self.p, f"x_1{i}") * of["alpha"] + w @ own["1"]
            section = turn @ own["1"] + self._motion(f"{gear.name}_lower", -1)[1] @ own[i]
            T[rows.index(f"{gear.name}_stroke")] = hinge - of[f"y_2{i}"]  # (14.89)
            T[rows.index(f"{gear.name}_axle")] = of[f"phi_{i}"] + of["alpha"] - section
        return T

    def _motion(self, body: str, node: int) -> tuple[Array, Array]:
        """Return w and w' of a node."""
        turns = self.bodies[body].turns
        assert turns is not None
        return self.bodies[body].shapes[node, 1], turns[node, 2]

    def mass_matrix(self, q: Array) -> Array:
        """Return the mass matrix for the coordinates (14.33), shape (n, n).

        T is constant, so that there are no other terms.
        """
        return np.asarray(self.T.T @ self.system.mass_matrix(0.0, self.T @ q) @ self.T)

    def forces(self, t: float, q: Array, u: Array) -> Array:
        """Return the forces without guides and stops, shape (n,)."""
        return np.asarray(self.T.T @ self.system.forces(t, self.T @ q, self.T @ u))

    def wheel(self, gear: Strut, q: Array, u: Array) -> tuple[float, float, float]:
        """Return the compression of the tyre, the forward velocity and the spin."""
        z, name = self.T @ q, f"{gear.name}_wheel"
        v, Omega = self.system.velocity(name, 0.0, z, self.T @ u)
        level = float(self.system.position(name, 0.0, z)[1])
        return level - getattr(self.p, f"l_0{gear.index}"), float(v[0]), float(Omega[2])

    def stops(self) -> tuple[Array, Array]:
        """Return W_N, shape (n, 4), and the gaps at q = 0, shape (4,), of STOPS.

        They are linear, because strokes are coordinates.
        """
        z = np.zeros(self.T.shape[0])
        found = self.system.contact_kinematics(0.0, z, z)
        return self.T.T @ found["W_N"], found["g_N"]

    def straight(self) -> Airframe:
        """Return matrices and rows at q = 0 in the form of the Ritz version."""
        T, z = self.T, np.zeros(self.T.shape[0])
        K, D = np.zeros((z.size, z.size)), np.zeros((z.size, z.size))
        for name, body in self.bodies.items():
            own = self.system.elastic_coordinates(name)
            K[own, own], D[own, own] = body.stiffness_matrix, body.damping_matrix
        rows = {}
        for name, (place, what) in _PLACES.items():
            moves = [self.system.velocity(place, 0.0, z, column) for column in T.T]
            v, Omega = (np.array(part) for part in zip(*moves, strict=True))
            rows[name] = {"x": v[:, 0], "y": v[:, 1], "turn": Omega[:, 2]}[what]
        rows["pitch"] = -rows["pitch"]  # nose up
        falling = [self.system.momentum(0.0, z, column)[0][1] for column in T.T]
        return Airframe(
            self.made.coordinates, self.mass_matrix(np.zeros(T.shape[1])), T.T @ K @ T,
            T.T @ D @ T, self.p.g * np.array(falling), rows, self.made.bodies,
        )  # fmt: skip


def landing(airplane: Airplane, start: nsmb.State) -> nsmb.CallbackSystem:
    """Return the model along T with separate guides, as model friction has no variable bound."""
    W, gaps = airplane.stops()
    contacts: list[Any] = [_stop(*part) for part in zip(STOPS, W.T, gaps.tolist(), strict=True)]
    contacts += [_guide(airplane, gear) for gear in GEARS]
    return nsmb.CallbackSystem(
        airplane.made.coordinates, lambda t, q: airplane.mass_matrix(q), airplane.forces, contacts,
        initial_state=nsmb.State(0.0, start.q, start.u), name="airplane",
    )  # fmt: skip


def _stop(name: str, w: Array, gap: float) -> nsmb.Contact:
    return nsmb.Contact(
        gap=lambda t, q: float(w @ q) + gap, w_N=lambda t, q: w, w_bar_N=lambda t, q, u: 0.0,
        name=name,
    )  # fmt: skip


def _guide(airplane: Airplane, gear: Strut) -> nsmb.Friction:
    """Return the guide (14.87), (14.88) from the motion of the wheel."""
    row = airplane.T[list(airplane.system.coordinates).index(f"{gear.name}_stroke")]
    made = airplane.gears[gear.name]
    return nsmb.Friction(
        w_T=lambda t, q: row, bound=lambda t, q, u: made.bound(*airplane.wheel(gear, q, u)),
        w_bar_T=lambda t, q, u: 0.0, name=f"{gear.name}_guide",
    )  # fmt: skip


def touching(airplane: Airplane, start: nsmb.State) -> nsmb.State:
    """Return the start, lifted until the main tyres touch also with large rotations."""
    q = start.q.copy()
    q[[airplane.made.coordinates.index(name) for name in ("y", "y_22", "y_23")]] -= airplane.wheel(
        GEARS[0], start.q, start.u
    )[0]
    return nsmb.State(0.0, q, start.u)


def with_matrices(p: LandingGearParameters, made: Airframe) -> nsmb.System:
    """Return the equations of the Ritz version with other matrices and rows."""
    values = numbers(p)
    for i, one in enumerate(made.coordinates):
        values[f"weight_{one}"] = float(made.weight[i])
        values |= {f"{place}_{one}": float(row[i]) for place, row in made.rows.items()}
        for k, two in enumerate(made.coordinates[: i + 1]):
            for kind, matrix in (("M", made.M), ("K", made.K), ("D", made.D)):
                if f"{kind}_{one}_{two}" in values:
                    values[f"{kind}_{one}_{two}"] = float(matrix[i, k])
    return template(True).with_parameters(**values)


def small(epsilon: float) -> LandingGearParameters:
    """Return a landing with displacements, speeds (except of flight) and forces times epsilon.

    Masses, bending stiffness and times do not change.
    """
    p = LandingGearParameters(elastic=1)
    legs = ("2", "3")
    more = [f"{name}{i}" for i in legs for name in ("V_1", "V_2", "p_1", "p_2", "s_1", "s_2")]
    more += ["y_max2", "y_max3", "I_4", "I_5", "g", "v_sink", "alpha", "c_M0", "a_0", "F_S0", "k"]
    less = ["a_2", *(f"{name}{i}" for i in legs for name in ("oil_in", "oil_out"))]
    changes = {name: getattr(p, name) * epsilon for name in more}
    changes |= {name: getattr(p, name) / epsilon for name in less}
    return replace(p, **changes)


def momentum(airplane: Airplane, q: Array, u: Array) -> Array:
    """Return forward and downward momentum in N s, shape (2,)."""
    T = airplane.T
    return np.asarray(airplane.system.momentum(0.0, T @ q, T @ u)[0])[:2]


def outer_forces(airplane: Airplane, q: Array, u: Array) -> Array:
    """Return the numerical forces of weight, air and runway in N, shape (2,)."""
    p = airplane.p
    forward, down, _ = air_forces(p, float(q[2]), float(u[0]), float(u[2]))
    falling = np.zeros(airplane.T.shape[0])
    falling[list(airplane.system.coordinates).index("flight.y")] = 1.0
    mass = float(airplane.system.momentum(0.0, airplane.T @ q, falling)[0][1])
    total = np.array([forward, down + mass * p.g])
    for gear in GEARS:
        F_R, F_Sp, _ = airplane.gears[gear.name].tyre(*airplane.wheel(gear, q, u))
        total -= (F_Sp, F_R)
    return total


def unexplained(
    airplane: Airplane, t: Array, rows: list[tuple[Array, Array]]
) -> tuple[Array, float]:
    """Return the error of the momentum balance, shape (n, 2), and total impulse, in N s."""
    force = np.array([outer_forces(airplane, *row) for row in rows])
    impulse = np.zeros((len(t), 2))
    impulse[1:] = np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(t)[:, None], axis=0)
    P = np.array([momentum(airplane, *row) for row in rows])
    return np.abs(P - P[0] - impulse), float(trapezoid(np.abs(force), t, axis=0).sum())
