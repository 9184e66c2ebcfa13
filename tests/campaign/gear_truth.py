"""An independent implementation of moving involute gears.

Flanks are ends of threads on the line of action. It gives forces and torques of all pairs of teeth,
accelerations, energy and momentum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Spec = dict[str, Any]
GAUSS = math.sqrt(0.6) * np.array([-1.0, 0.0, 1.0]), np.array([5.0, 8.0, 5.0]) / 9.0


def involute(alpha: float) -> float:
    return math.tan(alpha) - alpha


class Wheel:
    """A gear by its spec, with angles in rad in transverse sections."""

    def __init__(self, spec: Spec) -> None:
        self.z, self.width, self.body = spec["z"], spec["width"], spec["body"]
        m, beta, alpha = spec["m_n"], spec["beta"], spec["alpha_n"]
        alpha_t = math.atan(math.tan(alpha) / math.cos(beta))
        r = 0.5 * m * self.z / math.cos(beta)
        self.r_b, self.r_a = r * math.cos(alpha_t), r + (spec["addendum"] + spec["x"]) * m
        self.r_d = r - (spec["dedendum"] - spec["x"]) * m
        self.lead = math.tan(beta) * math.cos(alpha_t)  # tan β_b
        thickness = (0.5 * math.pi + 2.0 * spec["x"] * math.tan(alpha)) / self.z
        self.half = thickness + involute(alpha_t)
        self.pitch = 2.0 * math.pi * self.r_b / self.z
        self.relief, self.crowning = spec["tip_relief"], spec["crowning"]
        self.relief_length = spec["relief_length"] or self.pitch / 3.0
        self.phase, self.K, self.D, self.mass = (spec[k] for k in ("phase", "K", "D", "mass"))
        self.angles = self.phase + 2.0 * math.pi * np.arange(self.z) / self.z


@dataclass(frozen=True)
class Touch:
    """A loaded pair of teeth, with the `force` on gear 2 in N and its `point` in space."""

    mesh: int
    teeth: tuple[int, int]
    is_left: bool
    xi: float
    depth: float
    force: Array
    normal: float
    point: Array
    energy: float
    power: float
    """Power dissipated by damping and friction in W."""


def mean_stiffness(mesh: Spec, width: float, xi: float, ends: tuple[float, float], window: float):  # type: ignore[no-untyped-def]
    """Return the mean stiffness in N/m and the share of the window on the path.

    The stiffness is a parabola, integrated by Gauss quadrature.
    """
    low, high = ends
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    a, b = (xi, xi) if window == 0.0 else (max(xi - window / 2, low), min(xi + window / 2, high))
    places = 0.5 * (a + b) + 0.5 * (b - a) * GAUSS[0]
    drop = 1.0 - (1.0 - mesh["stiffness_ratio"]) * ((places - middle) / half) ** 2
    share = 1.0 if window == 0.0 else max(b - a, 0.0) / window
    return mesh["stiffness"] * width * share * float(0.5 * GAUSS[1] @ drop), share


class Train:
    """The gears, bodies and loads of a case."""

    def __init__(self, spec: Spec) -> None:
        self.spec, self.bodies, self.meshes = spec, spec["bodies"], spec["meshes"]
        self.wheels = [Wheel(wheel) for wheel in spec["wheels"]]
        self.motion_of_teeth = spec["teeth"]["motion"] if spec["teeth"] else "rigid"
        self.first, n = [], 0
        for body in self.bodies:
            self.first.append(n)
            n += {"fixed": 1, "carrier": 1, "carried": 1, "sliding": 2, "floating": 3}[
                body["mount"]
            ]
        self.nu = n
        self.offset = np.concatenate([[0], np.cumsum([wheel.z for wheel in self.wheels])])

    def jacobian(self, k: int, q: Array, u: Array) -> tuple[Array, Array, Array]:
        """Return the position (x, y, z, angle) of a body, its Jacobian, shape (4, nu), and J̇ u."""
        body, i = self.bodies[k], self.first[k]
        place, J, rest = np.array([*body["place"], 0.0, 0.0]), np.zeros((4, self.nu)), np.zeros(4)
        mount = body["mount"]
        if mount in ("fixed", "carrier"):
            place[3], J[3, i] = q[i], 1.0
        elif mount == "sliding":
            place[2:] += q[i : i + 2]
            J[2, i] = J[3, i + 1] = 1.0
        elif mount == "floating":
            place[:2], place[3] = q[i : i + 2], q[i + 2]
            J[[0, 1, 3], [i, i + 1, i + 2]] = 1.0
        else:
            c = self.first[body["carrier"]]
            turn = np.array([[math.cos(q[c]), -math.sin(q[c])], [math.sin(q[c]), math.cos(q[c])]])
            arm = turn @ body["place"]
            place[:2], place[3] = arm, q[c] + q[i]
            J[:2, c] = (-arm[1], arm[0])
            J[3, [c, i]] = 1.0
            rest[:2] = -arm * u[c] ** 2
        return place, J, rest

    def split(self, x: Array) -> tuple[Array, Array]:
        """Return displacements and velocities of all teeth, gear by gear."""
        n = self.offset[-1]
        if self.motion_of_teeth in ("rigid", "static"):
            return np.zeros(n), np.zeros(n)
        if self.motion_of_teeth == "quasi-static":
            return x[:n], np.zeros(n)
        return x[:n], x[n : 2 * n]

    def touches(self, places: Array, rates: Array, s: Array, omega: Array) -> list[Touch]:
        found: list[Touch] = []
        for number, mesh in enumerate(self.meshes):
            for left in (True, False):
                if ("left" if left else "right") in mesh["flanks"]:
                    found += self._side(number, left, places, rates, s, omega)
        return found

    def _side(
        self, number: int, left: bool, places: Array, rates: Array, s: Array, omega: Array
    ) -> list[Touch]:
        mesh = self.meshes[number]
        w1, w2 = (self.wheels[k] for k in mesh["gears"])
        k1, k2 = mesh["gears"]
        p1, p2 = places[w1.body], places[w2.body]
        away = p2[:2] - p1[:2]
        a, theta = math.hypot(*away), math.atan2(away[1], away[0])
        side = 1.0 if left else -1.0
        alpha = math.acos((w1.r_b + w2.r_b) / a)
        sin, cos, tan = math.sin(alpha), math.cos(alpha), math.tan(alpha)
        cos_b = 1.0 / math.hypot(1.0, w1.lead)
        apart = p2[2] - p1[2]
        low, high = (
            max(-w1.width / 2, apart - w2.width / 2),
            min(w1.width / 2, apart + w2.width / 2),
        )
        width, z = max(high - low, 0.0), 0.5 * (low + high)
        if width == 0.0:
            return []
        # Ends of threads on the line of action, in the middle of the common face.
        turns = []
        for w, p, offset, height in ((w1, p1, 0.0, z), (w2, p2, math.pi, z - apart)):
            lead = w1.lead if w is w1 else -w1.lead
            turn = w.angles + p[3] - theta - offset
            turn = np.remainder(turn + math.pi, 2.0 * math.pi) - math.pi
            turns.append(w.r_b * (alpha + side * turn + w.half) + side * lead * height)
        L = a * sin
        # Half of the backlash from the tooth thicknesses, which the threads include.
        thick = w1.r_b * (w1.half - involute(alpha)) + w2.r_b * (w2.half - involute(alpha))
        own = 0.5 * w1.pitch - thick
        play = 0.5 * mesh["backlash"] * self.spec["wheels"][k1]["m_n"] / cos_b
        if mesh["backlash_from"] == "geometry":
            play += own
        ends = (-min(math.sqrt(w2.r_a**2 - w2.r_b**2) - w2.r_b * tan, w1.r_b * tan),
                min(math.sqrt(w1.r_a**2 - w1.r_b**2) - w1.r_b * tan, w2.r_b * tan))  # fmt: skip
        window = max(width * abs(w1.lead), mesh["entry"] * w1.pitch)
        along = np.array([math.cos(theta), math.sin(theta)])
        across = np.array([along[1], -along[0]])
        line = -side * cos * across + sin * along
        n = np.array([*(cos_b * line), -side * cos_b * w1.lead])
        found = []
        for i in np.flatnonzero(np.abs(turns[0] - w1.r_b * tan) < 4.0 * w1.pitch + window):
            gaps = L - turns[0][i] - turns[1]
            j = int(np.argmin(np.abs(gaps - own)))
            xi = 0.5 * (turns[0][i] + L - turns[1][j]) - w1.r_b * tan
            if not ends[0] - window / 2 <= xi <= ends[1] + window / 2:
                continue
            t1, t2 = self.offset[k1] + i, self.offset[k2] + j
            give = side * (w1.r_b * s[t1] + w2.r_b * s[t2])
            depth = cos_b * (own - gaps[j] + give - play)
            depth -= sum(
                w.relief * max(0.0, 1.0 - rest / w.relief_length)
                for w, rest in ((w1, ends[1] - xi), (w2, xi - ends[0]))
            )
            if depth <= 0.0:
                continue
            K, share = mean_stiffness(mesh, width, xi, ends, window)
            if K <= 0.0:
                continue
            if self.motion_of_teeth == "static":
                K = 1.0 / (1.0 / K + sum((cos_b * w.r_b / w.r_d) ** 2 / w.K for w in (w1, w2)))
            pressed, energy = layer(K, depth, w1.crowning + w2.crowning)
            at = p1[:2] + (w1.r_b / cos) * along + xi * line
            slide = self._gliding(at, (w1, w2), (t1, t2), places, rates, omega)
            v_n = float(slide @ n)
            damped = mesh["damping"] * share * v_n
            if mesh["transition"] > 0.0:
                damped *= min(1.0, depth / mesh["transition"])
            normal = max(0.0, pressed + damped)
            v_t = slide - v_n * n
            speed = float(np.linalg.norm(v_t))
            relative = min(speed / mesh["v_eps"], 1.0)
            drag = mesh["mu"] * normal * relative * (2.0 - relative)
            force = normal * n + (drag / speed * v_t if drag > 0.0 else 0.0)
            found.append(
                Touch(number, (int(i), j), left, xi, depth, force, normal,
                      np.array([*at, p1[2] + z]), energy, (normal - pressed) * v_n + drag * speed)
            )  # fmt: skip
        return found

    def _gliding(
        self, at: Array, wheels: tuple[Wheel, Wheel], teeth: tuple[int, int], places: Array,
        rates: Array, omega: Array,
    ) -> Array:  # fmt: skip
        """Return the sliding velocity of a tooth of gear 1 relative to that of gear 2."""
        v = []
        for w, tooth in zip(wheels, teeth, strict=True):
            p, rate = places[w.body], rates[w.body]
            turn = omega[tooth] if self.motion_of_teeth == "dynamic" else rate[3]
            arm = at - p[:2]
            v.append(np.array([rate[0] - turn * arm[1], rate[1] + turn * arm[0], rate[2]]))
        return v[0] - v[1]

    def rates(self, q: Array, u: Array, x: Array) -> tuple[Array, Array, list[Touch]]:
        """Return u̇, ẋ and the loaded pairs of teeth."""
        n = len(self.bodies)
        moved = [self.jacobian(k, q, u) for k in range(n)]
        places = np.array([one[0] for one in moved])
        rates = np.array([one[1] @ u for one in moved])
        s, omega = self.split(x)
        found = self.touches(places, rates, s, omega)
        wrench, on_teeth = np.zeros((n, 4)), np.zeros(len(s))
        for touch in found:
            for k, sign in zip((0, 1), (-1.0, 1.0), strict=True):
                gear = self.meshes[touch.mesh]["gears"][k]
                w, force = self.wheels[gear], sign * touch.force
                arm = touch.point[:2] - places[w.body, :2]
                torque = arm[0] * force[1] - arm[1] * force[0]
                wrench[w.body, :3] += force
                on_teeth[self.offset[gear] + touch.teeth[k]] += torque
                if self.motion_of_teeth != "dynamic":
                    wrench[w.body, 3] += torque
        rate_s, rate_omega = np.zeros(0), np.zeros(0)
        if self.motion_of_teeth in ("quasi-static", "dynamic"):
            rate_s, rate_omega = np.zeros_like(s), np.zeros_like(s)
            for k, w in enumerate(self.wheels):
                own = slice(self.offset[k], self.offset[k + 1])
                if self.motion_of_teeth == "quasi-static":
                    rate_s[own] = (on_teeth[own] / w.r_d**2 - w.K * s[own]) / w.D
                    continue
                rate_s[own] = omega[own] - rates[w.body, 3]
                spring = w.K * s[own] + w.D * rate_s[own]
                rate_omega[own] = (on_teeth[own] / w.r_d**2 - spring) / w.mass
                wrench[w.body, 3] += w.r_d**2 * spring.sum()
        M, h = np.zeros((self.nu, self.nu)), self.loads(q, u)
        for k, (body, (_, J, rest)) in enumerate(zip(self.bodies, moved, strict=True)):
            inertia = np.array([body["mass"]] * 3 + [body["I"]])
            M += J.T @ (inertia[:, None] * J)
            h += J.T @ (wrench[k] - inertia * rest)
        dynamic = rate_omega if self.motion_of_teeth == "dynamic" else np.zeros(0)
        return np.linalg.solve(M, h), np.concatenate([rate_s, dynamic]), found

    def loads(self, q: Array, u: Array) -> Array:
        h = np.zeros(self.nu)
        for load in self.spec["loads"]:
            i = self.first[load["body"]] + load["coordinate"]
            h[i] += load["T"] - load["d"] * u[i] - load["c"] * (q[i] - load["free"])
        return h

    def energy(self, q: Array, u: Array, x: Array) -> tuple[float, list[Touch]]:
        """Return the energy in J and the loaded pairs of teeth.

        Springs are included, and the work of constant torques is subtracted.
        """
        _, _, found = self.rates(q, u, x)
        total = sum(touch.energy for touch in found)
        for k, body in enumerate(self.bodies):
            rate = self.jacobian(k, q, u)[1] @ u
            total += 0.5 * float(np.array([body["mass"]] * 3 + [body["I"]]) @ rate**2)
        s, omega = self.split(x)
        for k, w in enumerate(self.wheels):
            own = slice(self.offset[k], self.offset[k + 1])
            if self.motion_of_teeth in ("quasi-static", "dynamic"):
                total += 0.5 * w.r_d**2 * w.K * float(s[own] @ s[own])
            if self.motion_of_teeth == "dynamic":
                total += 0.5 * w.r_d**2 * w.mass * float(omega[own] @ omega[own])
        for load in self.spec["loads"]:
            i = self.first[load["body"]] + load["coordinate"]
            total += 0.5 * load["c"] * (q[i] - load["free"]) ** 2 - load["T"] * q[i]
        return float(total), found

    def momentum(self, q: Array, u: Array, x: Array) -> Array:
        """Return both momentum components and the angular momentum about the origin."""
        total = np.zeros(3)
        for k, body in enumerate(self.bodies):
            place, J, _ = self.jacobian(k, q, u)
            rate = J @ u
            total[:2] += body["mass"] * rate[:2]
            total[2] += body["mass"] * (place[0] * rate[1] - place[1] * rate[0])
            total[2] += body["I"] * rate[3]
        _, omega = self.split(x)
        for k, w in enumerate(self.wheels):
            if self.motion_of_teeth == "dynamic":
                own = omega[self.offset[k] : self.offset[k + 1]]
                total[2] += w.r_d**2 * w.mass * float(own.sum())
        return total


def layer(K: float, depth: float, crowning: float) -> tuple[float, float]:
    """Return force and energy of half a crowned face per half length."""
    if crowning == 0.0:
        return K * depth, 0.5 * K * depth**2
    reach = min(1.0, math.sqrt(depth / crowning))
    places = 0.5 * reach * (1.0 + GAUSS[0])
    deep = depth - crowning * places**2
    weights = 0.5 * reach * GAUSS[1]
    return K * float(weights @ deep), 0.5 * K * float(weights @ deep**2)
