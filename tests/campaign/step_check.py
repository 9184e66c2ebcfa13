"""Checks of time steps of spatial bodies, from the states and the table of contacts alone.

The free motion Φ is integrated here, with matrices from the numbers of the case:

    (q_p, u⁻) = Φ_{h/2}(q_k, u_k),   M (u⁺ - u⁻) = h F(q_p) + H Λ,
    y = Hᵀ u⁺ + ε γ⁻,   (x, y) obey the laws,   (q_{k+1}, u_{k+1}) = Π Φ_{h/2}(q_p, u⁺)

The table also contains the impulses of Π, which restore the rates of lasting contacts. Hence a step
is known only up to `held`, the rates of these contacts at q_p, which vanish for flat contacts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import nsmb
from nsmb._core import multibody
from nsmb.simulation.core_simulator import core_simulator
from tests.campaign.case import Case
from tests.campaign.findings import Findings
from tests.campaign.scenes import rotation
from tests.support.found_table import found_table

Array = NDArray[np.float64]
REST = 1e-11  # m/s
EPS = float(np.finfo(float).eps)
CLOSED = 1e-9  # m
SIZES = {"free": (7, 6), "spherical": (4, 3), "revolute": (1, 1)}


@dataclass(frozen=True)
class Record:
    """A run step by step. State k + 1 follows the contacts k."""

    t: Array
    q: Array
    u: Array
    status: NDArray[np.int8]
    residual: Array
    table: dict[str, Any]

    def contacts(self, k: int) -> dict[str, Array]:
        """Return the contacts of step k, which leads to sample k + 1."""
        rows = slice(int(self.table["first"][k + 1]), int(self.table["first"][k + 2]))
        return {key: value[rows] for key, value in self.table.items() if key != "first"}

    def bytes(self) -> bytes:
        parts = [self.t, self.q, self.u, *self.table.values()]
        return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def record(case: Case, system: Any) -> Record:

    method = nsmb.Midpoint(**case.method)
    start = system.initial_state

    def trajectory(times: Any) -> Any:
        run = core_simulator(system, method)
        run.reset(start.t, start.q, start.u, np.zeros(0))
        run.set_output_times(times)
        run.advance(case.t_end)
        return run.trajectory()

    # Samples are the ends of all steps, including those shortened at the touch of a fast body.
    data = trajectory(trajectory([case.t_end])["step_end"])
    y = data["y"]
    n = system.nq
    return Record(data["t"], y[:, :n], y[:, n : n + system.nu], data["step_status"],
                  data["step_residual"], found_table(data))  # fmt: skip


class Free:
    """Bodies on free joints. Velocities are those of the centres of mass, and ω."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.bodies, self.gravity = spec["bodies"], np.asarray(spec["gravity"])

    def inertia_and_loads(self, q: Array, h: float) -> tuple[Array, Array]:
        n = len(self.bodies)
        M, F = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
        for k, body in enumerate(self.bodies):
            v, w = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
            M[v, v], M[w, w] = body["mass"] * np.eye(3), np.asarray(body["inertia"])
            F[v] = body["mass"] * self.gravity
        return M, F

    def velocities(self, q: Array, u: Array) -> Array:
        """Return velocities of centres of mass, and ω, from those of body origins, and ω."""
        own = u.copy()
        for k, body in enumerate(self.bodies):
            turning = np.cross(u[6 * k + 3 : 6 * k + 6], body["center"])
            own[6 * k : 6 * k + 3] += rotation(q[7 * k + 3 : 7 * k + 7]) @ turning
        return own

    def drift(self, q: Array, own: Array, h: float) -> tuple[Array, Array]:
        """Move centres of mass with v, and rotate bodies by Euler's equations."""
        J = np.array([body["inertia"] for body in self.bodies], dtype=np.float64)
        J_inverse = np.linalg.inv(J)
        places, turning = q.reshape(-1, 7), own.reshape(-1, 6)[:, 3:]

        def rates(z: Array) -> Array:
            p, omega = z[:, :4], z[:, 4:]
            L = np.einsum("bij,bj->bi", J, omega)
            spin = np.einsum("bij,bj->bi", J_inverse, np.cross(L, omega))
            half = np.column_stack([-(p[:, 1:] * omega).sum(1),
                                    p[:, :1] * omega + np.cross(p[:, 1:], omega)])  # fmt: skip
            return np.column_stack([0.5 * half, spin])

        z = followed(rates, np.column_stack([places[:, 3:], turning]), h)
        z[:, :4] /= np.linalg.norm(z[:, :4], axis=1)[:, None]
        moved, velocities = places.copy(), own.reshape(-1, 6).copy()
        moved[:, 3:], velocities[:, 3:] = z[:, :4], z[:, 4:]
        for k, body in enumerate(self.bodies):
            old, new = rotation(places[k, 3:]), rotation(moved[k, 3:])
            moved[k, :3] += (old - new) @ body["center"] + h * velocities[k, :3]
        return moved.ravel(), velocities.ravel()

    def place(self, q: Array) -> Array:
        """Return the centres of mass."""
        return np.concatenate([q[7 * k : 7 * k + 3] + rotation(q[7 * k + 3 : 7 * k + 7])
                               @ body["center"] for k, body in enumerate(self.bodies)])  # fmt: skip

    def directions(self, q: Array, contacts: dict[str, Array], owner: list[int]) -> Array:
        """Return the directions N, T1, T2, R1, R2, D of each contact, shape (nu, n, 6)."""
        n = len(contacts["g_N"])
        H = np.zeros((6 * len(self.bodies), n, 6))
        for i in range(n):
            axes = contacts["axes"][i].reshape(3, 3)
            for side, sign in ((0, -1.0), (1, 1.0)):
                k = owner[int(contacts["shapes"][i, side])]
                if k < 0:
                    continue
                place = contacts["point"][i] + sign * 0.5 * contacts["g_N"][i] * axes[0]
                A = rotation(q[7 * k + 3 : 7 * k + 7])
                rho = A.T @ (place - q[7 * k : 7 * k + 3]) - self.bodies[k]["center"]
                for row in range(3):
                    H[6 * k : 6 * k + 3, i, row] += sign * axes[row]
                    H[6 * k + 3 : 6 * k + 6, i, row] += sign * np.cross(rho, A.T @ axes[row])
                for row, axis in ((3, 1), (4, 2), (5, 0)):
                    H[6 * k + 3 : 6 * k + 6, i, row] += sign * (A.T @ axes[axis])
        return H


class Tree:
    """Bodies on joints, with the matrices of the system, which have their own tests."""

    def __init__(self, system: Any, bodies: list[dict[str, Any]], laws: list[dict[str, float]]):
        self.system, self.bodies, self.laws = system, bodies, laws

    def velocities(self, q: Array, u: Array) -> Array:
        return u

    def drift(self, q: Array, own: Array, h: float) -> tuple[Array, Array]:
        n, system = len(q), self.system
        at_rest = np.zeros_like(own)

        def rates(z: Array) -> Array:
            q, u = z[:n], z[n:]
            turning = system.forces(0.0, q, u) + system.forces(0.0, q, -u)
            turning = 0.5 * turning - system.forces(0.0, q, at_rest)
            udot = np.linalg.solve(system.mass_matrix(0.0, q), turning)
            return np.concatenate([rates_of(self.bodies, q, u), udot])

        z = followed(rates, np.concatenate([q, own]), h)
        return normalised(self.bodies, z[:n]), z[n:]

    def place(self, q: Array) -> Array:
        return q

    def inertia_and_loads(self, q: Array, h: float) -> tuple[Array, Array]:
        at_rest = np.zeros(self.system.nu)
        return self.system.mass_matrix(0.0, q), self.system.forces(0.0, q, at_rest)

    def directions(self, q: Array, contacts: dict[str, Array], owner: list[int]) -> Array:
        at_rest = np.zeros(self.system.nu)
        margin = 1e-6 + 2.0 * float(contacts["g_N"].max(initial=0.0))
        found = multibody.find_contacts(self.system._core, 0.0, q, at_rest, margin, 0.0, True)
        row_of = {int(x): i for i, x in enumerate(found["identity"])}
        H = np.zeros((self.system.nu, len(contacts["g_N"]), 6))
        for i, identity in enumerate(contacts["identity"]):
            j = row_of[int(identity)]
            first, law = int(found["first_row"][j]), self.laws[i]
            H[:, i, :3] = found["W"][:, first : first + 3]
            at = first + 3
            if law.get("mu_R"):
                H[:, i, 3:5] = found["W"][:, at : at + 2]
                at += 2
            if law.get("mu_D"):
                H[:, i, 5] = found["W"][:, at]
        return H


def rates_of(bodies: list[dict[str, Any]], q: Array, u: Array) -> Array:
    out = np.zeros_like(q)
    i = j = 0
    for body in bodies:
        nq, nu = SIZES[body["joint"]]
        if nq > nu:
            p, omega = q[i + nq - 4 : i + nq], u[j + nu - 3 : j + nu]
            w, v = p[0], p[1:]
            half = np.concatenate([[-v @ omega], w * omega + np.cross(v, omega)])
            out[i + nq - 4 : i + nq] = 0.5 * half
            out[i : i + nq - 4] = u[j : j + nu - 3]
        else:
            out[i : i + nq] = u[j : j + nu]
        i, j = i + nq, j + nu
    return out


def normalised(bodies: list[dict[str, Any]], q: Array) -> Array:
    """Return the coordinates with normalised quaternions."""
    moved, i = q.copy(), 0
    for body in bodies:
        nq, nu = SIZES[body["joint"]]
        if nq > nu:
            moved[i + nq - 4 : i + nq] /= np.linalg.norm(moved[i + nq - 4 : i + nq])
        i += nq
    return moved


def followed(rates: Callable[[Array], Array], z: Array, h: float) -> Array:
    """Integrate with SciPy."""
    size = 1e-3 * max(float(np.abs(z).max(initial=0.0)), 1e-300)

    def rhs(t: float, y: Array) -> Array:
        return rates(y.reshape(z.shape)).ravel()

    run = solve_ivp(rhs, (0.0, h), z.ravel(), "DOP853", rtol=1e-11, atol=1e-11 * size)
    return np.asarray(run.y[:, -1].reshape(z.shape))


def nearest_in_cone(z: Array, mu: Array) -> Array:
    """Project (n, 6) onto |T| <= mu_0 N, |R| <= mu_1 N, |D| <= mu_2 N, by bisection."""
    parts = [slice(1, 3), slice(3, 5), slice(5, 6)]
    size = np.stack([np.linalg.norm(z[:, p], axis=1) for p in parts], axis=1)

    def slope(n: Array) -> Array:
        excess = np.maximum(size - mu * n[:, None], 0.0)
        return np.asarray(n - z[:, 0] - (mu * excess).sum(axis=1))

    low, high = np.zeros(len(z)), np.abs(z[:, 0]) + (mu * size).sum(axis=1)
    high[slope(low) >= 0.0] = 0.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        above = slope(middle) > 0.0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    n = 0.5 * (low + high)
    out = np.zeros_like(z)
    out[:, 0] = n
    for k, p in enumerate(parts):
        allowed = mu[:, k] * n
        scale = np.where(size[:, k] > allowed, allowed / np.where(size[:, k] > 0, size[:, k], 1), 1)
        out[:, p] = scale[:, None] * z[:, p]
    return out


@dataclass(frozen=True)
class Step:
    """The data of a step with contacts."""

    t: float
    impulses: Array  # (n, 6)
    before: Array  # (n, 6) γ_k
    free: Array  # (n, 6) without impulses
    behind: Array  # (n, 6) γ_{k+1}
    scale: Array  # (n,) mean of the diagonal of the Delassus matrix
    mu: Array  # (n, 3)
    e: Array  # (n, 2)
    known: NDArray[np.bool_]  # (n,) closed at the end of the last step
    balance: float  # error of the momentum balance relative to its terms
    unbalanced: tuple[float, float, float]  # the same for all, with M; of held rates; of velocities
    held: float  # m/s, largest rate of lasting contacts at q_p
    released: float  # J, h² Fᵀ M⁻¹ F / 8, bound of the contact work without restitution
    strayed: float  # m, distance of the centres of mass from the positions given by Φ
    jumps: bool  # contacts have moved by its end, and so have the forces that hold rates


def steps(case: Case, system: Any, run: Record) -> Iterator[Step]:
    bodies, shapes = case.spec["bodies"], case.spec["shapes"]
    owner = [shape["body"] for shape in shapes]
    laws = {key: law for (a, b), law in case.spec["laws"].items() for key in ((a, b), (b, a))}
    is_free = all(body["joint"] == "free" for body in bodies)
    closed: set[int] = set()
    sticks: set[int] = set()
    for k in range(len(run.t) - 1):
        contacts = run.contacts(k)
        h = run.t[k + 1] - run.t[k]
        own = [laws[tuple(shapes[int(s)]["material"] for s in pair)] for pair in contacts["shapes"]]
        model: Any = Free(case.spec) if is_free else Tree(system, bodies, own)
        u_k, u_next = (model.velocities(run.q[i], run.u[i]) for i in (k, k + 1))
        q_p, before = model.drift(run.q[k], u_k, 0.5 * h)
        H = model.directions(q_p, contacts, owner)
        x = h * contacts["force"]
        given = np.einsum("unr,nr->u", H, x)
        M, F = model.inertia_and_loads(q_p, h)
        push, pushed = np.linalg.solve(M, h * F), np.linalg.solve(M, given)
        behind = before + push + pushed
        q_end, u_end = model.drift(q_p, behind, 0.5 * h)
        size = np.abs(u_k) + np.abs(u_next) + np.abs(push)
        arms = np.einsum("unr,nr->u", np.abs(H), np.abs(x))
        far = float(np.abs(contacts["point"]).max(initial=0.0))
        # A vanishing lever arm has the rounding error of its two end points.
        arms += 1e-6 * float(np.abs(x).sum()) * np.where(turning(bodies), far, 1.0)
        size += np.abs(np.linalg.inv(M)) @ arms
        left = np.abs(u_next - u_end)
        # The residual of solving with M scales with the largest velocity, not with each.
        left = np.maximum(left - EPS * np.linalg.cond(M) * size.max(initial=0.0), 0.0)
        has = np.ones((len(own), 6), dtype=bool)
        has[:, 3:5] = [[law.get("mu_R", 0.0) > 0.0] for law in own] if own else False
        has[:, 5] = [law.get("mu_D", 0.0) > 0.0 for law in own]
        gamma = [np.einsum("unr,u->nr", H, u) * has for u in (before, before + push, behind)]
        known, rolls = (np.array([int(i) in kept for i in contacts["identity"]], dtype=bool)
                        for kept in (closed, sticks))  # fmt: skip
        closes, stays = contacts["state"] != 0, contacts["state"] == 1
        held = max(float(np.abs(part).max(initial=0.0)) for part in
                   (gamma[0][known, 0], gamma[0][rolls, :3], gamma[2][stays, 1:3],
                    gamma[2][closes, 0],
                    np.einsum("unr,u->nr", H, u_next)[closes, 0]))  # fmt: skip
        speeds = np.abs(np.concatenate([before, behind]))
        turns = h * speeds[np.tile(turning(bodies), 2)].max(initial=0.0)
        held = min(held, 20.0 * turns * float(np.abs(np.concatenate(gamma)).max(initial=0.0)))
        diagonal = np.einsum("unr,unr->nr", H, np.linalg.solve(M, H.reshape(len(M), -1))
                             .reshape(H.shape)) * has  # fmt: skip
        off = np.abs(model.place(run.q[k + 1]) - model.place(q_end)).max(initial=0.0)
        masses, inertias = np.diag(M)[~turning(bodies)], np.diag(M)[turning(bodies)]
        heavy = float(np.sqrt(masses.max(initial=0.0) + inertias.max(initial=0.0)))
        unbalanced = (weight(M, left), held * heavy, weight(M, size))
        yield Step(
            float(run.t[k + 1]), x, gamma[0], gamma[1], gamma[2], diagonal[:, :3].mean(axis=1),
            np.array([[law.get(m, 0.0) for m in ("mu", "mu_R", "mu_D")]
                      for law in own]).reshape(-1, 3),
            np.array([[law["e_N"], law.get("e_T", 0.0)] for law in own]).reshape(-1, 2),
            known, largest_part(bodies, left, size), unbalanced, held,
            0.125 * h * float(F @ push), float(off), has_jumped(system, run, k, h * speeds.max()),
        )  # fmt: skip
        state = contacts["state"].tolist()
        closed = {int(i) for i, s in zip(contacts["identity"], state, strict=True) if s}
        sticks = {int(i) for i, s in zip(contacts["identity"], state, strict=True) if s == 1}


def has_jumped(system: Any, run: Record, k: int, way: float) -> bool:
    """Return True if a loaded contact point has moved farther than the bodies in the step.

    The contact points of a disc lying flat, for example, jump when the disc tilts.
    """
    contacts = run.contacts(k)
    if not np.any(contacts["force"]):
        return False
    there = system.find_contacts(run.t[k + 1], run.q[k + 1], margin=way)
    points = dict(zip(there.identity.tolist(), there.point, strict=True))
    far = 3.0 * way + 0.02 * np.ptp(contacts["point"], axis=0).max()
    return any(
        np.abs(points[identity] - point).max() > far
        for identity, point, force in zip(
            contacts["identity"].tolist(), contacts["point"], contacts["force"], strict=True
        )
        if identity in points and np.any(force)
    )


def weight(M: Array, u: Array) -> float:
    """Return (uᵀ M u)^(1/2)."""
    return float(np.sqrt(max(0.0, float(u @ M @ u))))


def turning(bodies: list[dict[str, Any]]) -> NDArray[np.bool_]:
    """Return the mask of angular velocities, shape (nu,)."""
    kinds = [[0, 0, 0, 1, 1, 1] if b["joint"] == "free" else [1] * SIZES[b["joint"]][1]
             for b in bodies]  # fmt: skip
    return np.array([k for kind in kinds for k in kind], dtype=bool)


def largest_part(bodies: list[dict[str, Any]], left: Array, size: Array) -> float:
    """Return the largest residual relative to the size of its group of velocities."""
    worst, j = 0.0, 0
    least = 1e-6 * float(size.max(initial=0.0))
    for body in bodies:
        for _ in range(2 if body["joint"] == "free" else 1):
            n = min(3, SIZES[body["joint"]][1])
            together = float(size[j : j + n].max())
            worst = max(worst, float(left[j : j + n].max()) / max(together, least, 1e-300))
            j += n
    return worst


def restitution(step: Step, slack: float = 0.0) -> Array:
    """Return ε γ_k of contacts that close or open faster than forces alone cause, shape (n, 6).

    `slack` lowers this threshold by a relative amount.
    """
    change = np.abs(step.free[:, 0] - step.before[:, 0])
    least = (1.0 - slack) * np.maximum(REST, change)
    strikes = ~step.known & (np.abs(step.before[:, 0]) > least)
    given = np.zeros_like(step.before)
    given[:, 0] = step.e[:, 0] * step.before[:, 0]
    given[:, 1:3] = step.e[:, 1:] * step.before[:, 1:3]
    return given * strikes[:, None]


TIE = 1e-9  # after one step of fall from rest, only rounding decides


def natural_map(step: Step) -> tuple[float, float]:
    """Return the natural map of the step and its rounding error, relative to the free velocities.

    Where rounding decides which contacts strike, the choice that fits is taken.
    """
    choices = [restitution(step, slack) for slack in (TIE, -TIE)]
    if (choices[0] == choices[1]).all():
        return natural_map_with(step, choices[0])
    return min(natural_map_with(step, given) for given in choices)


def natural_map_with(step: Step, given: Array) -> tuple[float, float]:
    """Return the natural map for given ε γ_k, shape (n, 6)."""
    wanted = step.free + given
    y = step.behind + given
    shifted = y.copy()
    for k, part in enumerate((slice(1, 3), slice(3, 5), slice(5, 6))):
        shifted[:, 0] += step.mu[:, k] * np.linalg.norm(y[:, part], axis=1)
    x = step.scale[:, None] * step.impulses
    error = float(np.linalg.norm(x - nearest_in_cone(x - shifted, step.mu)))
    size = max(REST, float(np.linalg.norm(wanted)))
    terms = np.linalg.norm(np.abs(step.before) + np.abs(step.free - step.before) + np.abs(x))
    return error / size, 1e-12 * float(terms) / size


def check_stepped(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    run = record(case, system)
    finite = np.isfinite(run.q).all() and np.isfinite(run.u).all()
    found.judge("not finite", float(not finite), 0.5, float(run.t[-1]))
    if run.bytes() != record(case, case.system()).bytes():
        found.judge("a repetition has other bits", 1.0, 0.0, 0.0)
    tol = case.method.get("tol", 1e-8)
    missed, times, residuals, allowed, work, work_allowed = run.status != 0, [], [], [], [], []
    balance, unbalanced, strayed, off, depth, fastest = [], [], [], [], [], 0.0
    # Velocities of light links are accurate relative to those that the whole energy would give
    # them.
    exact = 1e-8 if all(body["joint"] == "free" for body in case.spec["bodies"]) else 1e-5
    without = all(law["e_N"] == 0.0 and not law.get("e_T") for law in case.spec["laws"].values())
    for k, step in enumerate(steps(case, system, run)):
        times.append(step.t)
        h = run.t[k + 1] - run.t[k]
        speed = max(float(np.abs(run.u[k : k + 2]).max(initial=0.0)), 1e-300)
        turn = min(1.0, h * speed)
        is_judged = not (missed[k] or step.jumps)
        balance.append(step.balance if is_judged else 0.0)
        strayed.append(step.strayed)
        size = 1.0 + float(np.abs(run.q[k]).max())
        put = min(1.0, 10.0 * step.strayed / size) if len(step.impulses) else 0.0
        # Rotations are of sixth order up to half a radian, and conserve energy exactly.
        bent = 1e-5 * turn**5 * max(1.0, h * speed)
        if len(step.impulses) and is_judged:
            left, rates, all_of_it = step.unbalanced
            balance[-1] = left / max(all_of_it, 1e-300)
            unbalanced.append(exact + bent + put + 400.0 * turn * rates / max(all_of_it, 1e-300))
        else:
            unbalanced.append(exact + bent)
        # Lasting contacts are projected onto their gaps.
        deep = float(np.abs(run.contacts(k)["g_N"]).max(initial=0.0))
        off.append(1e-9 * size + (0.0 if not len(step.impulses) else
                                   100.0 * (deep + h * step.held) + 1e-3 * h * speed))  # fmt: skip
        if not len(step.impulses):
            residuals.append(0.0)
            allowed.append(1.0)
            work.append(0.0)
            work_allowed.append(1.0)
            depth.append(0.0)
            continue
        error, rounding = natural_map(step)
        residuals.append(0.0 if missed[k] else error)
        free = max(REST, float(np.linalg.norm(step.free)))
        slack = 10.0 * bent + 20.0 * step.held * np.sqrt(len(step.impulses)) / free
        allowed.append(50.0 * tol + rounding + slack)  # holding rates leaves more
        mean = 0.5 * (step.before + step.behind)
        power = float((step.impulses * mean).sum())
        turned = float(np.abs(step.impulses * mean).sum())
        size = float((np.abs(step.impulses) * np.abs(step.behind - step.before)).sum())
        work.append(power if without and not missed[k] else 0.0)
        work_allowed.append(step.released * (1.0 + 1e-6) + 1e-12 * turned + 10.0 * tol * size
                            + 2.0 * step.held * float(np.abs(step.impulses).sum()))  # fmt: skip
        fastest = max(fastest, float(np.linalg.norm(step.before[:, :3], axis=1).max()))
        depth.append(-float(run.contacts(k)["g_N"].min()))
    t = np.array(times)
    found.judge("momentum", np.array(balance), np.array(unbalanced), t)
    found.judge("centres of mass leave their ways", np.array(strayed), np.array(off), t)
    energy = np.array([system.kinetic_energy(0.0, q, u) + system.potential_energy(0.0, q)
                       for q, u in zip(run.q, run.u, strict=True)])  # fmt: skip
    turned = np.abs(energy[0]) + np.ptp(energy[: len(energy) // 2 + 1]) + 1e-12
    found.judge("laws of contact, of a step that is said to be solved", np.array(residuals),
                np.array(allowed), t)  # fmt: skip
    found.judge("contacts without restitution give energy", np.array(work),
                np.array(work_allowed), t)  # fmt: skip
    first = next((run.contacts(k) for k in range(len(t)) if run.contacts(k)["g_N"].size), None)
    start = system.find_contacts(0.0, system.initial_state.q).g_N.min(initial=0.0)
    if start > -1e-9:  # bodies that overlap at the start are pushed apart
        found.judge("energy grows", (energy - energy[0]) / turned, 0.05, run.t)
    if first is not None and start > -1e-9:
        # Bodies penetrate by the displacement of one step, and by the rotation of their normals.
        bound = 3.0 * case.method["step"] * fastest + 1e-8
        found.judge("penetration", np.array(depth), bound, t)
    if missed.any():
        notes.append("missed steps")
    if case.seed % 4 == 1:
        look_from_elsewhere(case, system, run, found, notes)


MOST_BODIES, LOOKED_AT = 3, 60


def look_from_elsewhere(
    case: Case, system: Any, run: Record, found: Findings, notes: list[str]
) -> None:
    """Check that a rotated and translated scene moves like the original."""
    bodies = case.spec["bodies"]
    if len(bodies) > MOST_BODIES or any(body["joint"] != "free" for body in bodies):
        return
    rng = np.random.default_rng(case.seed)
    turn = rng.normal(size=4)
    turn /= np.linalg.norm(turn)
    A, r = rotation(turn), rng.normal(size=3)
    source = turned_source(case, A, r, turn)
    other = record(case, system_of(source))
    n = min(len(run.t), len(other.t), LOOKED_AT)
    touches = np.flatnonzero(np.diff(run.table["first"])[1:n] > 0)
    if not touches.size:
        return
    # Small differences grow with every impact. After the first contacts they are still rounding.
    n = min(n, int(touches[0]) + 12, first_choice(case, system))
    notes.append("from elsewhere")
    for k in range(len(bodies)):
        place = run.q[:n, 7 * k : 7 * k + 3] @ A.T + r
        size = 1.0 + float(np.abs(place).max())
        error = np.abs(other.q[:n, 7 * k : 7 * k + 3] - place).max(axis=1)
        found.judge("depends on where it is looked at from", error, 1e-6 * size, run.t[:n])


def first_choice(case: Case, system: Any) -> int:
    """Return the first sample after a step with several solutions of Coulomb's law.

    There two solvers reach 1e-12 with different velocities, and rounding decides between them.
    """
    runs = [record(replace(case, method={**case.method, "tol": 1e-12, "solver": solver}), system)
            for solver in ("auto", "newton")]  # fmt: skip
    n = min(len(run.t) for run in runs)
    one, other = (run.u[:n] for run in runs)
    size = 1.0 + np.abs(one).max(axis=1, initial=0.0)
    apart = np.flatnonzero(np.abs(one - other).max(axis=1) > 1e-8 * size)
    return int(apart[0]) if apart.size else n


def system_of(source: str) -> Any:
    import nsmb

    scope: dict[str, Any] = {"np": np, "nsmb": nsmb}
    exec(source, scope)
    return scope["system"]


def turned_source(case: Case, A: Array, r: Array, turn: Array) -> str:
    """Return the source with grounds on a rotated frame, and initial states rotated with it."""
    lines = []
    for line in case.build.splitlines():
        if line.startswith("m = nsmb.Model("):
            line = f"m = nsmb.Model(gravity={(A @ case.spec['gravity']).tolist()!r})"
        lines.append(line.replace("nsmb.geometry.Frame(", "turned("))
    body = "\n".join(lines[:-1])
    start = lines[-1].replace("m.build(", "m.build(*turned_start(", 1)
    start = start.replace(", penetration", "), penetration", 1)
    return (
        f"A, r = np.array({A.tolist()!r}), np.array({r.tolist()!r})\n"
        f"p = np.array({turn.tolist()!r})\n"
        "def turned(at, axes):\n"
        "    return nsmb.geometry.Frame(A @ np.array(at) + r, A @ np.array(axes))\n"
        "def product(a, b):\n"
        "    v = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])\n"
        "    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], v])\n"
        "def turned_start(q, u):\n"
        "    q = {k: np.concatenate([A @ np.array(v[:3]) + r, product(p, np.array(v[3:]))])"
        " for k, v in q.items()}\n"
        "    u = {k: np.concatenate([A @ np.array(v[:3]), v[3:]]) for k, v in u.items()}\n"
        "    return q, u\n"
        f"{body}\n{start}\n"
    )
