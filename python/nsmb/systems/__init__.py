"""Ready-made systems, each with the data of its source.

Every function takes parameters by name, ``woodpecker(mu=0.9)``; what is not given has the value
of the source. ``system.parameters`` shows them, ``system.parameter_info`` their units.
"""

from collections.abc import Callable

from nsmb.system import System, unknown_name
from nsmb.systems._bouncing_ball import bouncing_ball
from nsmb.systems._woodpecker import woodpecker

__all__ = ["bouncing_ball", "build", "describe", "names", "woodpecker"]


_BUILDERS: dict[str, Callable[..., System]] = {
    "woodpecker": woodpecker,
    "bouncing_ball": bouncing_ball,
}


def names() -> tuple[str, ...]:
    """Names of all ready-made systems."""
    return tuple(_BUILDERS)


def build(name: str, **parameters: float) -> System:
    """The ready-made system of that name.

    Raises
    ------
    ValueError
        For an unknown name or parameter.
    """
    if name not in _BUILDERS:
        raise unknown_name("system", name, names())
    return _BUILDERS[name](**parameters)


def describe(name: str) -> str:
    """One line about the ready-made system of that name."""
    if name not in _BUILDERS:
        raise unknown_name("system", name, names())
    return (_BUILDERS[name].__doc__ or "").splitlines()[0]
