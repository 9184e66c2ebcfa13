"""Bodies of models, rigid and elastic."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nsmb.common.arguments import as_array, as_number
from nsmb.geometry.shapes.base import Shape
from nsmb.multibody.deformable import Deformable, RigidPart
from nsmb.multibody.frames import as_vector
from nsmb.multibody.gear_trains import GearTrains
from nsmb.multibody.parts import GROUND, Body, BodyRecord

__all__ = ["Bodies"]

_RESERVED = (GROUND, "environment")


class Bodies(GearTrains):
    """The part of :class:`Model` that is about bodies."""

    def add_body(
        self,
        name: str,
        *,
        mass: float = 0.0,
        inertia: ArrayLike = 0.0,
        center: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Body:
        """A rigid body.

        Parameters
        ----------
        name : str
        mass : float
            kg; 0 for a part without inertia where something heavy moves with it.
        inertia : float, (3,) or (3, 3)
            kg m², about the centre of mass, axes of the body frame. A number is the moment about
            e_z of a flat body, of which the other two take half each; (3,) is a diagonal.
        center : array_like (2,) or (3,)
            Centre of mass in the body frame, m.

        Raises
        ------
        ValueError
            For a name given twice, a negative mass, and an inertia that no body has.
        """
        what = self._new_body(name)
        self._bodies[name] = _record(what, name, mass, inertia, center)
        return Body(name, self)

    def add_solid(
        self,
        name: str,
        shape: Shape,
        density: float,
        *,
        material: str = "",
        group: str = "",
    ) -> Body:
        """A rigid body that fills a shape: its mass, centre and inertia are those of the shape.

        Parameters
        ----------
        name : str
        shape : Shape
            One of :mod:`nsmb.geometry` with a finite volume; becomes the shape ``"solid"`` of the
            body, in the body frame.
        density : float
            kg/m³
        material, group : str
            As for :meth:`Body.shape`.

        Raises
        ------
        ValueError
            For a name given twice, something else than a shape, a density that is not positive, and
            a shape without finite volume.
        """
        what = self._new_body(name)
        if not isinstance(shape, Shape):
            raise ValueError(f"{what}: expected one of nsmb.geometry, got {shape!r}")
        p = shape.mass_properties(as_number(f"{what}: density", density))
        body = self.add_body(name, mass=p.mass, inertia=p.inertia, center=p.center)
        body.shape("solid", shape, material=material, group=group)
        return body

    def add_elastic_body(
        self,
        name: str,
        elastic: Deformable,
        *,
        mass: float = 0.0,
        inertia: ArrayLike = 0.0,
        center: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Body:
        """A body that deforms, with coordinates ``"name.q1"``, ``"name.q2"``, ...

        Everything attached to a slender body moves with the cross-section it is in; its place `at`
        is that on the undeformed body, or a number, the coordinate along its axis. On a
        :class:`nsmb.flexible.FlexibleBody` it moves with a node: `at` is its number, its name, or
        its place.
        What hangs on a joint is its frame: the functions have to vanish there as far as the joint
        holds the body.

        Parameters
        ----------
        name : str
            None of a joint.
        elastic : nsmb.flexible.Torsion, nsmb.flexible.Bending or nsmb.flexible.FlexibleBody
        mass, inertia, center : float, array_like
            As for :meth:`add_body`, of what is rigid and fixed to its frame, besides the mass and
            inertia of `elastic` itself. What is fixed elsewhere is a body of its own on a joint
            ``Fixed``.

        Raises
        ------
        ValueError
            For a name given twice, something that is not elastic, a negative mass, and an inertia
            that no body has.

        Examples
        --------
        A disc on a shaft:

        >>> import nsmb
        >>> m = nsmb.Model()
        >>> twist = nsmb.flexible.Torsion(2.0, 3e5, 0.09, nsmb.flexible.sines(2, "fixed-free"))
        >>> shaft = m.add_elastic_body("shaft", twist, inertia=0.25)
        >>> m.add_joint("turn", nsmb.joints.Revolute(), m.ground, shaft)
        >>> disc = m.add_body("disc", mass=20.0, inertia=0.4)
        >>> m.add_joint("hub", nsmb.joints.Fixed(), shaft, disc, at=1.5)
        >>> m.build().coordinates
        ('turn', 'shaft.q1', 'shaft.q2')
        """
        what = self._new_body(name)
        if name in self._joints or name in self._loops:
            raise ValueError(f"{what}: expected a name that no joint has, as both name coordinates")
        if not isinstance(elastic, Deformable):
            raise ValueError(
                f"{what}: expected nsmb.flexible.Torsion, nsmb.flexible.Bending or "
                f"nsmb.flexible.FlexibleBody, got {elastic!r}"
            )
        rigid = _record(what, name, mass, inertia, center)
        whole = RigidPart(rigid.mass, rigid.center, rigid.inertia) + elastic._rigid()
        self._bodies[name] = BodyRecord(name, whole.mass, whole.inertia, whole.center)
        self._elastic[name] = elastic
        return Body(name, self)

    def _new_body(self, name: str) -> str:
        if not isinstance(name, str):
            raise ValueError(f"name of a body: expected a text, got {name!r}")
        what = f"body {name!r}"
        if name in self._bodies or name in _RESERVED or not name:
            raise ValueError(f"{what}: expected a name of its own, got one that is taken")
        return what


def _record(what: str, name: str, mass: float, inertia: ArrayLike, center: ArrayLike) -> BodyRecord:
    """Checked."""
    m = float(as_array(f"{what}: mass", mass, ()))
    if m < 0.0:
        raise ValueError(f"{what}: mass: expected a number >= 0, got {m}")
    shape = np.shape(inertia)
    if shape == ():
        J = float(as_array(f"{what}: inertia", inertia, ()))
        tensor = np.diag([0.5 * J, 0.5 * J, J])
    elif shape == (3,):
        tensor = np.diag(as_array(f"{what}: inertia", inertia, (3,)))
    else:
        tensor = as_array(f"{what}: inertia", inertia, (3, 3))
    moments = np.linalg.eigvalsh(0.5 * (tensor + tensor.T))
    largest = np.abs(tensor).max()
    if np.abs(tensor - tensor.T).max() > 1e-12 * largest or moments[0] < -1e-12 * largest:
        raise ValueError(
            f"{what}: inertia: expected a symmetric matrix with moments >= 0, got {tensor.tolist()}"
        )
    if moments[0] + moments[1] < moments[2] - 1e-12 * largest:
        raise ValueError(
            f"{what}: inertia: expected moments none of which is larger than the sum of the "
            f"others, got {moments.tolist()}"
        )
    return BodyRecord(name, m, tensor, as_vector(f"{what}: center", center))
