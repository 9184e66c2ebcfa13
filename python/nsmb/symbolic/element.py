"""Machine elements by expressions: forces along velocities, states, modes, energy, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sympy.core.function import AppliedUndef
from sympy.physics.vector import dynamicsymbols

from nsmb.common.expressions import as_expression
from nsmb.symbolic.symbols import InternalState, Kinematic, Mode, rate
from nsmb.system.forces import ForceElement, GapForce

__all__ = ["Element", "Merged", "Wall", "expressions", "merge", "motion"]


@dataclass(frozen=True, eq=False)
class Wall:
    """A one-sided spring and damper with a relaxing wall, :class:`nsmb.GapForce`, (3.20)-(3.23)."""

    name: str
    gap: Any
    velocity: Any
    c: Any
    d: Any


@dataclass(frozen=True, eq=False)
class Element:
    """A machine element, defined by expressions.

    Pass it in ``elements=`` of :class:`LagrangianSystem`, :func:`from_equations` or
    :class:`BodyForce`. The functions of :mod:`nsmb.symbolic.elements` create the usual elements.
    This class is for others.

    Examples
    --------
    A spring and a damper in series, where s is the length of the spring:

    >>> import nsmb
    >>> from nsmb import symbolic
    >>> y = symbolic.coordinates("y")
    >>> v = symbolic.velocities(y)
    >>> s = symbolic.states("s")
    >>> maxwell = symbolic.Element(
    ...     "maxwell", [(v, -100 * s)], states={s: v - 100 * s / 5}, energy=50 * s**2
    ... )
    >>> system = symbolic.LagrangianSystem([y], v**2 / 2, 9.81 * y, elements=[maxwell])
    >>> f"{nsmb.simulate(system, 2.0).u[-1, 0]:.3f} m/s"  # of the damper under the weight, m g/d
    '-1.962 m/s'
    """

    name: str
    actions: Sequence[tuple[Any, Any]]
    """Pairs of a velocity and the force along it, in m/s and N, or in rad/s and N m. The velocity
    is affine in those of the system. The power of each pair is force times velocity."""
    states: Mapping[Any, Any] = field(default_factory=dict)
    """Rates of the states, ``{state: rate}``."""
    watch: Mapping[Any, tuple[Any, Any]] = field(default_factory=dict)
    """Modes, ``{mode: (open, closed)}``, see :class:`LagrangianSystem`."""
    energy: Any = 0
    """Stored energy in J."""
    initial: Mapping[Any, Any] = field(default_factory=dict)
    """Initial values of states and modes, as expressions of parameters."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Quantities that must remain positive, by name. If one does not, a run ends with a status."""
    walls: Sequence[Wall] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"element: name: expected a text, got {self.name!r}")
        where = f"element '{self.name}': "
        for pair in self.actions:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ValueError(
                    f"{where}actions: expected pairs of a velocity and a force, got {pair!r}"
                )
            for what, value in zip(("velocity", "force"), pair, strict=True):
                as_expression(where + what, value)
        for what in ("states", "watch", "initial", "limits"):
            if not isinstance(getattr(self, what), Mapping):
                raise ValueError(f"{where}{what}: expected a mapping, got {getattr(self, what)!r}")

    @property
    def force(self) -> Any:
        """Force along the first velocity, without walls."""
        return self.actions[0][1]

    def without_walls(self) -> Element:
        """Return the same element with its walls as states and modes."""
        if not self.walls:
            return self
        actions = list(self.actions)
        energy = as_expression(f"element '{self.name}': energy", self.energy)
        states, watch = dict(self.states), dict(self.watch)
        for wall in self.walls:
            place, closed = InternalState(f"{wall.name}.wall"), Mode(wall.name)
            pressed = -wall.c * wall.gap - wall.d * wall.velocity  # (3.22)
            actions.append((wall.velocity, closed.select(open=0, closed=pressed)))
            states[place] = closed.select(open=-wall.c / wall.d * place, closed=wall.velocity)
            watch[closed] = (wall.gap - place, pressed)  # (3.21), (3.23)
            energy += wall.c * place**2 / 2
        return replace(self, actions=actions, states=states, watch=watch, energy=energy, walls=())


def expressions(name: str, **values: Any) -> list[Any]:
    """Return the numbers and expressions of parameters of an element as expressions."""
    return [as_expression(f"element '{name}': {what}", value) for what, value in values.items()]


def motion(name: str, gap: Any, velocity: Any) -> tuple[Any, Any]:
    """Return a distance and its rate, which is optional for coordinates of a system."""
    where = f"element '{name}': "
    distance = as_expression(where + "gap", gap)
    if velocity is None:
        if distance.atoms(AppliedUndef):
            return distance, distance.diff(dynamicsymbols._t)
        if distance.atoms(Kinematic):
            raise ValueError(f"{where}velocity: must be given for a distance between bodies")
        try:
            return distance, rate(distance)
        except ValueError as error:
            raise ValueError(
                f"{where}velocity: must be given as the rate of the gap, because {error}"
            ) from None
    return distance, as_expression(where + "velocity", velocity)


@dataclass(frozen=True, eq=False)
class Merged:
    """Elements, combined with the other parts of a system."""

    actions: list[tuple[str, Any, Any]]
    """Element, velocity and force."""
    flanks: list[ForceElement]
    states: dict[Any, Any]
    watch: dict[Any, tuple[Any, Any]]
    energies: list[tuple[str, Any]]
    initial: dict[Any, Any]
    limits: dict[str, Any]


def merge(
    elements: Sequence[Element],
    states: Mapping[Any, Any] | None = None,
    watch: Mapping[Any, Any] | None = None,
    initial: Mapping[Any, Any] | None = None,
) -> Merged:
    """Combine the elements of a system, or of one :class:`BodyForce`.

    Raises
    ------
    ValueError
        If two elements, states or modes have the same name.
    """
    total = Merged([], [], dict(states or {}), dict(watch or {}), [], {}, {})
    names = [element.name for element in elements]
    for element in elements:
        where = f"element '{element.name}': "
        if names.count(element.name) > 1:
            raise ValueError(f"{where}name: must be unique, got it twice")
        total.actions.extend((element.name, v, force) for v, force in element.actions)
        total.flanks.extend(
            ForceElement(wall.gap, GapForce(wall.c, wall.d), wall.name) for wall in element.walls
        )
        for what, own in (("states", element.states), ("watch", element.watch)):
            known = getattr(total, what)
            for key, value in own.items():
                if key in known:
                    raise ValueError(f"{where}{what}: expected new symbols, got {key} again")
                known[key] = value
        total.energies.append((where + "energy", element.energy))
        total.initial.update(element.initial)
        total.limits.update(
            {f"element '{element.name}': {what}": value for what, value in element.limits.items()}
        )
    total.initial.update(initial or {})
    return total
