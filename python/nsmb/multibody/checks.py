"""Checks of a model before simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.frames import turn_to
from nsmb.geometry.contours.base import Contour
from nsmb.geometry.contours.curves import Line
from nsmb.geometry.contours.polygons import Polygon, Polyline
from nsmb.multibody.assembly import Assembly
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.motion import MOTION_TIMES, check_motion
from nsmb.multibody.overlap import overlap, region
from nsmb.multibody.parts import ContactRecord, ContourOnBody, Place

__all__ = [
    "check_branches",
    "check_inertia",
    "check_motions",
    "check_names",
    "check_penetration",
    "check_planes",
    "marker_kinematics",
]

Array = NDArray[np.float64]
_PLANE = 1e-9  # rad, and m per m of the scene
_PENETRATION = 1e-9  # m, rounding tolerated by a simulation


def marker_kinematics(
    assembly: Assembly, place: Place, t: float, q: Array, u: Array
) -> _multibody.MarkerKinematics:
    number, frame = assembly.sections.locate(place)
    body = assembly.sections.name(number)
    return _multibody.TreeEvaluation(assembly.tree).marker(t, q, u, body, frame._core())


def check_inertia(assembly: Assembly, t: float, q: Array) -> None:
    """Check that M is regular."""
    tree = assembly.tree
    _, massless = _multibody.TreeEvaluation(tree).solve_inertia(t, q, np.zeros((tree.nu, 0)))
    if massless >= 0:
        joint = assembly.joint_of_velocity[massless]
        raise ValueError(
            f"body {joint.second.body!r}: expected inertia in all directions of joint "
            f"{joint.name!r}, got none along {assembly.velocities[massless]!r} at the start"
        )


def check_names(**given: object) -> None:
    """Check that each argument is a mapping from names, or None."""
    for argument, values in given.items():
        if values is not None and not isinstance(values, Mapping):
            raise ValueError(
                f"{argument}: expected a mapping from names to numbers, as {{'hinge': 0.3}}, got "
                f"{values!r}"
            )


def check_branches(assembly: Assembly, t: float, q: Array) -> None:
    """Check that axes kept parallel by loops do not point in opposite directions.

    The closing condition e_kᵀ e_l = 0 of other axes does not exclude this.
    """
    for loop in assembly.loops:
        turn = turn_to(loop.joint._direction())
        first, second = (
            marker_kinematics(assembly, place, t, q, np.zeros(assembly.tree.nu)).A @ turn
            for place in (loop.first, loop.second)
        )
        for k in loop.joint._parallel():
            product = float(first[:, k] @ second[:, k])
            if product < 0.5:  # 1 if closed as intended, otherwise at most 0
                raise ValueError(
                    f"loop {loop.name!r}: must have frames whose e_{'xyz'[k]} point in the same "
                    f"direction, got e·e = {product:.3g} after closing it. Pass a better "
                    "`guess`, or rotate one of its frames."
                )


def check_motions(model: Blueprint, start: float) -> None:
    """Check prescribed motions after the start, if it is not t = 0."""
    for record in model.joints.values() if start != 0.0 else ():
        names = record.joint._names()[0]
        for k, s, _ in record.motions:
            coordinate = f"{record.name}.{names[k]}" if names[k] else record.name
            check_motion(f"motion of {coordinate!r}", s, start)


def check_planes(assembly: Assembly, model: Blueprint, t: float, q: Array, u: Array) -> None:
    """Check that the planes of contours that may touch coincide, and remain coincident."""
    for contact in model.contacts.values():
        first, second = (
            marker_kinematics(assembly, contour.place, t, q, u)
            for contour in (contact.first, contact.second)
        )
        d = second.r - first.r
        size = 1.0 + float(np.linalg.norm(d))
        tilt = float(np.linalg.norm(np.cross(first.A[:, 2], second.A[:, 2])))
        offset = float(first.A[:, 2] @ d)
        upright = first.A[:, 2] @ second.A[:, 2] > 0.0
        labels = f"{contact.first.label!r} and {contact.second.label!r}"
        if tilt > _PLANE or not upright or abs(offset) > _PLANE * size:
            raise ValueError(
                f"contact {contact.name!r}: expected contours in one plane with the same e_z, got "
                f"{labels} with {offset:.3g} m between their planes and e_z·e_z = "
                f"{first.A[:, 2] @ second.A[:, 2]:.6g}"
            )
        leaving = _out_of_plane(assembly, first, second, t, q, u)
        if leaving > _PLANE * size:
            raise ValueError(
                f"contact {contact.name!r}: expected contours that stay in one plane, got "
                f"{labels}, whose joints let them leave it"
            )
        _check_driven(assembly, contact, t, q)


def _check_driven(assembly: Assembly, contact: ContactRecord, t: float, q: Array) -> None:
    """Check that prescribed motion alone does not lead out of the plane."""
    # At later times, the coordinates given at the start no longer close loops.
    times = [t] if assembly.rows else [t, *(t + dt for dt in MOTION_TIMES)]
    for time in times:
        u: Array = np.zeros(assembly.tree.nu)
        if assembly.rows:
            k = assembly.core.constraint_kinematics(time, q, u)
            u = np.asarray(-np.linalg.lstsq(k["W"].T, k["w_tilde"], rcond=1e-10)[0], float)
        first, second = (
            marker_kinematics(assembly, contour.place, time, q, u)
            for contour in (contact.first, contact.second)
        )
        d, e_z = second.r - first.r, first.A[:, 2]
        turn = second.Omega - first.Omega
        leaving = abs(float(e_z @ (second.v - first.v - np.cross(first.Omega, d))))
        tilting = float(np.linalg.norm(turn - e_z * (e_z @ turn)))
        speeds = np.abs([first.v, second.v, first.Omega, second.Omega])
        fastest = float(speeds.max()) * (1.0 + float(np.linalg.norm(d)))
        if max(leaving, tilting) > _PLANE * fastest:
            raise ValueError(
                f"contact {contact.name!r}: expected contours that stay in one plane, got "
                f"{contact.first.label!r} and {contact.second.label!r}, which a prescribed motion "
                f"moves out of it with {leaving:.3g} m/s and {tilting:.3g} rad/s at t = {time:.6g}"
            )


def _out_of_plane(
    assembly: Assembly,
    first: _multibody.MarkerKinematics,
    second: _multibody.MarkerKinematics,
    t: float,
    q: Array,
    u: Array,
) -> float:
    """Return the largest relative velocity out of the plane, for unit velocities loops allow."""
    d, (e_x, e_y, e_z) = second.r - first.r, first.A.T
    turn = second.J_R - first.J_R
    rows = np.array([e_x @ turn, e_y @ turn, e_z @ (second.J_S - first.J_S)])
    rows[2] -= np.cross(first.J_R.T, d) @ e_z
    if assembly.rows:
        W = assembly.core.constraint_kinematics(t, q, u)["W"]
        left, s, _ = np.linalg.svd(W)
        rank = int(np.sum(s > 1e-10 * s.max(initial=0.0)))
        rows = rows @ left[:, rank:]
    return float(np.abs(rows).max(initial=0.0))


def check_penetration(
    assembly: Assembly, model: Blueprint, t: float, q: Array, u: Array, of_shapes: float
) -> None:
    """Check that nothing penetrates at the start, and shapes by no more than `of_shapes`."""
    _check_shapes(assembly, model, t, q, u, of_shapes)
    if not model.contacts and not model.stops and not model.surface_contacts:
        return
    k = assembly.core.contact_kinematics(t, q, u)
    slot = 0
    for contact in model.contacts.values():
        rows = slice(slot, slot + contact.points)
        slot += contact.points
        depth = -float(np.min(k["g_N"][rows][k["valid"][rows]], initial=np.inf))
        if depth > _PENETRATION:
            raise ValueError(
                f"contact {contact.name!r}: must have separate bodies at the start, got a "
                f"penetration of {depth:.6g} m. {_remedy(assembly, model, contact, t, q, u)}"
            )
        _check_overlap(assembly, model, contact, t, q, u)
    for stop in model.stops.values():
        for name, limit, direction in stop.sides():
            beyond = -float(k["g_N"][slot])
            slot += 1
            if beyond > _PENETRATION:
                raise ValueError(
                    f"contact {name!r}: must start within the limits, got "
                    f"{limit - direction * beyond:.6g} with the limit {limit:.6g}. Change "
                    "`initial`, or pass an initial state."
                )
    slot += len(model.frictions)
    gaps = k["g_N"][slot : slot + len(model.surface_contacts)].tolist()
    for name, g_N in zip(model.surface_contacts, gaps, strict=True):
        if -g_N > _PENETRATION:
            raise ValueError(
                f"contact {name!r}: must have separate bodies at the start, got a penetration of "
                f"{-g_N:.6g} m. Change `initial`, or pass an initial state."
            )


def _check_shapes(
    assembly: Assembly, model: Blueprint, t: float, q: Array, u: Array, allowed: float
) -> None:
    if not model.surface_laws or not model.shapes or allowed == np.inf:
        return
    found = _multibody.find_contacts(assembly.core, t, q, u)
    if not len(found["g_N"]):
        return
    worst = int(np.argmin(found["g_N"]))
    depth = -float(found["g_N"][worst])
    if depth > allowed:
        labels = [shape.label for shape in model.shapes.values()]
        first, second = (labels[int(found[side][worst])] for side in ("shape_1", "shape_2"))
        count = int((found["g_N"] < -allowed).sum())
        others = f", the deepest of {count} contacts" if count > 1 else ""
        raise ValueError(
            f"shapes {first!r} and {second!r}: must be separate at the start, got a penetration "
            f"of {depth:.6g} m{others}. Change `initial`, let them pass with Model.let_pass, or "
            "allow it with `penetration`."
        )


def _check_overlap(
    assembly: Assembly, model: Blueprint, contact: ContactRecord, t: float, q: Array, u: Array
) -> None:
    """Check that bodies do not overlap so deeply that contact points are no longer found."""
    depth = overlap_depth(assembly, model, contact, t, q, u)
    if depth > _PENETRATION:
        raise ValueError(
            f"contact {contact.name!r}: must have separate bodies at the start, got "
            f"{contact.first.label!r} and {contact.second.label!r} that overlap by at least "
            f"{depth:.3g} m, more than the skin of {contact.skin:.3g} m. "
            f"{_remedy(assembly, model, contact, t, q, u)}"
        )


def _remedy(
    assembly: Assembly, model: Blueprint, contact: ContactRecord, t: float, q: Array, u: Array
) -> str:
    """Return advice to separate the bodies: reverse a line, if that does."""
    for side in ("first", "second"):
        contour = getattr(contact, side)
        if not isinstance(contour.contour, Line):
            continue
        back = (-contour.contour.direction[0], -contour.contour.direction[1])
        turned = replace(contour, contour=replace(contour.contour, direction=back))
        if overlap_depth(assembly, model, replace(contact, **{side: turned}), t, q, u) == 0.0:
            return (
                f"{contour.label!r} seems to have the wrong direction. A body is on the left of "
                f"its line. Pass direction={back}."
            )
    return "Change `initial`, or pass an initial state."


def overlap_depth(
    assembly: Assembly, model: Blueprint, contact: ContactRecord, t: float, q: Array, u: Array
) -> float:
    """Return a lower bound of the overlap depth of the bodies of a contact, m."""
    plane = marker_kinematics(assembly, contact.first.place, t, q, u)
    regions = []
    for contour in (contact.first, contact.second):
        body = [contour] + [
            c for c in model.contours.values() if c.place.body == contour.place.body
        ]
        parts = []
        for part in body:
            k = marker_kinematics(assembly, part.place, t, q, u)
            in_plane = plane.A[:, :2].T @ (k.r - plane.r), plane.A[:, :2].T @ k.A[:, :2]
            parts.append((_as_it_is(assembly, part, k, t, q, u), *in_plane))
        regions.append(region(parts[0], parts[1:]))
    return overlap(*regions)


def _as_it_is(
    assembly: Assembly,
    contour: ContourOnBody,
    frame: _multibody.MarkerKinematics,
    t: float,
    q: Array,
    u: Array,
) -> Contour:
    """Return the contour, deformed if it can deform."""
    if not contour.nodes:
        return contour.contour
    nodes = [marker_kinematics(assembly, place, t, q, u).r - frame.r for place in contour.nodes]
    corners = np.array(nodes) @ frame.A[:, :2]
    is_closed = isinstance(contour.contour, Polygon)
    return Polygon(corners) if is_closed else Polyline(corners)
