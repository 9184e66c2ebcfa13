"""A page with knobs: animation, phase portrait, contact states, events and energy of a system."""

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
    """Show an interactive page that simulates the system again when a slider is moved.

    The page works in notebooks and Voilà. It shows an animation of the scene, a phase portrait, the
    contact states over time, the events and the energy. After an invalid value or a failed run, the
    last figures remain, and the page states the reason. A run has at most `event_limit` events, and
    ends when a slider is moved again.

    Parameters
    ----------
    system : System or Model
    t_end : float, optional
        End time, s; default: ``system.recommended.t_end``, or one second after the start.
    parameters : sequence of str, optional
        Names of the parameters with sliders; default: all.
    start : bool or sequence of str, optional
        Components of the initial state with sliders: True for all, False for none, or their
        names. Default: none for systems with parameters, otherwise all.
    ranges : mapping of str to (float, float), optional
        Ends of sliders. Numbers outside can be typed.
    portrait : (str, str), optional
        Horizontal and vertical components of the phase portrait. Others can be selected on the
        page. Default: the first coordinate that returns to its values, and its velocity.
    method : "auto", EventDriven, Midpoint, Hybrid, PositionForces or VelocityForces
        As in :func:`nsmb.simulate`.
    event_limit : int
        Maximum number of events of a run.

    Returns
    -------
    SystemExplorer
        Notebooks display it automatically.

    Raises
    ------
    ValueError
        If the system does not have a name, or a number is out of range.
    ImportError
        If anywidget is not installed; ``pip install nsmb[view]`` installs it.

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
    """The page that :func:`nsmb.explore` returns, with the same controls from Python.

    Parameters
    ----------
    model : SystemModel
        System, values and run of the page.
    portrait : (str, str), optional
        Components of the phase portrait.
    """

    def __init__(self, model: SystemModel, portrait: tuple[str, str] | None = None) -> None:
        self._model = model
        self._portrait = portrait
        self._runs = 0
        self._shown: dict[str, Any] = {}  # data of the last successful run
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
        """The system of the displayed run."""
        return self._model.system

    @property
    def solution(self) -> Solution | None:
        """The displayed run; None before the first successful run."""
        return self._model.solution

    @property
    def message(self) -> str:
        """Error or warnings of the run with the last values, otherwise empty."""
        return self._model.message

    @property
    def values(self) -> dict[str, float]:
        """Values of the knobs by name."""
        return dict(self._model.values)

    @property
    def widget(self) -> Any:
        """The widget, for use in layouts with other widgets."""
        return self._page.widget

    def set(self, **values: float | str) -> bool:
        """Set values and simulate.

        Parameters
        ----------
        **values : float or str
            Values by name of parameter or component, or ``t_end``.

        Returns
        -------
        bool
            True if the run succeeded; otherwise `message` gives the reason.

        Raises
        ------
        ValueError
            If a name is not adjustable.
        """
        self._model.set(values)
        return self._refresh()

    def reset(self) -> bool:
        """Set all values to their initial values and simulate."""
        self._model.reset()
        return self._refresh()

    def script(self) -> str:
        """Return a program that reproduces the displayed run."""
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
        """Simulate with new values and return the page content; None if superseded."""
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
        except Exception as error:  # an error of a scene function, or an invalid message
            message, current = f"{type(error).__name__}: {error}", False
        about = {"id": number, "values": dict(model.values), "message": message}
        return {**about, "current": current, **self._shown}, data

    def _show(self, found: tuple[dict[str, Any], bytes | None] | None) -> None:
        if found is not None:
            header, data = found
            self._page.show(header, data)
