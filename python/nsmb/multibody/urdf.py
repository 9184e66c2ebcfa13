"""Robots from URDF files, read by yourdfpy."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.common.frames import Frame, turn_to
from nsmb.geometry import Box, Cylinder, Sphere, TriangleMesh
from nsmb.geometry.shapes.base import Shape
from nsmb.geometry.shapes.mesh_files import read_mesh
from nsmb.multibody.handles import Body
from nsmb.multibody.joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from nsmb.multibody.parts import ModelWarning
from nsmb.multibody.urdf_check import check_urdf
from nsmb.multibody.urdf_meshes import MeshFolder
from nsmb.system.contact_laws import ContactLaw

__all__ = ["read_urdf"]


class Receiver(Protocol):
    """The interface of the model to be filled; see `nsmb.Model`."""

    name: str
    ground: Body

    @property
    def add_body(self) -> Callable[..., Body]: ...
    @property
    def add_joint(self) -> Callable[..., object]: ...
    @property
    def add_stop(self) -> Callable[..., object]: ...
    @property
    def add_torsion_spring(self) -> Callable[..., object]: ...
    @property
    def add_joint_friction(self) -> Callable[..., object]: ...


M = TypeVar("M", bound=Receiver)


def read_urdf(
    model: M,
    path: str | os.PathLike[str],
    base: Joint,
    stops: ContactLaw | None,
    meshes: MeshFolder | None,
) -> M:
    """Return `model` with the links and joints of the file, whose root joins the ground.

    Collision shapes are omitted if `meshes` is None.
    """
    yourdfpy = import_extra("yourdfpy", "io")
    content = io.BytesIO(check_urdf(path))
    try:
        robot = yourdfpy.URDF.load(
            content, build_scene_graph=False, load_meshes=False, load_collision_meshes=False
        ).robot
    except Exception as error:  # in parts that are not imported, such as materials
        raise ValueError(
            f"path: {os.fspath(path)!r} cannot be read ({type(error).__name__}: {error})"
        ) from None
    model.name = robot.name
    bodies = {link.name: _add_link(model, link) for link in robot.links}
    left_out: dict[str, str] = {}  # links with invalid meshes, and the reason
    if meshes is not None:
        for link in robot.links:
            _add_shapes(bodies[link.name], link, meshes, left_out)
    children = {joint.child for joint in robot.joints}
    roots = [name for name in bodies if name not in children]
    if len(roots) != 1:
        raise ValueError(f"links: must have one root, got {', '.join(roots) or 'none'}")
    model.add_joint("base", base, model.ground, bodies[roots[0]])
    for joint in robot.joints:
        if joint.mimic is not None:
            raise ValueError(f"joint {joint.name!r}: must not mimic another joint")
        kind, turn = _joint(joint)
        origin = np.eye(4) if joint.origin is None else np.asarray(joint.origin)
        frame = Frame(origin[:3, 3], origin[:3, :3] @ turn)
        model.add_joint(
            joint.name.replace(".", "_"),
            kind,
            bodies[joint.parent],
            bodies[joint.child],
            at=frame,
            at_2=Frame(A=turn),
        )
        _add_losses(model, joint, joint.name.replace(".", "_"), kind)
        if stops is not None and _is_limited(joint):
            _add_stop(model, joint, joint.name.replace(".", "_"), stops)
    _warn_left_out(robot, stops is None, meshes is not None, left_out)
    return model


def _is_limited(joint: Any) -> bool:
    return joint.limit is not None and joint.type in ("revolute", "prismatic")


def _limit(what: str, value: Any) -> float:
    """Return a number from a value that the reader leaves as text."""
    try:
        return float(value)
    except ValueError:
        raise ValueError(f"{what}: expected a number, got {value!r}") from None


def _add_stop(model: Receiver, joint: Any, name: str, law: ContactLaw) -> None:
    limits = {}
    for end in ("lower", "upper"):
        value = getattr(joint.limit, end)
        what = f"joint {joint.name!r}: limit {end}"
        limits[end] = 0.0 if value is None else _limit(what, value)  # default of URDF
    if not limits["lower"] < limits["upper"]:
        raise ValueError(
            f"joint {joint.name!r}: limit: expected lower < upper, got {limits['lower']} and "
            f"{limits['upper']}; stops=None leaves limits out"
        )
    model.add_stop(name, limits["lower"], limits["upper"], law, name=f"limit of {name}")


def _add_losses(model: Receiver, joint: Any, name: str, kind: Joint) -> None:
    """Add damping and dry friction of a joint with one coordinate."""
    if joint.dynamics is None:
        return
    losses = {}
    for part in ("damping", "friction"):
        value = getattr(joint.dynamics, part)
        what = f"joint {joint.name!r}: {part}"
        losses[part] = 0.0 if value is None else _number(what, value)
        if losses[part] > 0.0 and len(kind._names()[0]) != 1:
            raise ValueError(f"{what}: expected a joint with one coordinate, got {joint.type!r}")
    if losses["damping"] > 0.0:
        model.add_torsion_spring(f"damping of {name}", name, c=0.0, d=losses["damping"])
    if losses["friction"] > 0.0:
        model.add_joint_friction(f"friction of {name}", name, losses["friction"])


def _number(what: str, value: Any) -> float:
    """Return a number >= 0 from a value that the reader leaves as text."""
    try:
        number = float(value)
    except ValueError:
        number = np.nan
    if not 0.0 <= number < np.inf:
        raise ValueError(f"{what}: expected a number >= 0, got {value!r}")
    return number


def _shape(what: str, geometry: Any) -> Shape | None:
    """Return the shape, or None for a mesh."""
    try:
        if geometry.sphere is not None:
            return Sphere(float(geometry.sphere.radius))
        if geometry.box is not None:
            return Box(np.asarray(geometry.box.size, dtype=np.float64))
        if geometry.cylinder is not None:
            return Cylinder(float(geometry.cylinder.radius), float(geometry.cylinder.length))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: {error}") from None
    return None


def _mesh(mesh: Any, meshes: MeshFolder) -> TriangleMesh:
    path = meshes.find(str(mesh.filename))
    vertices, triangles = read_mesh(path, 1.0, meshes.max_bytes, "max_mesh_bytes")
    scale = np.ones(3) if mesh.scale is None else np.asarray(mesh.scale, dtype=np.float64)
    scale = np.broadcast_to(scale, (3,))
    if np.prod(scale) < 0.0:  # a mirror reverses the orientation of triangles
        triangles = triangles[:, ::-1]
    return TriangleMesh(scale * vertices, triangles)


def _add_shapes(body: Body, link: Any, meshes: MeshFolder, left_out: dict[str, str]) -> None:
    """Add the shapes of a link, named as in the file or by index."""
    for k, collision in enumerate(link.collisions):
        name = collision.name or f"collision {k}"
        shape = _shape(f"link {link.name!r}: {name!r}", collision.geometry)
        if shape is None and collision.geometry.mesh is not None:
            try:
                shape = _mesh(collision.geometry.mesh, meshes)
            except (OSError, ValueError) as error:
                left_out.setdefault(link.name, f"{name!r} of {link.name!r}: {error}")
        if shape is None:
            continue
        origin = np.eye(4) if collision.origin is None else np.asarray(collision.origin)
        body.shape(name, shape, Frame(origin[:3, 3], origin[:3, :3]))


def _warn_left_out(
    robot: Any, without_limits: bool, with_shapes: bool, meshes: dict[str, str]
) -> None:
    limited = [j.name for j in robot.joints if without_limits and _is_limited(j)]
    shaped = [link.name for link in robot.links if link.collisions and not with_shapes]
    for what, names, remedy in (
        ("limits of joints", limited, "them with stops=nsmb.ContactLaw()"),
        ("collision shapes of links", shaped, "them with shapes=True, or add gap forces"),
        (
            "collision meshes of links",
            list(meshes),
            f"hulls or simpler shapes with Body.shape ({'; '.join(meshes.values())})",
        ),
    ):
        if names:
            warnings.warn(
                f"{what} are omitted: {', '.join(names)}. Add {remedy}.",
                ModelWarning,
                stacklevel=4,
            )


def _add_link(model: Receiver, link: Any) -> Body:
    inertial = link.inertial
    if inertial is None:
        return model.add_body(link.name)
    origin = np.eye(4) if inertial.origin is None else np.asarray(inertial.origin)
    A = origin[:3, :3]
    inertia = np.zeros((3, 3)) if inertial.inertia is None else np.asarray(inertial.inertia)
    return model.add_body(
        link.name,
        mass=inertial.mass or 0.0,
        inertia=A @ inertia @ A.T,
        center=origin[:3, 3],
    )


def _joint(joint: Any) -> tuple[Joint, NDArray[np.float64]]:
    """Return the joint, and the rotation of its frames relative to those of the file."""
    axis = np.array([1.0, 0.0, 0.0]) if joint.axis is None else np.asarray(joint.axis, float)
    if joint.type in ("revolute", "continuous"):
        return Revolute(tuple(axis)), np.eye(3)
    if joint.type == "prismatic":
        return Prismatic(tuple(axis)), np.eye(3)
    if joint.type == "fixed":
        return Fixed(), np.eye(3)
    if joint.type == "floating":
        return Free(), np.eye(3)
    if joint.type == "planar":
        return Planar(), turn_to(axis / np.linalg.norm(axis))
    raise ValueError(
        f"joint {joint.name!r}: expected revolute, continuous, prismatic, fixed, floating or "
        f"planar, got {joint.type!r}"
    )
