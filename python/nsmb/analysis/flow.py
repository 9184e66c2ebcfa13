"""The flow of a system over a time, with its derivative: what shooting sees of a simulation."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.accelerations import accelerations
from nsmb.base_system import System
from nsmb.event_table import Events
from nsmb.options import EventDriven
from nsmb.simulate import Simulator

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
    notes: tuple[Any, ...] = ()
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
        Polynomials of the steps are not kept, whatever it says.
    """

    def __init__(self, system: System, method: EventDriven | None = None) -> None:
        self.system = system
        self.method = method or EventDriven()
        fast = dataclasses.replace(self.method, dense_output=False)
        self._simulator = Simulator(system, fast, output_step=0.0)

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
        core = self._simulator._core
        core.reset(t, *self.split(y))
        core.advance(t)
        return core.contact_state

    def run(
        self,
        t_0: float,
        y_0: Vector,
        duration: float,
        *,
        derivative: bool = False,
        parameters: tuple[str, ...] = (),
        directions: Vector | None = None,
    ) -> FlowResult:
        """From (t_0, y_0) over `duration`; what goes wrong is in the status.

        Raises
        ------
        ValueError
            For a start that penetrates.
        """
        core = self._simulator._core
        core.reset(t_0, *self.split(y_0))
        status = core.advance(t_0 + duration)
        y, t, message = core.y.copy(), core.t, core.message
        events = _events(self.system, core.events_from(0))
        D, P = np.zeros((0, 0)), np.zeros((0, 0))
        rates = [np.zeros(0), np.zeros(0)]
        if derivative and status == "finished":
            D, P = self._differences(t_0, y_0, duration, parameters, directions)
            rates = [self._rate(t_0, y_0), self._rate(t, y)]
        return FlowResult(t, y, status, message, events, D, P, *rates)

    def _rate(self, t: float, y: Vector) -> Vector:
        q, u, x = self.split(y)
        udot = accelerations(self.system, t, q, u, x, rest_velocity=1e-9, gap_tolerance=1e-9).udot
        assert udot is not None
        own = self.system._core.nx_own
        xdot = np.zeros(self.system.nx)
        xdot[:own] = self.system.state_rates(t, q, u, x) if own else 0.0
        return np.concatenate([u, udot, xdot])

    def _differences(
        self, t_0: float, y_0: Vector, duration: float, parameters: tuple[str, ...], directions: Vector | None
    ) -> tuple[Vector, Vector]:
        along = np.eye(self.size) if directions is None else directions
        columns = []
        for v in along.T:
            h = 1e-6 if directions is not None else 1e-8
            ends = [self.run(t_0, y_0 + s * h * v, duration).y for s in (1, -1)]
            columns.append((ends[0] - ends[1]) / (2 * h))
        D = np.array(columns).T.reshape(self.size, along.shape[1]) @ np.linalg.pinv(along)
        P = np.zeros((self.size, len(parameters)))
        for k, name in enumerate(parameters):
            p = self.system.parameters[name]
            h = 1e-6 * max(abs(p), 1e-3)
            ends = [
                Flow(self.system.with_parameters(**{name: p + s * h}), self.method)
                .run(t_0, y_0, duration)
                .y
                for s in (1, -1)
            ]
            P[:, k] = (ends[0] - ends[1]) / (2 * h)
        return D, P


def _events(system: System, rows: dict[str, NDArray[Any]]) -> Events:
    return Events.from_core(
        system.coordinates,
        system.contact_names,
        rows,
        system.tangent_names,
        system.elements,
        system.states,
    )


def event_labels(events: Events) -> tuple[str, ...]:
    """Kind and contacts of every event, ``"impact lower"``."""
    return tuple(
        " ".join([event.kind.label, *event.contacts, *event.elements]) for event in events
    )
