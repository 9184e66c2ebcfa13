"""A page with knobs: a system in motion, its phase portrait, contact states, events and energy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nsmb.explorer.bounded_run import Superseded
from nsmb.explorer.knobs import Range
from nsmb.explorer.page import Page, Worker
from nsmb.explorer.payload import pack, run_payload
from nsmb.explorer.system_model import SystemModel
from nsmb.solution.solution import Solution
from nsmb.system.base import System, SystemLike, as_system
from nsmb.system.method import AnyMethod

__all__ = ["SystemExplorer", "explore"]


def explore(
    system: SystemLike,
    *,
    t_end: float | None = None,
    parameters: Sequence[str] | None = None,
    start: bool | Sequence[str] | None = None,
    ranges: Mapping[str, Range] | None = None,
    portrait: tuple[str, str] | None = None,
    method: AnyMethod = "auto",
    event_limit: int = 5000,
) -> SystemExplorer:
    """A page of knobs for a notebook or Voilà: the system in motion, run anew when one is turned.

    It shows the scene in motion, a phase portrait, the contact states over time, the events and
    the energy. Values the system does not take, and runs that fail, leave the last picture and say
    why. A run has at most `event_limit` events, and ends when a knob is turned again.

    Parameters
    ----------
    system : System or Model
    t_end : float, optional
        s; default ``system.recommended.t_end``, else a second.
    parameters : sequence of str, optional
        Names of the parameters to turn; default: all that the system has.
    start : bool or sequence of str, optional
        Components of the initial state to turn: all, none, or these; default: none for systems
        with parameters, else all.
    ranges : mapping of str to (float, float), optional
        Ends of sliders. Other numbers can be typed beside them.
    portrait : (str, str), optional
        Components of the phase portrait, to the right and upwards; others can be chosen on the
        page. Default: the first coordinate that comes back, and its velocity.
    method : "auto", EventDriven, Midpoint, Hybrid, PositionForces or VelocityForces
        As in :func:`nsmb.simulate`.
    event_limit : int
        Events of a run, at most.

    Returns
    -------
    SystemExplorer
        Notebooks show it by itself.

    Raises
    ------
    ValueError
        For names the system does not have, and numbers out of range.
    ImportError
        If anywidget is not installed; ``pip install nsmb[view]`` brings it.

    Examples
    --------
    >>> import nsmb
    >>> view = nsmb.explore(nsmb.systems.woodpecker(), parameters=("mu", "c_phi"))
    >>> view.set(mu=0.9)
    True
    >>> view.system.parameters["mu"], view.solution.status
    (0.9, 'finished')
    >>> print(view.script().splitlines()[2])
    system = nsmb.systems.woodpecker(mu=0.9)
    """
    system = as_system("system", system)
    model = SystemModel(
        system,
        t_end=t_end,
        parameters=parameters,
        start=start,
        ranges=ranges,
        method=method,
        event_limit=event_limit,
    )
    for name in portrait or ():
        system.labels.component(name)
    return SystemExplorer(model, portrait)


class SystemExplorer:
    """What :func:`nsmb.explore` returns: the page, and the same knobs from Python.

    Parameters
    ----------
    model : SystemModel
        What it shows.
    portrait : (str, str), optional
        Components of the phase portrait.
    """

    def __init__(self, model: SystemModel, portrait: tuple[str, str] | None = None) -> None:
        self._model = model
        self._portrait = portrait
        self._runs = 0
        self._shown: dict[str, Any] = {}  # of the last run that succeeded
        spec = {
            "title": model.given.name,
            "knobs": {name: knob.to_dict() for name, knob in model.knobs.items()},
        }
        self._page = Page("system.js", spec, self._on_message)
        self._worker = Worker(self._work, self._show)
        self._worker_id = 0
        self._refresh()

    @property
    def system(self) -> System:
        """The system of the run that is shown."""
        return self._model.system

    @property
    def solution(self) -> Solution | None:
        """The run that is shown; None before one has succeeded."""
        return self._model.solution

    @property
    def message(self) -> str:
        """Why the last values gave no run, or what the run warns of; else empty."""
        return self._model.message

    @property
    def values(self) -> dict[str, float]:
        """Values of the knobs by name."""
        return dict(self._model.values)

    @property
    def widget(self) -> Any:
        """The widget, to be put beside others."""
        return self._page.widget

    def set(self, **values: float | str) -> bool:
        """Turn knobs, and run.

        Parameters
        ----------
        **values : float or str
            By the names of parameters and components, and ``t_end``.

        Returns
        -------
        bool
            Whether there is a run with these values; `message` says why not.

        Raises
        ------
        ValueError
            For a name that is no knob.
        """
        self._model.set(values)
        return self._refresh()

    def reset(self) -> bool:
        """Turn all knobs back to where they were at the start."""
        self._model.reset()
        return self._refresh()

    def script(self) -> str:
        """A program that makes the run that is shown."""
        return self._model.script()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self._page.bundle(repr(self), options)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:g}" for name, value in self.values.items())
        return f"<SystemExplorer of {self._model.given.name}: {shown}>"

    # ---- details -----------------------------------------------------------------------------

    def _refresh(self) -> bool:
        self._show(self._work((self._worker_id, {}), lambda: True))
        return self._model.is_current

    def _on_message(self, content: dict[str, Any]) -> None:
        if content.get("type") == "script":
            self._page.send({"type": "script", "text": self.script()})
        elif content.get("type") == "set":
            self._worker.want((int(content["id"]), dict(content["values"])))

    def _work(
        self, wish: tuple[int, dict[str, Any]], is_wanted: Callable[[], bool]
    ) -> tuple[dict[str, Any], bytes | None] | None:
        """A run with new values, and what the page shows of it; None: no longer wanted."""
        number, values = wish
        self._worker_id = number
        model = self._model
        data: bytes | None = None
        message, current = "", False
        try:
            model.set(values)
            current = model.update(is_wanted)
            message = model.message
            if current and model.solution is not None:
                told, arrays = run_payload(model.solution, portrait=self._portrait)
                table, data = pack(arrays)
                self._runs += 1
                self._shown = {"run": {"id": self._runs, **told}, "arrays": table}
        except Superseded:
            return None
        except Exception as error:  # of functions of a scene, or a message that makes no sense
            message, current = f"{type(error).__name__}: {error}", False
        about = {"id": number, "values": dict(model.values), "message": message}
        return {**about, "current": current, **self._shown}, data

    def _show(self, found: tuple[dict[str, Any], bytes | None] | None) -> None:
        if found is not None:
            header, data = found
            self._page.show(header, data)
