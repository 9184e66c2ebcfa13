"""Forces and moments that joints transmit between their two bodies, from the equations of motion.

The reaction of a tree joint does not appear in the equations of motion. The joint is therefore cut
and replaced by a free joint with six coordinates. The cut model has the equations
M_e u̇_e = h_e + Q_e + R. With the motion of the run, R is the residual in the six rows of the cut.
The forces of a joint that closes a loop are its λ_B.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.frames import turn_to
from nsmb.multibody.assembly import Assembly
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.checks import marker_kinematics
from nsmb.multibody.joints import Free
from nsmb.multibody.parts import GROUND, ContourOnBody, JointRecord, Place, ShapeOnBody

__all__ = ["Acting", "JointWrench", "LoopWrench", "TreeWrench"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Acting:
    """State at one sample of a run, and all forces in addition to h."""

    t: float
    q: Array
    u: Array
    x: Array
    """Internal states of the system itself."""
    inputs: Array
    lambda_B: Array
    element_force: Mapping[str, float]
    """Forces of elements with switching, by name."""
    points: Sequence[tuple[str, str, Array, Array, Array]]
    """First shape, second shape, point, and force and moment on the second shape, in world axes."""
    rows: Mapping[str, tuple[float, Array]]
    """λ_N and λ_T of contacts without a position, which are joint stops and joint friction."""


class JointWrench:
    """Force and moment that a joint transmits, about the origin of its second frame."""

    def __init__(self, model: Blueprint, assembly: Assembly, record: JointRecord) -> None:
        self.bodies = record.first.body, record.second.body
        self._model, self._assembly, self._record = model, assembly, record

    def along(self, samples: Sequence[Mapping[str, Any]]) -> tuple[Array, Array, Array]:
        """Return forces, moments and origins of the second frame, (n, 3) each.

        Each sample has the fields of `Acting`."""
        acting = [Acting(**sample) for sample in samples]
        place = self._record.second
        wrenches = [self.wrench(now) for now in acting]
        points = [marker_kinematics(self._assembly, place, s.t, s.q, s.u).r for s in acting]
        force, moment = (np.array([w[k] for w in wrenches]).reshape(-1, 3) for k in range(2))
        return force, moment, np.array(points).reshape(-1, 3)

    def wrench(self, now: Acting) -> tuple[Array, Array]:
        """Return force (3,) in N and moment (3,) in N m on the second body, world axes."""
        raise NotImplementedError


class LoopWrench(JointWrench):
    """Wrench of a joint that closes a loop, from the forces of its constraint rows."""

    def wrench(self, now: Acting) -> tuple[Array, Array]:
        record, assembly = self._record, self._assembly
        turn = turn_to(record.joint._direction())
        markers = assembly._marker(record.first, turn), assembly._marker(record.second, turn)
        poses = assembly.core.marker_poses(now.t, now.q)
        (r_1, A_1), (r_2, A_2) = (poses[marker] for marker in markers)
        first = 0
        for loop in assembly.loops:
            if loop.name == record.name:
                break
            first += len(loop.joint.rows or ())
        force, moment = np.zeros(3), np.zeros(3)
        for stop in self._model.stops.values():
            if stop.joint != record.name:
                continue
            pushes = sum(d * now.rows[end][0] for end, _, d in stop.sides() if end in now.rows)
            names, units, _ = record.joint._names()
            if units[names.index(stop.coordinate)] == "rad":
                moment += pushes * A_1[:, 2]
            else:
                force += pushes * A_1[:, 2]
        for (kind, i, k), value in zip(
            record.joint.rows or (), now.lambda_B[first:].tolist(), strict=False
        ):
            if kind == "along":
                force += value * A_1[:, i]
            elif kind == "perpendicular":
                moment += value * _cross(A_2[:, k], A_1[:, i])
            elif kind == "distance":
                force += value * (r_2 - r_1) / np.linalg.norm(r_2 - r_1)
            else:
                raise ValueError(
                    f"joint {record.name!r}: force: must be read from a joint between two "
                    "points, got a joint on a curve. Use lambda_B, which is its normal force."
                )
        return force, moment


class TreeWrench(JointWrench):
    """Wrench of a tree joint, from a model in which a free joint replaces the joint."""

    def __init__(self, model: Blueprint, assembly: Assembly, record: JointRecord) -> None:
        super().__init__(model, assembly, record)
        self._whole = _Equations(assembly, model)
        cut, cut_model = _cut_at(model, record)
        self._cut = _Equations(cut, cut_model)
        self._inputs = [model.inputs.index(entry) for entry in cut_model.inputs]
        places = self._cut.assembly.coordinate_places.of
        self._kept_q = _kept(assembly.coordinates, places, record.name)
        self._kept_u = _kept(
            assembly.velocities, self._cut.assembly.velocity_places.of, record.name
        )
        self._free_q = [places[f"{record.name}.{own}"] for own in Free.coordinates]
        velocities = self._cut.assembly.velocity_places.of
        self._free_u = [velocities[f"{record.name}.{own}"] for own in Free.velocities]

    def wrench(self, now: Acting) -> tuple[Array, Array]:
        u_dot = self._whole.accelerations(now)
        places = self._record.first, self._record.second
        f, g = (marker_kinematics(self._assembly, p, now.t, now.q, now.u) for p in places)
        (a_f, alpha_f), (a_g, alpha_g) = (
            (k.J_S @ u_dot + k.j_bar_S, k.J_R @ u_dot + k.j_bar_R) for k in (f, g)
        )
        A_f, A_g, w_f, w_g = f.A, g.A, f.Omega, g.Omega
        d, v, a = g.r - f.r, g.v - f.v, a_g - a_f
        q, u, rate = (np.zeros(n) for n in self._cut.sizes)
        for kept, own, cut in (
            (self._kept_q, now.q, q), (self._kept_u, now.u, u), (self._kept_u, u_dot, rate),
        ):  # fmt: skip
            cut[kept[1]] = own[kept[0]]
        # Relative motion of the two frames in the coordinates of a free joint.
        q[self._free_q] = [*(A_f.T @ d), *_quaternion(A_f.T @ A_g)]
        u[self._free_u] = [*(A_f.T @ (v - _cross(w_f, d))), *(A_g.T @ (w_g - w_f))]
        turning = a - _cross(alpha_f, d) - 2.0 * _cross(w_f, v)
        turning += _cross(w_f, _cross(w_f, d))
        spinning = alpha_g - alpha_f + _cross(w_g, w_f)
        rate[self._free_u] = [*(A_f.T @ turning), *(A_g.T @ spinning)]
        there = dataclasses.replace(now, q=q, u=u, inputs=now.inputs[self._inputs])
        rest = self._cut.missing(there, rate)[self._free_u]
        return A_f @ rest[:3], A_g @ rest[3:]


class _Equations:
    """Equations of motion M u̇ = h + Q of a model, with the forces at one sample."""

    def __init__(self, assembly: Assembly, model: Blueprint) -> None:
        self.assembly = assembly
        self._core = assembly.core
        self._shapes: dict[str, ContourOnBody | ShapeOnBody] = {
            contour.label: contour for contour in model.contours.values()
        }
        self._shapes |= {shape.label: shape for shape in model.shapes.values()}
        self._tree = _multibody.TreeEvaluation(assembly.tree)
        self._contacts = {
            contact.name: k
            for k, contact in enumerate(assembly.contacts)
            if contact.name not in model.contacts
        }
        self._tangents = np.concatenate([[0], np.cumsum(assembly.core.tangents)])

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Number of coordinates, velocities and accelerations: nq, nu, nu."""
        return self._core.nq, self._core.nu, self._core.nu

    def accelerations(self, now: Acting) -> Array:
        """Return the accelerations u̇, (nu,)."""
        M = self._core.mass_matrix(now.t, now.q, now.inputs)
        return np.asarray(np.linalg.solve(M, self._forces(now)), dtype=np.float64)

    def missing(self, now: Acting, u_dot: Array) -> Array:
        """Return the residual M u̇ - h - Q, (nu,)."""
        M = self._core.mass_matrix(now.t, now.q, now.inputs)
        result: Array = M @ u_dot - self._forces(now)
        return result

    def _forces(self, now: Acting) -> Array:
        t, q, u = now.t, now.q, now.u
        h = np.array(self._core.forces(t, q, u, now.x, now.inputs))
        if now.lambda_B.size:
            h += self._core.constraint_kinematics(t, q, u)["W"] @ now.lambda_B
        elements = [now.element_force[name] for name in self._core.element_names]
        if elements:
            h += self._core.element_kinematics(t, q)["W"] @ elements
        loads = []
        for first, second, point, force, moment in now.points:
            for shape, sign in ((first, -1.0), (second, 1.0)):
                for name, place, share in self._carriers(shape, point, now):
                    loads.append((name, place, sign * share * force, sign * share * moment))
        if loads:
            h += self._tree.forces(t, q, u, loads) - self._tree.forces(t, q, u)
        if any(name in self._contacts for name in now.rows):
            k = self._core.contact_kinematics(t, q, u)
            for name, (lambda_N, lambda_T) in now.rows.items():
                column = self._contacts.get(name)
                if column is None:
                    continue
                tangents = slice(self._tangents[column], self._tangents[column + 1])
                h += k["W_N"][:, column] * lambda_N + k["W_T"][:, tangents] @ lambda_T
        return h

    def _carriers(self, shape: str, point: Array, now: Acting) -> list[tuple[str, Array, float]]:
        """Return the core bodies that carry the load on a shape, its point of action, and shares.

        They are the section of an elastic body that holds the shape, or the two nodes of a boundary
        next to the point.
        """
        held = self._shapes[shape]
        if held.place.body == GROUND:
            return []
        nodes = held.nodes if isinstance(held, ContourOnBody) else ()
        if not nodes:
            return [(self._section(held.place), point, 1.0)]
        corners = np.array(
            [marker_kinematics(self.assembly, node, now.t, now.q, now.u).r for node in nodes]
        )
        sides = np.roll(corners, -1, axis=0) - corners
        squares = np.maximum((sides * sides).sum(axis=1), np.finfo(np.float64).tiny)
        along = np.clip(((point - corners) * sides).sum(axis=1) / squares, 0.0, 1.0)
        distances = np.linalg.norm(corners + along[:, None] * sides - point, axis=1)
        k = int(np.argmin(distances))
        pair = ((k, 1.0 - along[k]), ((k + 1) % len(nodes), along[k]))
        return [(self._section(nodes[i]), corners[i], float(share)) for i, share in pair]

    def _section(self, place: Place) -> str:
        sections = self.assembly.sections
        return sections.name(sections.locate(place)[0])


def _cut_at(model: Blueprint, record: JointRecord) -> tuple[Assembly, Blueprint]:
    """Return the model with a free joint in place of one joint.

    Forces on the joint are removed, and so are contacts between bodies, whose forces are known."""
    name = record.name

    def is_own(coordinate: str) -> bool:
        return coordinate.partition(".")[0] == name

    mixed = [
        each.name
        for each in model.elements.values()
        if any(map(is_own, each.coordinates)) and not all(map(is_own, each.coordinates))
    ]
    if mixed:
        raise ValueError(
            f"joint {name!r}: force: must be read from a joint whose force elements act on no "
            f"other joint, got force element {mixed[0]!r} on several joints. Let it act on the "
            "bodies instead: give add_user_force its places, not coordinates."
        )
    cut = copy.copy(model)
    cut.joints = dict(model.joints)
    cut.joints[name] = JointRecord(name, Free(), record.first, record.second)
    cut.contacts, cut.surface_contacts, cut.surface_laws = {}, {}, {}
    cut.laws = {k: v for k, v in model.laws.items() if not is_own(v.coordinate)}
    cut.switches = {k: v for k, v in model.switches.items() if not is_own(v.coordinate)}
    cut.elements = {k: v for k, v in model.elements.items() if not any(map(is_own, v.coordinates))}
    cut.frictions = {k: v for k, v in model.frictions.items() if not is_own(v.velocity)}
    cut.stops = {k: v for k, v in model.stops.items() if v.joint != name}
    return Assembly(cut), cut


def _cross(a: Array, b: Array) -> Array:
    """Return a × b of two vectors, faster than numpy.cross for a single pair."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def _kept(
    names: Sequence[str], places: Mapping[str, int], joint: str
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the indices of the components of all other joints before and after the cut."""
    own = [k for k, name in enumerate(names) if name.partition(".")[0] != joint]
    return np.array(own, dtype=np.intp), np.array([places[names[k]] for k in own], dtype=np.intp)


def _quaternion(A: Array) -> Array:
    """Return the quaternion (w, x, y, z) of a rotation, starting from its largest component."""
    trace = np.trace(A)
    squares = np.array([1.0 + trace, *(1.0 - trace + 2.0 * np.diag(A))])
    k = int(np.argmax(squares))
    q = np.empty(4)
    if k == 0:
        q[:] = 1.0 + trace, A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]
    else:
        i = k - 1
        j, m = (i + 1) % 3, (i + 2) % 3
        q[0] = A[m, j] - A[j, m]
        q[1 + i] = squares[k]
        q[1 + j], q[1 + m] = A[i, j] + A[j, i], A[i, m] + A[m, i]
    result: Array = q / np.linalg.norm(q)
    return result
