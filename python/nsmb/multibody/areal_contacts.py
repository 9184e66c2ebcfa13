"""Elastic foundations of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from nsmb.common.arguments import in_range, left_out, one_of, positive
from nsmb.geometry.shapes.triangles import TriangleMesh
from nsmb.multibody.areal import (
    ElasticLayer,
    ElasticSurface,
    FoundationForce,
    series_stiffness,
)
from nsmb.multibody.frames import Frame
from nsmb.multibody.parts import Body, ElementRecord, Marker, Place
from nsmb.multibody.surfaces import Surfaces

__all__ = ["ArealContacts"]


class ArealContacts(Surfaces):
    """The part of :class:`Model` that is about pressure over areas."""

    def add_elastic_foundation(
        self,
        name: str,
        body_1: Body | Marker,
        surface_1: TriangleMesh | ElasticSurface,
        body_2: Body | Marker,
        surface_2: TriangleMesh | ElasticSurface,
        *,
        stiffness: float | None = None,
        layers: Sequence[ElasticLayer | None] | None = None,
        damping: float | None = None,
        transition_depth: float | None = None,
        mu: float | None = None,
        switch_velocity: float | None = None,
        elements: Literal["clipped", "barycentre"] = "clipped",
        base: Literal["both", "first", "second"] = "both",
        velocity: Literal["barycentric", "average"] = "barycentric",
        depth: float = 0.0,
        at: Frame | ArrayLike | None = None,
        at_2: Frame | ArrayLike | None = None,
    ) -> None:
        """Contact of two closed meshes as a pressure over an area, by an elastic layer.

        The pressure is c_l δ with the depth δ at which one surface is in the layer of the other
        one; damping d_l v_n grows with the depth up to `transition_depth`; there is no tension;
        friction is μ times the normal force against the sliding velocity, less below
        `switch_velocity`, (6.1)-(6.8). What acts at an instant says
        :meth:`MultibodySystem.areal_contact`.

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The bodies and where the frames of their meshes are, as for :meth:`add_joint`. Surfaces
            that deform are in the frame of their body.
        surface_1, surface_2 : nsmb.geometry.TriangleMesh or ElasticSurface
            Closed, not intersecting themselves.
        stiffness : float
            c_l, N/m³; or
        layers : two of ElasticLayer, or None for a rigid body
            of which it follows, (6.2), (6.3).
        damping : float, optional
            d_l, N s/m³, by default none.
        transition_depth : float, optional
            δ_d, m, by default 0; only with `damping`.
        mu : float, optional
            Friction coefficient μ, by default none.
        switch_velocity : float, optional
            v_ε, by default 1e-3 m/s; only with `mu`.
        elements : {"clipped", "barycentre"}
            The base clipped at the cells of the layer, pressure integrated exactly: force and
            moment are continuous in the motion, and the layer has an energy. Or whole triangles of
            the base whose middle is in the target, by the line through it: the force jumps where
            triangles come and go.
        base : {"both", "first", "second"}
            Whose triangles are the elements; both: half of each, symmetric in the bodies.
        velocity : {"barycentric", "average"}
            Of points of a surface that deforms: by area coordinates, conjugate to the forces; or
            the mean of what its three vertices say (6.11)-(6.14).
        depth : float
            m, of the layer: bodies may be in each other by so much, what is deeper is lost. 0: for
            each mesh half of its volume over its area, a quarter of the thickness of a plate.

        Raises
        ------
        ValueError
            For a name given twice, meshes that are open, inside out or intersect themselves, the
            message says where; surfaces of other bodies, and numbers that are none.

        Examples
        --------
        A box of 2 kg on one that stands still:

        >>> import nsmb
        >>> box = nsmb.geometry.box_mesh((1.0, 1.0, 1.0))
        >>> m = nsmb.Model(gravity=(0, 0, -10.0))
        >>> body = m.add_body("body", mass=2.0, inertia=(1.0, 1.0, 1.0))
        >>> m.add_joint("free", nsmb.joints.Free(), m.ground, body)
        >>> m.add_elastic_foundation("layer", m.ground, box, body, box, stiffness=2e5)
        >>> system = m.build(initial={"free": (0, 0, 1 - 1e-4, 1, 0, 0, 0)})
        >>> start = system.initial_state
        >>> contact = system.areal_contact("layer", 0.0, start.q, start.u)
        >>> f"{-contact.force[2]:.2f} N on {contact.area:.3f} m²"
        '20.00 N on 1.000 m²'
        """
        what = self._new_name("elastic foundation", name)
        if (stiffness is None) == (layers is None):
            raise ValueError(f"{what}: expected a stiffness or layers, got both or none")
        if damping is None:
            left_out(f"{what}: transition_depth", transition_depth, "without damping",
                     "Give damping, too.")  # fmt: skip
        if mu is None:
            left_out(f"{what}: switch_velocity", switch_velocity, "without friction",
                     "Give mu, too.")  # fmt: skip
        places = self._place(body_1, at), self._place(body_2, at_2, 0.0, "at_2")
        try:
            element = _foundation(
                (surface_1, surface_2),
                series_stiffness(layers) if layers is not None else stiffness,
                {
                    "damping": 0.0 if damping is None else damping,
                    "transition_depth": 0.0 if transition_depth is None else transition_depth,
                    "mu": 0.0 if mu is None else mu,
                },
                1e-3 if switch_velocity is None else switch_velocity,
                depth,
                (
                    one_of("elements", elements, ("clipped", "barycentre")),
                    one_of("base", base, ("both", "first", "second")),
                    one_of("velocity", velocity, ("barycentric", "average")),
                ),
                places[0].body == places[1].body,
            )
            moved = (at is not None or isinstance(body_1, Marker),
                     at_2 is not None or isinstance(body_2, Marker))  # fmt: skip
            coordinates = self._surface_coordinates(element, places, moved)
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None
        self._elements[name] = ElementRecord(name, element, places, coordinates)

    def _surface_coordinates(
        self, element: FoundationForce, places: tuple[Place, Place], moved: tuple[bool, bool]
    ) -> tuple[str, ...]:
        """Elastic coordinates of both bodies; of one body once."""
        found: dict[str, None] = {}
        for k, (place, side) in enumerate(zip(places, element.sides, strict=True)):
            if side.count == 0:
                continue
            elastic = self._elastic.get(place.body)
            count = 0 if elastic is None else elastic.count
            if count != side.count:
                raise ValueError(
                    f"surface_{k + 1}: expected one of {place.body!r} with {count} elastic "
                    f"coordinates, got one with {side.count}"
                )
            if getattr(elastic, "stiffening", None) is not None:
                raise ValueError(
                    f"body_{k + 1}: expected a body without stiffening, got {place.body!r}"
                )
            if moved[k]:
                raise ValueError(
                    f"surface_{k + 1}: expected the surface of {place.body!r} in its own frame, "
                    "got a place"
                )
            found |= {f"{place.body}.q{i + 1}": None for i in range(count)}
        return tuple(found)


def _foundation(
    surfaces: tuple[Any, Any],
    stiffness: Any,
    numbers: dict[str, Any],
    switch_velocity: float,
    depth: float,
    choices: tuple[str, str, str],
    same_body: bool,
) -> FoundationForce:
    deep = in_range("depth", depth, 0.0)
    checked = {name: in_range(name, value, 0.0) for name, value in numbers.items()}
    checked["stiffness"] = positive("stiffness", stiffness)
    checked["switch_velocity"] = positive("switch_velocity", switch_velocity)
    return FoundationForce(surfaces, deep, checked, choices, same_body)
