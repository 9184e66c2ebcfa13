"""Linear beams and shafts with Ritz functions.

Sections of cantilevers on a slide fall on floors, and discs of shafts rotate against a limit.
Matrix exponentials give the exact solution, with matrices from integrals in closed form.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, expm

from tests.campaign.actuated import LIMIT_SPEED, SCAN, hold_against, zero
from tests.campaign.case import Case, code
from tests.campaign.findings import Findings, Tolerances

Array = NDArray[np.float64]
Generator = np.random.Generator
G = 9.81


def draw(rng: Generator, seed: int, method: dict[str, Any]) -> Case:
    bends = bool(rng.random() < 0.6)
    n, length = int(rng.integers(1, 4)), float(rng.uniform(0.5, 1.5))
    density = float(rng.uniform(0.5, 3.0)) if bends else float(rng.uniform(0.02, 0.1))
    # The highest mode stays slow compared with the sampling times.
    rate = float(rng.uniform(10.0, 60.0))
    stiffness = density * rate**2 * (length**4 / 12.4 if bends else length**2 / 2.47)
    spec: dict[str, Any] = {
        "kind": "elastic", "bends": bends, "n": n, "length": length, "density": density,
        "stiffness": stiffness, "ratio": float(rng.choice([0.0, rng.uniform(0, 0.1)])),
        "hub": float(rng.uniform(0.1, 2.0)) if bends else float(rng.uniform(0.01, 0.2)),
        "spring": float(rng.uniform(5.0, 50.0)),
        "discs": [
            [float(rng.uniform(0.2, 1.0)) * length, float(rng.uniform(0.1, 1.0)),
             float(rng.uniform(0.001, 0.05))]
            for _ in range(int(rng.integers(0, 3)))
        ],
        "contacts": [], "q": [0.0] * (n + 1), "u": [0.0] * (n + 1),
    }  # fmt: skip
    size = 0.02 * length if bends else 0.1
    spec["u"] = [float(rng.uniform(-1, 1)), *(size * rate * rng.uniform(-1, 1, n)).tolist()]
    lines = [f"m = nsmb.Model(gravity=(0, {-G if bends else 0.0!r}))"]
    kind, functions = ("Bending" if bends else "Torsion"), f"nsmb.flexible.sines({n}, 'fixed-free')"
    lines += [
        f"e = nsmb.flexible.{kind}({length!r}, {stiffness!r}, {density!r}, {functions}, "
        f"damping_ratio={spec['ratio']!r})",
        f"b = m.add_elastic_body('b', e, {'mass' if bends else 'inertia'}={spec['hub']!r})",
        f"m.add_joint('j', nsmb.joints.{'Prismatic((0, 1, 0))' if bends else 'Revolute()'}, "
        "m.ground, b)",
        f"m.add_torsion_spring('s', 'j', c={spec['spring']!r})",
    ]
    for k, (x, mass, inertia) in enumerate(spec["discs"]):
        lines += [
            f"d{k} = m.add_body('d{k}', mass={mass!r}, inertia={inertia!r})",
            f"m.add_joint('w{k}', nsmb.joints.Fixed(), b, d{k}, at={x!r})",
        ]
    e_N = float(rng.uniform(0.2, 0.9))
    if bends:
        for k in range(int(rng.integers(1, 3))):
            x, gap = float(rng.uniform(0.1, 1.0)) * length, float(rng.uniform(0.01, 0.2))
            spec["contacts"].append([x, gap, e_N])
            lines += [
                f"c = b.contour('c{k}', nsmb.geometry.Circle(0.03), at={x!r})",
                f"f = m.ground.contour('f{k}', nsmb.geometry.Line((0, {-0.03 - gap!r})))",
                f"m.add_contact(f, c, nsmb.ContactLaw(e_N={e_N!r}), name='c{k}')",
            ]
    else:
        limit = -float(rng.uniform(0.02, 0.3))
        spec["contacts"].append([0.0, -limit, e_N])
        lines.append(f"m.add_stop('j', {limit!r}, law=nsmb.ContactLaw(e_N={e_N!r}))")
    names = ["j", *(f"b.q{k + 1}" for k in range(n))]
    speeds = dict(zip(names, spec["u"], strict=True))
    lines.append(f"system = m.build({{}}, {code(speeds)})")
    t_end = float(np.round(rng.uniform(0.3, 1.2), 3))
    tags = ("elastic", kind, f"{n} functions")
    return Case("bodies", seed, "\n".join(lines) + "\n", t_end, None, None, method, spec, tags)


class Truth:
    """The exact motion of M z̈ + D ż + K z = f.

    z holds the joint and the elastic coordinates. y = (z, ż, 1).
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        self.spec = spec
        n, l, rho = spec["n"], spec["length"], spec["density"]
        self.a = (np.arange(1, n + 1) - 0.5) * np.pi
        a, bends = self.a, spec["bends"]
        if bends:  # w = 1 - cos aξ: products of different cosines integrate to zero
            h = 1.0 - np.sin(a) / a
            own = h[:, None] + h[None, :] - 1.0 + 0.5 * np.eye(n)
            K_el = np.diag(0.5 * a**4) * spec["stiffness"] / l**3
        else:  # w = sin aξ
            h, own = 1.0 / a, 0.5 * np.eye(n)
            K_el = np.diag(0.5 * a**2) * spec["stiffness"] / l
        M = np.block([[np.ones((1, 1)), h[None, :]], [h[:, None], own]]) * rho * l
        frequencies, V = eigh(K_el, M[1:, 1:])
        modes = M[1:, 1:] @ V
        D = np.zeros_like(M)
        D[1:, 1:] = (modes * (2.0 * spec["ratio"] * np.sqrt(frequencies))) @ modes.T
        M[0, 0] += spec["hub"]
        for x, mass, inertia in spec["discs"]:
            shift, turn = self.row(x), np.concatenate([[0.0], a * np.sin(a * x / l) / l])
            M += np.outer(shift, shift) * (mass if bends else inertia)
            M += np.outer(turn, turn) * (inertia if bends else 0.0)
        K = np.zeros_like(M)
        K[1:, 1:], K[0, 0] = K_el, spec["spring"]
        self.n, self.M = n + 1, M
        self.A = np.zeros((2 * self.n + 1, 2 * self.n + 1))
        self.A[: self.n, self.n : -1] = np.eye(self.n)
        self.A[self.n : -1, : self.n] = -np.linalg.solve(M, K)
        self.A[self.n : -1, self.n : -1] = -np.linalg.solve(M, D)
        self.A[self.n, -1] = -G if bends else 0.0  # the frame alone falls
        self.few = expm(self.A * SCAN)
        self.rows = np.zeros((len(spec["contacts"]), 2 * self.n + 1))
        for row, (x, gap, _) in zip(self.rows, spec["contacts"], strict=True):
            row[: self.n], row[-1] = self.row(x), gap

    def row(self, x: float) -> Array:
        """Return the displacement or rotation of a section for unit coordinates."""
        xi = x / self.spec["length"]
        own = 1.0 - np.cos(self.a * xi) if self.spec["bends"] else np.sin(self.a * xi)
        return np.concatenate([[1.0], own])

    def run(self, t_end: float) -> tuple[float, Array, list[float]]:
        """Return the motion like that of slides, ended early where something comes to rest."""
        y = np.concatenate([self.spec["q"], self.spec["u"], [1.0]])
        t, events, arrived = 0.0, [], y
        while True:
            start, dt, left = y, 0.0, None
            while t + dt < t_end:
                z = self.few @ y
                gone = np.flatnonzero((self.rows @ z < 0.0) & ((self.rows @ y > 0.0) | (dt > 0.0)))
                if gone.size:
                    if (self.rows[gone] @ expm(self.A * dt) @ start <= 0.0).any():
                        return t, arrived, events[:-1]
                    times = [zero(row, self.A, start, dt) for row in self.rows[gone]]
                    first = int(np.argmin(times))
                    left = times[first], int(gone[first])
                    break
                dt, y = dt + SCAN, z
            if left is None or t + left[0] >= t_end:
                return t_end, expm(self.A * (t_end - t)) @ start, events
            arrived, t = expm(self.A * left[0]) @ start, t + left[0]
            y = arrived.copy()
            events.append(t)
            w = self.rows[left[1], : self.n]
            speed = float(w @ y[self.n : -1])
            if speed > -LIMIT_SPEED:
                return t, arrived, events[:-1]
            through = np.linalg.solve(self.M, w)
            e_N = self.spec["contacts"][left[1]][2]
            y[self.n : -1] -= (1.0 + e_N) * speed / float(w @ through) * through


def check_elastic(
    spec: dict[str, Any], sol: Any, tol: Tolerances, law: str, found: Findings
) -> None:
    """Check times of impacts and the final state, within their sensitivity to the initial state."""
    t_end, step = float(sol.t[-1]), tol.relative
    t, y, events = Truth(spec).run(t_end)
    beside = spec | {"u": [spec["u"][0] + step, *spec["u"][1:]]}
    t_beside, y_beside, events_beside = Truth(beside).run(t_end)
    if len(events_beside) != len(events) or (t_beside == t_end) != (t == t_end):
        return  # the perturbed motion differs
    moved = np.concatenate([y_beside - y, np.subtract(events_beside, events)])
    growth = float(np.abs(moved).max()) / step

    def coordinates(at: Any) -> Array:
        return np.concatenate([at.q, at.u])

    hold_against(t, y, events, sol, tol, found, coordinates, growth)
