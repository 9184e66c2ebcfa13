"""Gears of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from nsmb.common.arguments import as_instance, as_mapping
from nsmb.gears import ElasticTeeth, GearPair, GearTrain
from nsmb.multibody.elements import Elements
from nsmb.multibody.frames import Frame
from nsmb.multibody.parts import Body, Marker

__all__ = ["GearTrains"]


class GearTrains(Elements):
    """The part of :class:`Model` that is about gears."""

    def add_gear_pair(
        self,
        name: str,
        body_1: Body | Marker,
        body_2: Body | Marker,
        pair: GearPair,
        *,
        at: Frame | ArrayLike | None = None,
        at_2: Frame | ArrayLike | None = None,
        phases: tuple[float, float] = (0.0, 0.0),
        teeth: ElasticTeeth | None = None,
        spins: tuple[float, float] = (0.0, 0.0),
        events: bool = True,
    ) -> None:
        """Contact of the teeth of two gears, a force element.

        Its modes ``name.left`` and ``name.right`` say which flanks touch. Energy is that of
        pressed flanks and of springs of teeth; what a stiffness that changes along the path of
        contact gives and takes is no loss and not in it.

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The gears, as for :meth:`add_joint`: their axes are the z axes there, their middle
            planes in the origins.
        pair : nsmb.gears.GearPair
        phases : (float, float)
            rad, middles of teeth from the x axes, as :meth:`nsmb.gears.GearPair.phases` finds them.
        teeth : nsmb.gears.ElasticTeeth, optional
            None: rigid teeth.
        spins : (float, float)
            rad/s, at the start, of teeth with mass.
        events : bool
            Whether flanks that touch and part are events.

        Raises
        ------
        ValueError
            For a name given twice, places or numbers that are none.
        """
        as_instance(f"force element {name!r}: pair", pair, GearPair)
        names = ("gear_1", "gear_2")
        train = GearTrain(
            gears=dict(zip(names, (pair.gear_1, pair.gear_2), strict=True)),
            meshes={"": (*names, pair)},
            phases=dict(zip(names, phases, strict=True)),
            teeth=teeth,
            spins=dict(zip(names, spins, strict=True)),
            events=events,
        )
        self.add_user_force(name, train, (body_1, body_2), at=(at, at_2))

    def add_gear_train(
        self,
        name: str,
        bodies: Mapping[str, Body | Marker],
        train: GearTrain,
        *,
        at: Sequence[Frame | ArrayLike | None] | None = None,
    ) -> None:
        """Gears of which pairs are in mesh, a force element.

        Parameters
        ----------
        name : str
        bodies : mapping of str to Body and Marker
            By names of gears; several may be on one body.
        train : nsmb.gears.GearTrain
        at : sequence, optional
            Where on the bodies, as for :meth:`add_gear_pair`, in the order of the train's gears.

        Raises
        ------
        ValueError
            For a name given twice, gears without body, places that are none.
        """
        what = f"force element {name!r}"
        as_instance(f"{what}: train", train, GearTrain)
        given = as_mapping(f"{what}: bodies", bodies, "bodies")
        if set(given) != set(train.names):
            raise ValueError(
                f"{what}: bodies: expected one for each of {list(train.names)}, got {list(given)}"
            )
        self.add_user_force(name, train, [given[gear] for gear in train.names], at=at)
