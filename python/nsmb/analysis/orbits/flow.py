"""The flow of a system over a time, with its derivative: what shooting sees of a simulation."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.events.event_table import Events
from nsmb.simulation.simulator import Simulator
from nsmb.solution.sensitivity import SensitivityNote
from nsmb.system.base import System
from nsmb.system.options import EventDriven

__all__ = ["Flow", "FlowResult", "event_labels"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FlowResult:
    """y(t_0 + T) as a function of y(t_0), with y = (q, u, x) and n = nq + nu + nx."""

    t: float
    """s, time reached."""
    y: Vector
    """(n,) state reached, behind the events there."""
    status: str
    """``finished``, or why the run ended before."""
    message: str
    events: Events
    """Events on the way."""
    D: Vector
    """(n, n) ∂y(t_0 + T)/∂y(t_0); empty unless asked for."""
    P: Vector
    """(n, p) likewise by the parameters asked for."""
    rate_start: Vector
    """(n,) ẏ at the start."""
    rate_end: Vector
    """(n,) ẏ at the end."""
    notes: tuple[SensitivityNote, ...] = ()
    """Where the derivative does not exist, and why."""

    @property
    def success(self) -> bool:
        """Whether the end was reached."""
        return self.status == "finished"


class Flow:
    """Runs of one system from any state over any time; the simulator is built once.

    Parameters
    ----------
    system : System
    method : EventDriven, optional
        Default ``system.recommended.method``. Polynomials of the steps are not kept, whatever it
        says.
    """

    def __init__(self, system: System, method: EventDriven | None = None) -> None:
        self.system = system
        usual = system.recommended
        self.method = usual.event_driven("a flow") if method is None else method
        self._built: dict[tuple[str, ...] | None, Simulator] = {}

    @property
    def size(self) -> int:
        """n = nq + nu + nx."""
        return self.system.nq + self.system.nu + self.system.nx

    def split(self, y: Vector) -> tuple[Vector, Vector, Vector]:
        """q, u and x of y."""
        nq, nu = self.system.nq, self.system.nu
        return y[:nq], y[nq : nq + nu], y[nq + nu :]

    def contact_state(self, t: float, y: Vector) -> NDArray[np.int8]:
        """(nc,) values of `nsmb.ContactState` right behind (t, y)."""
        simulator = self._simulators(None)
        simulator.reset(t, *self.split(y))
        core = simulator._core
        core.advance(t)
        return core.contact_state

    def acting(self, t: float, y: Vector) -> tuple[str, ...]:
        """Names of the force elements that act right behind (t, y)."""
        simulator = self._simulators(None)
        simulator.reset(t, *self.split(y))
        core = simulator._core
        core.advance(t)
        modes = zip(self.system.elements, core.element_mode, strict=True)
        return tuple(name for name, mode in modes if mode)

    def run(
        self,
        t_0: float,
        y_0: Vector,
        duration: float,
        *,
        derivative: bool = False,
        parameters: tuple[str, ...] = (),
    ) -> FlowResult:
        """From (t_0, y_0) over `duration`; what goes wrong is in the status.

        Raises
        ------
        ValueError
            For a start that penetrates.
        """
        simulator = self._simulators(parameters if derivative else None)
        simulator.reset(t_0, *self.split(y_0))
        core = simulator._core
        status = core.advance(t_0 + duration)
        found = simulator.sensitivity
        if found is None or status != "finished":
            nothing = np.zeros((0, 0))
            D, P, rates = nothing, nothing, np.zeros((2, 0))
        else:
            D, P = found.between(0, len(found.t))
            rates = found.rate
        return FlowResult(
            core.t,
            core.y.copy(),
            status,
            core.message,
            Events.from_core(self.system.labels, core.events_from(0)),
            D,
            P,
            rates[0],
            rates[-1],
            () if found is None else found.notes,
        )

    def _simulators(self, parameters: tuple[str, ...] | None) -> Simulator:
        """The simulator that differentiates by `parameters`; None: that does not."""
        if parameters not in self._built:
            self._built[parameters] = Simulator(
                self.system,
                dataclasses.replace(self.method, dense_output=False),
                output_step=0.0,
                sensitivity=False if parameters is None else parameters or True,
            )
        return self._built[parameters]


def event_labels(events: Events) -> tuple[str, ...]:
    """Kind and contacts of every event, ``"impact lower"``."""
    return tuple(" ".join([event.kind.label, *event.contacts, *event.elements]) for event in events)
