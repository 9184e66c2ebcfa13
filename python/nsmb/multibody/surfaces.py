"""Shapes of models: which of them touch, by which law, and contacts of pairs of them."""

from __future__ import annotations

from nsmb.common.arguments import in_range
from nsmb.multibody.parts import Body, ShapeOnBody, SurfaceRecord
from nsmb.multibody.places import Places
from nsmb.multibody.smooth_pairs import surface_contacts
from nsmb.system.contact_laws import ContactLaw, as_contact_law

__all__ = ["Surfaces"]


class Surfaces(Places):
    """The part of :class:`Model` that is about shapes that may touch anywhere."""

    def collide(
        self,
        law: ContactLaw | None = ContactLaw(),  # noqa: B008 - immutable
        materials: tuple[str, str] | None = None,
        *,
        mu_R: float = 0.0,
        mu_D: float = 0.0,
    ) -> None:
        """The law of shapes of :meth:`Body.shape` that touch each other.

        Shapes touch where two materials have a law. Those of one body do not, nor those of two
        bodies that a joint other than Free and Planar joins, unless :meth:`let_touch` says so; the
        ground touches all that is not fixed to it. Stops, dry friction in joints and contacts of
        :meth:`add_contact` may be in the same model.

        Such a model runs event by event, or in steps by :class:`nsmb.Midpoint`. For events each
        pair of shapes gets contact points with names, ``"body.shape-other.shape[0]"``, ... in
        ``Solution.system``. Cylinders that touch anything but half-spaces and spheres, resistance
        to rolling and drilling, and very many shapes need steps; the error says so.

        Parameters
        ----------
        law : ContactLaw or None
            None: these two materials pass through each other.
        materials : (str, str), optional
            Names as given to :meth:`Body.shape`, in any order; may be the same. Default: all pairs
            that have no law of their own.
        mu_R, mu_D : float
            m, resistance to rolling and to drilling: moments up to ``mu_R`` and ``mu_D`` times the
            normal force.

        Raises
        ------
        ValueError
            For something else than a law, and materials with two laws.

        Examples
        --------
        A ball on the ground:

        >>> import nsmb
        >>> m = nsmb.Model(gravity=(0, 0, -9.81))
        >>> ball = m.add_solid("ball", nsmb.geometry.Sphere(0.1), density=1000.0)
        >>> m.add_joint("free", nsmb.joints.Free(), m.ground, ball)
        >>> _ = m.ground.shape("floor", nsmb.geometry.HalfSpace())
        >>> m.collide(nsmb.ContactLaw(mu=0.3))
        >>> system = m.build(initial={"free": (0, 0, 0.1, 1, 0, 0, 0)})
        >>> system.find_contacts(0.0, system.initial_state.q).shapes
        (('ground.floor', 'ball.solid'),)
        >>> nsmb.simulate(system, t_end=0.1).system.contact_names
        ('ground.floor-ball.solid',)
        """
        if law is not None:
            law = as_contact_law("law", law)
        key = None
        if materials is not None:
            is_pair = isinstance(materials, (tuple, list))
            names = tuple(materials) if is_pair else ()
            if len(names) != 2 or not all(isinstance(name, str) for name in names):
                raise ValueError(f"materials: expected two names, got {materials!r}")
            key = (min(names), max(names))
        if key in self._surface_laws:
            what = "all materials" if key is None else f"{key[0]!r} and {key[1]!r}"
            raise ValueError(f"materials: expected one law for {what}, got a second one")
        self._surface_laws[key] = SurfaceRecord(
            law, in_range("mu_R", mu_R, 0.0), in_range("mu_D", mu_D, 0.0)
        )

    def let_pass(self, first: Body | str, second: Body | str) -> None:
        """Shapes of two bodies, or of two groups, pass through each other.

        Parameters
        ----------
        first, second : Body or str
            Bodies, ``model.ground`` among them, or names of groups as given to
            :meth:`Body.shape`; twice the same group: its shapes do not touch each other.

        Raises
        ------
        ValueError
            For a body and a group, the same body twice, or a body of another model.
        """
        if isinstance(first, str) and isinstance(second, str):
            self._passing_groups.add((min(first, second), max(first, second)))
            return
        self._passing_bodies.add(self._pair_of_bodies(first, second, " or two names of groups"))

    def let_touch(self, body_1: Body, body_2: Body) -> None:
        """Shapes of two bodies touch though a joint joins them.

        Raises
        ------
        ValueError
            For the same body twice, or a body of another model.
        """
        self._touching_bodies.add(self._pair_of_bodies(body_1, body_2, ""))

    def _pair_of_bodies(self, first: object, second: object, also: str) -> tuple[str, str]:
        if not isinstance(first, Body) or not isinstance(second, Body):
            raise ValueError(f"expected two bodies{also}, got {first!r} and {second!r}")
        names = [self._place(body).body for body in (first, second)]
        if names[0] == names[1]:
            raise ValueError(f"expected two bodies, got {names[0]!r} twice")
        return min(names), max(names)

    def _add_surface_contact(
        self, first: ShapeOnBody, second: ShapeOnBody, law: ContactLaw, name: str, inside: bool
    ) -> None:
        for k, shape in enumerate((first, second)):
            if self._shapes.get((shape.place.body, shape.name)) is not shape:
                raise ValueError(f"contour_{k + 1}: expected a shape of this model, got {shape!r}")
        name = name or f"{first.label}-{second.label}"
        what = self._new_name("contact", name)
        if first.place.body == second.place.body:
            raise ValueError(f"{what}: expected two bodies, got {first.place.body!r} twice")
        law = as_contact_law(f"{what}: law", law)
        for record in surface_contacts(what, name, law, first, second, inside):
            self._new_name("contact", record.name)
            self._surface_contacts[record.name] = record
