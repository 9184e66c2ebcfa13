"""Force elements of models, and what all their parts need: names and places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsmb.common.arguments import as_array, as_number, left_out, unknown_name
from nsmb.multibody.areal_contacts import ArealContacts
from nsmb.multibody.frames import Frame
from nsmb.multibody.laws import ForceTable, Law, Sign, SpringDamper, as_sign
from nsmb.multibody.parts import (
    Body,
    ElementRecord,
    FrictionRecord,
    LawRecord,
    LoadRecord,
    Marker,
    SwitchRecord,
)
from nsmb.multibody.stops import stop_record
from nsmb.multibody.user_force import (
    CoreForce,
    ForceInput,
    FunctionForce,
    is_user_force,
)
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.discontinuities import Discontinuity
from nsmb.system.forces import GapForce, as_gap_force
from nsmb.system.inputs import Input, all_inputs, as_inputs

__all__ = ["Elements"]


class Elements(ArealContacts):
    """The part of :class:`Model` that is about forces."""

    def add_spring_damper(
        self,
        name: str,
        body_1: Body | Marker,
        body_2: Body | Marker,
        *,
        c: float,
        d: float = 0.0,
        free_length: float,
        preload: float = 0.0,
        sign: Sign = "tension",
        at: Frame | ArrayLike | None = None,
        at_2: Frame | ArrayLike | None = None,
    ) -> None:
        """Spring and damper along the line between two points (3.12)-(3.15).

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The points, as for :meth:`add_joint`.
        c, d : float
            Stiffness in N/m and damping in N s/m.
        free_length : float
            m, where the spring does nothing but `preload`.
        preload : float
            N, force at the free length.
        sign : {"tension", "pressure"}
            Which preload is positive: one that pulls the points together, or one that pushes them
            apart. The spring is the same.

        Raises
        ------
        ValueError
            For a name given twice, places or numbers that are none.
        """
        self.add_force(
            name,
            body_1,
            body_2,
            SpringDamper(c, d, free_length, preload),
            sign=sign,
            at=at,
            at_2=at_2,
        )

    def add_force(
        self,
        name: str,
        body_1: Body | Marker,
        body_2: Body | Marker,
        law: Law,
        *,
        sign: Sign = "tension",
        at: Frame | ArrayLike | None = None,
        at_2: Frame | ArrayLike | None = None,
        discontinuities: Sequence[Discontinuity] = (),
        inputs: Sequence[Input] = (),
    ) -> None:
        """Force along the line between two points, by a law of your own.

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The points, as for :meth:`add_joint`.
        law : callable (t, γ, γ̇) -> ζ, or ForceTable, or Input
            γ is the distance in m, ζ the force in N. An input is ζ itself.
        sign : {"tension", "pressure"}
            ζ > 0 pulls the points together (11.6), or pushes them apart (3.12).
        discontinuities : sequence of float and Repeating
            Times, in s, at which the law jumps or bends.
        inputs : sequence of Input
            The law is handed their values behind its other arguments: ``law(t, γ, γ̇, valve)``.

        Raises
        ------
        ValueError
            For a name given twice, places or laws that are none.
        """
        what = self._new_name("force", name)
        places = self._place(body_1, at), self._place(body_2, at_2, 0.0, "at_2")
        asked = self._inputs_of(what, law, inputs)
        record = LawRecord(name, _as_law(what, law), _sign(sign), places, inputs=asked)
        self._add_discontinuities(what, discontinuities)
        self._laws[name] = record

    def add_torsion_spring(
        self,
        name: str,
        coordinate: str,
        *,
        c: float,
        d: float = 0.0,
        free_angle: float = 0.0,
        preload: float = 0.0,
    ) -> None:
        """Spring and damper on a joint coordinate: ``-c (q - free_angle) - d q̇ + preload``.

        Parameters
        ----------
        name : str
        coordinate : str
            As ``"hinge"`` or ``"sleeve.phi"``; for a translation the units are those of a spring.
        c, d : float
            N m/rad, N m s/rad.
        free_angle : float
            rad.
        preload : float
            N m, drives the coordinate forward if positive.

        Raises
        ------
        ValueError
            For a name given twice, an unknown coordinate, or numbers that are none.
        """
        self.add_joint_force(name, coordinate, SpringDamper(c, d, free_angle, preload))

    def add_joint_force(
        self,
        name: str,
        coordinate: str,
        law: Law,
        *,
        discontinuities: Sequence[Discontinuity] = (),
        inputs: Sequence[Input] = (),
    ) -> None:
        """Force or moment on a joint coordinate by a law of your own; positive drives it forward.

        Parameters
        ----------
        name : str
        coordinate : str
        law : callable (t, q, q̇) -> ζ, or ForceTable, or Input
            ζ in N or N m is the force on the coordinate: that of a motor is positive, that of a
            spring negative beyond its rest. An input is ζ itself.
        discontinuities : sequence of float and Repeating
            Times, in s, at which the law jumps or bends.
        inputs : sequence of Input
            The law is handed their values behind its other arguments: ``law(t, q, q̇, gain)``.

        Raises
        ------
        ValueError
            For a name given twice, an unknown coordinate, or a law that is none.
        """
        what = self._new_name("force", name)
        self._coordinate(coordinate)
        asked = self._inputs_of(what, law, inputs)
        record = LawRecord(
            name, _as_law(what, law), "pressure", coordinate=coordinate, inputs=asked
        )
        self._add_discontinuities(what, discontinuities)
        self._laws[name] = record

    def add_gap_force(
        self,
        name: str,
        law: GapForce,
        body_1: Body | Marker | None = None,
        body_2: Body | Marker | None = None,
        *,
        at: Frame | ArrayLike | None = None,
        at_2: Frame | ArrayLike | None = None,
        coordinate: str = "",
        rest: float = 0.0,
        direction: int | None = None,
    ) -> None:
        """One-sided spring and damper (3.16)-(3.23) between two points or on a coordinate.

        Parameters
        ----------
        name : str
        law : GapForce
            Over γ: the distance minus `rest`, or ``direction (q - rest)``.
        body_1, body_2, at, at_2
            The points, as for :meth:`add_joint`; or
        coordinate : str
            of a joint.
        rest : float
            m or rad, where the bodies touch.
        direction : {1, -1}, optional
            On a coordinate: the side on which they are apart, by default 1.

        Raises
        ------
        ValueError
            For a name given twice, places and coordinates that are none, both or neither.
        """
        what = self._new_name("force", name)
        law = as_gap_force(f"{what}: law", law)
        if direction not in (None, 1, -1):
            raise ValueError(f"{what}: direction: expected 1 or -1, got {direction!r}")
        length = float(as_array(f"{what}: rest", rest, ()))
        places = None
        if coordinate:
            if body_1 is not None or body_2 is not None:
                raise ValueError(f"{what}: expected two bodies or a coordinate, got both")
            for option, value in (("at", at), ("at_2", at_2)):
                left_out(f"{what}: {option}", value, "for a coordinate", "Give two bodies instead.")
            self._coordinate(coordinate)
        else:
            if body_1 is None or body_2 is None:
                raise ValueError(f"{what}: expected two bodies or a coordinate, got neither")
            left_out(
                f"{what}: direction", direction, "between two points",
                "Their distance is never negative.",
            )  # fmt: skip
            places = self._place(body_1, at), self._place(body_2, at_2, 0.0, "at_2")
        side = 1.0 if direction is None else float(direction)
        self._switches[name] = SwitchRecord(name, law, length, side, places, coordinate)

    def add_load(
        self,
        name: str,
        body: Body | Marker,
        function: Callable[..., Any],
        *,
        at: Frame | ArrayLike | None = None,
        discontinuities: Sequence[Discontinuity] = (),
        inputs: Sequence[Input] = (),
    ) -> None:
        """Force and moment on a body, by a function.

        Parameters
        ----------
        name : str
        body, at
            Where the force acts, as for :meth:`add_joint`.
        function : callable (t, r, A, v, Omega) -> force (3,), or (force (3,), moment (3,))
            Of place r, orientation A, velocity v and angular velocity of that frame; everything in
            components of the inertial frame.
        discontinuities : sequence of float and Repeating
            Times, in s, at which the function jumps or bends: a load that is switched. A run stops
            there and goes on behind; what is not named here may be stepped over.
        inputs : sequence of Input
            The function is handed their values behind its other arguments:
            ``function(t, r, A, v, Omega, thrust)``.

        Raises
        ------
        ValueError
            For a name given twice, or something that is no function.
        """
        what = self._new_name("load", name)
        if not callable(function):
            raise ValueError(f"{what}: expected a function of (t, r, A, v, Omega)")
        record = LoadRecord(
            name, function, self._place(body, at), self._inputs_of(what, function, inputs)
        )
        self._add_discontinuities(what, discontinuities)
        self._loads[name] = record

    def add_user_force(
        self,
        name: str,
        element: CoreForce | Callable[[ForceInput], Any],
        on: Sequence[Body | Marker] = (),
        *,
        at: Sequence[Frame | ArrayLike | None] | None = None,
        coordinates: Sequence[str] = (),
        states: Mapping[str, float] | None = None,
        rates: Callable[[ForceInput], ArrayLike] | None = None,
        watched: Mapping[str, bool] | None = None,
        watch: Callable[[ForceInput], ArrayLike] | None = None,
        energy: Callable[[ForceInput], float] | None = None,
        resolution: float = 1e-9,
        discontinuities: Sequence[Discontinuity] = (),
    ) -> None:
        """A force element of your own, with states and modes, between any number of places.

        Its states are ``name.state`` in ``system.states``, its modes ``name.watched`` there, as 0
        and 1, and in ``system.elements``.

        Parameters
        ----------
        name : str
        element : UserForce, symbolic.BodyForce or callable (now) -> forces
            An element, or the function of :meth:`nsmb.UserForce.force`; `now` is a
            :class:`nsmb.ForceInput`.
        on : sequence of Body and Marker
            The places it acts on.
        at : sequence, optional
            Where on the bodies of `on`, as for :meth:`add_joint`.
        coordinates : sequence of str
            Joint coordinates it acts on.
        states, rates, watched, watch, energy, resolution
            With a function: the rest of what :class:`nsmb.UserForce` has.
        discontinuities : sequence of float and Repeating
            Times, in s, at which the element jumps or bends.

        Raises
        ------
        ValueError
            For a name given twice, places or coordinates that are none, functions that cannot be
            called with what they are given; by :meth:`build` for names or numbers of the element.
        """
        what = self._new_name("force element", name)
        rest = (rates, watch, energy, states, watched)
        if is_user_force(element):
            if any(part is not None for part in rest):
                raise ValueError(f"{what}: expected functions with a function, got an element")
        elif callable(element):
            element = FunctionForce(
                element, rates, watch, energy, states or {}, watched or {}, resolution
            )
        else:
            raise ValueError(
                f"{what}: expected a nsmb.UserForce or a function of (now), got {element!r}"
            )
        ends = [on] if isinstance(on, Body | Marker) else list(on)
        frames = [None] * len(ends) if at is None else list(at)
        if len(frames) != len(ends):
            raise ValueError(f"{what}: at: expected {len(ends)} places, got {len(frames)}")
        names = (coordinates,) if isinstance(coordinates, str) else tuple(coordinates)
        if not ends and not names:
            raise ValueError(f"{what}: expected places or coordinates it acts on, got none")
        for coordinate in names:
            self._coordinate(coordinate)
        places = tuple(self._place(end, at) for end, at in zip(ends, frames, strict=True))
        element.core_force(name, len(places), len(names))
        self._add_discontinuities(what, (*discontinuities, *element.discontinuities))
        self._elements[name] = ElementRecord(name, element, places, names)

    def add_joint_friction(self, name: str, velocity: str, bound: float) -> None:
        """Dry friction in a joint, ``|τ| <= bound``.

        Parameters
        ----------
        name : str
        velocity : str
            As the coordinate: ``"hinge"``, ``"sleeve.x"``, ``"ball.omega_x"``.
        bound : float
            N or N m.

        Raises
        ------
        ValueError
            For a name given twice, an unknown velocity, a negative bound.
        """
        what = self._new_name("friction", name)
        joint, _, own = velocity.partition(".")
        if joint not in self._joints:
            raise unknown_name(f"{what}: joint", joint, list(self._joints))
        names = self._joints[joint].joint._names()[2]
        if own not in names:
            known = [f"{joint}.{n}" if n else joint for n in names]
            raise unknown_name(f"{what}: velocity", velocity, known)
        limit = as_number(f"{what}: bound", bound)
        if not 0.0 <= limit < np.inf:
            raise ValueError(f"{what}: bound: expected a number >= 0, got {limit}")
        self._frictions[name] = FrictionRecord(name, velocity, limit)

    def add_stop(
        self,
        joint: str,
        lower: float = -np.inf,
        upper: float = np.inf,
        law: ContactLaw = ContactLaw(),  # noqa: B008 - immutable
        name: str = "",
    ) -> None:
        """Limits of a joint, as unilateral contacts without friction.

        Parameters
        ----------
        joint : str
            A coordinate, as ``"hinge"`` or ``"sleeve.shift"``; or a joint of :meth:`add_loop`,
            which has none of its own: a revolute, prismatic or cylindrical one, ``"loop.angle"`` or
            ``"loop.shift"`` of the latter. Measured from where both frames coincide; a motion
            prescribed besides counts.
        lower, upper : float
            m or rad; infinite where there is no limit. Of the angle of a loop both are needed, less
            than a full turn apart: it does not count turns.
        law : ContactLaw
            Its restitution ``e_N``; a limit has no friction.
        name : str
            Empty: ``"stop of joint"``. The contacts are ``"name.lower"`` and ``"name.upper"``.

        Raises
        ------
        ValueError
            For an unknown joint or one without such a coordinate, a locked one, limits that are
            none or in the wrong order, a law with friction, a name given twice.
        """
        if not isinstance(joint, str):
            raise ValueError(f"stop: joint: expected the name of a coordinate, got {joint!r}")
        what = self._new_name("stop", name := name or f"stop of {joint}")
        self._stops[name] = stop_record(
            what, name, joint, (lower, upper), law, self._joints, self._loops
        )

    def _inputs_of(self, what: str, function: Any, given: Sequence[Input]) -> tuple[Input, ...]:
        """What a function is handed, or the one it is."""
        inputs = as_inputs(f"{what}: inputs", given)
        if inputs and not (callable(function) and not isinstance(function, ForceTable)):
            raise ValueError(f"{what}: inputs: expected none beside {function!r}")
        if isinstance(function, Input):
            inputs = (function,)
        all_inputs(f"{what}: inputs", self._inputs, inputs)
        return inputs


def _as_law(what: str, law: Any) -> Law:
    if isinstance(law, SpringDamper | ForceTable | Input) or callable(law):
        return law  # type: ignore[no-any-return]
    raise ValueError(
        f"{what}: law: expected a function (t, γ, γ̇), a ForceTable or an Input, got {law!r}"
    )


def _sign(sign: str) -> str:
    as_sign(sign)
    return sign
