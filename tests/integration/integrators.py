"""The methods, right-hand sides and runs shared by the tests of the integrators."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from nsmb._core.integration import Integrator, StepStatus

Array = NDArray[np.float64]
Rhs = Callable[[float, Array], Array]

EXPLICIT = [
    "dp853",
    "arkode_fehlberg78",
    "arkode_verner56",
    "arkode_dormand_prince45",
    "arkode_bogacki_shampine23",
]
METHODS = [*EXPLICIT, "cvode"]

# Two damped oscillators, coupled.
A = np.array([[0.0, 1, 0, 0], [-4, -0.1, 1, 0], [0, 0, 0, 1], [1, 0, -9, -0.2]])
Y0 = np.array([1.0, 0.0, -0.5, 1.0])


def linear(t: float, y: Array) -> Array:
    return A @ y


def linear_exact(t: float) -> Array:
    return np.asarray(expm(A * t) @ Y0)


def circle(t: float, y: Array) -> Array:
    return np.array([-y[1], y[0]])


def pendulum(t: float, y: Array) -> Array:
    return np.array([y[1], -9.81 * np.sin(y[0])])


def make(
    method: str,
    rhs: Rhs = linear,
    y: Array = Y0,
    rtol: float = 1e-8,
    atol: float | None = None,
    t: float = 0.0,
    **options: object,
) -> Integrator:
    weights = np.full(len(y), rtol if atol is None else atol)
    return Integrator(method, rhs, t, y, rtol, weights, **options)  # type: ignore[arg-type]


def make_fixed(method: str, rhs: Rhs, y: Array, h: float) -> Integrator:
    """Return an integrator with steps of length h, which pass every error test."""
    return make(method, rhs, y, 1e6, 1e6, initial_step=h, max_step=h)


def run(integrator: Integrator, t_end: float) -> None:
    while integrator.t < t_end:
        status = integrator.step(t_end)
        assert status == StepStatus.OK, integrator.message
    assert integrator.t == t_end
