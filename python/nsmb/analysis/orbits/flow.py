"""The flow of a system over a time, with its derivative, as used by shooting."""

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
    """The map from y(t_0) to y(t_0 + T), with y = (q, u, x) and n = nq + nu + nx."""

    t: float
    """Time reached, in s."""
    y: Vector
    """State reached, after the events at that time, shape (n,)."""
    status: str
    """``finished``, or why the run ended early."""
    message: str
    events: Events
    """Events during the run."""
    D: Vector
    """Derivative ∂y(t_0 + T)/∂y(t_0), shape (n, n); empty unless requested."""
    P: Vector
    """Derivative by the requested parameters, shape (n, p)."""
    rate_start: Vector
    """Rate ẏ at the start, shape (n,)."""
    rate_end: Vector
    """Rate ẏ at the end, shape (n,)."""
    notes: tuple[SensitivityNote, ...] = ()
    """Instants at which the derivative does not exist, with the reasons."""

    @property
    def success(self) -> bool:
        """True if the end was reached."""
        return self.status == "finished"


class Flow:
    """Runs of one system from any state over any time, with a simulator that is built once.

    Parameters
    ----------
    system : System
    method : EventDriven, optional
        Default: ``system.recommended.method``. Polynomials of the steps are not stored in any case.
    """

    def __init__(self, system: System, method: EventDriven | None = None) -> None:
        self.system = system
        usual = system.recommended
        self.method = usual.event_driven("a flow") if method is None else method
        self._built: dict[tuple[str, ...] | None, Simulator] = {}

    @property
    def size(self) -> int:
        """Number of states, n = nq + nu + nx."""
        return self.system.nq + self.system.nu + self.system.nx

    def split(self, y: Vector) -> tuple[Vector, Vector, Vector]:
        """Return q, u and x of y."""
        nq, nu = self.system.nq, self.system.nu
        return y[:nq], y[nq : nq + nu], y[nq + nu :]

    def contact_state(self, t: float, y: Vector) -> NDArray[np.int8]:
        """Return the values of `nsmb.ContactState` right after (t, y), shape (nc,)."""
        simulator = self._simulators(None)
        simulator.reset(t, *self.split(y))
        core = simulator._core
        core.advance(t)
        return core.contact_state

    def acting(self, t: float, y: Vector) -> tuple[str, ...]:
        """Return the names of the force elements that act right after (t, y)."""
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
        """Run from (t_0, y_0) over `duration`; a failure is reported in the status.

        Raises
        ------
        ValueError
            If the start penetrates a contact.
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
        """Return the simulator that differentiates by `parameters`, or not at all for None."""
        if parameters not in self._built:
            self._built[parameters] = Simulator(
                self.system,
                dataclasses.replace(self.method, dense_output=False),
                output_step=0.0,
                sensitivity=False if parameters is None else parameters or True,
            )
        return self._built[parameters]


def event_labels(events: Events) -> tuple[str, ...]:
    """Return kind and contacts of every event, such as ``"impact lower"``."""
    return tuple(" ".join([event.kind.label, *event.contacts, *event.elements]) for event in events)
