"""Conversion of the options of a method into those of the core."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import complementarity as _complementarity
from nsmb._core import contact_laws as _contact_laws
from nsmb._core import simulation as _simulation
from nsmb._core import stepping as _stepping
from nsmb.common.arguments import as_array, unknown_name
from nsmb.system.base import System
from nsmb.system.method import Method
from nsmb.system.options import Compression
from nsmb.system.stepping_options import (
    Hybrid,
    Midpoint,
    PositionForces,
    Stepping,
    VelocityForces,
)

__all__ = ["core_simulator"]

Vector = NDArray[np.float64]

_IMPACT_LAWS = {
    "poisson": _contact_laws.ImpactLaw.Poisson,
    "newton": _contact_laws.ImpactLaw.Newton,
    "moreau": _contact_laws.ImpactLaw.Moreau,
}
_REACTIONS = {
    "stop": _simulation.OnInconsistent.Stop,
    "impact": _simulation.OnInconsistent.Impact,
}
_SOLVERS = {
    "auto": _complementarity.FrictionMethod.AUTO,
    "newton": _complementarity.FrictionMethod.NEWTON,
    "augmented_lagrangian": _complementarity.FrictionMethod.AUGMENTED_LAGRANGIAN,
    "gauss_seidel": _complementarity.FrictionMethod.GAUSS_SEIDEL,
    "polyhedral": _complementarity.FrictionMethod.LCP,
}
_SPARSE_SOLVERS = {
    "auto": _complementarity.SparseFrictionMethod.AUTO,
    "newton": _complementarity.SparseFrictionMethod.NEWTON,
    "gauss_seidel": _complementarity.SparseFrictionMethod.GAUSS_SEIDEL,
    "projected_gradient": _complementarity.SparseFrictionMethod.PROJECTED_GRADIENT,
    "admm": _complementarity.SparseFrictionMethod.ADMM,
    "dense": _complementarity.SparseFrictionMethod.DENSE,
    "interior_point": _complementarity.SparseFrictionMethod.INTERIOR_POINT,
}
_MIDPOINT = _stepping.SteppingScheme.Midpoint
_HYBRID = _stepping.SteppingScheme.Hybrid
_POSITION_SCHEMES = {
    "euler": _stepping.SteppingScheme.EulerPosition,
    "rk4": _stepping.SteppingScheme.Rk4Position,
    "radau": _stepping.SteppingScheme.RadauPosition,
}
_VELOCITY_SCHEMES = {
    "rk4": _stepping.SteppingScheme.Rk4Velocity,
    "radau": _stepping.SteppingScheme.RadauVelocity,
}
_MAIN_INTEGRATORS = {
    "euler": _stepping.RungeKuttaMethod.Euler,
    "rk4": _stepping.RungeKuttaMethod.Rk4,
    "radau": _stepping.RungeKuttaMethod.Radau,
}
_FAILURES = {
    "continue": _stepping.OnStepFailure.Continue,
    "stop": _stepping.OnStepFailure.Stop,
}


def core_simulator(system: System, method: Method) -> _simulation.Simulation:
    if isinstance(method, Stepping):
        return _stepper(system, method)
    options = method.in_force
    options["impact_law"] = _IMPACT_LAWS[method.impact_law]
    options["on_inconsistent"] = _REACTIONS[method.on_inconsistent]
    options["solver"] = _SOLVERS[method.solver]
    if method.expansion is not None:
        options["expansion"] = _expansion(system, method.expansion)
    size = system.nq + system.nu + system.nx
    if method.atol is not None:
        if np.ndim(method.atol) > 0 and np.shape(method.atol) != (size,):
            raise ValueError(
                f"atol: expected a number or shape {(size,)}, got shape {np.shape(method.atol)}"
            )
        options["atol"] = as_array("atol", np.broadcast_to(method.atol, (size,)), (size,))
    return _simulation.EventDriven(system._core, **options)


def _stepper(system: System, method: Stepping) -> _simulation.Simulation:
    if not isinstance(method, Midpoint) and system._core.finds_contacts:
        raise ValueError(
            f"`method`: must be nsmb.Midpoint or nsmb.EventDriven for models whose shapes touch "
            f"anywhere (Model.collide), got nsmb.{type(method).__name__}, which has named contacts "
            "alone. Choose nsmb.Midpoint, or name the contacts with Model.add_contact."
        )
    options = dict(vars(method))
    options["on_failure"] = _FAILURES[method.on_failure]
    if isinstance(method, PositionForces | VelocityForces):
        _refuse_restitution(system, method)
        _set_forces(method, options)
    elif isinstance(method, Midpoint | Hybrid):
        _set_impacts(system, method, options)
    return _stepping.TimeStepping(system._core, **options)


def _refuse_restitution(system: System, method: PositionForces | VelocityForces) -> None:
    for contact in system.contacts:
        for name in ("e_N", "e_T"):
            value = getattr(contact.law, name)
            if value != 0.0:
                raise ValueError(
                    f"contact {contact.name!r}: `{name}`: must be 0 for "
                    f"nsmb.{type(method).__name__}, which finds forces and has no impacts, got "
                    f"{value:g}. Set it to 0, or choose nsmb.Midpoint."
                )


def _set_forces(method: PositionForces | VelocityForces, options: dict[str, Any]) -> None:
    schemes = _POSITION_SCHEMES if isinstance(method, PositionForces) else _VELOCITY_SCHEMES
    options["scheme"] = schemes[options.pop("integrator")]
    if method.main_integrator is not None:
        options["main_integrator"] = _MAIN_INTEGRATORS[method.main_integrator]
    options["solver"] = _SOLVERS[method.solver]
    options["max_outer"] = options.pop("max_iterations")


def _set_impacts(system: System, method: Midpoint | Hybrid, options: dict[str, Any]) -> None:
    options["scheme"] = _HYBRID if isinstance(method, Hybrid) else _MIDPOINT
    options["impact_law"] = _IMPACT_LAWS[method.impact_law]
    # Problems of single impacts and instants are dense.
    options["solver"] = _SOLVERS.get(method.solver, _SOLVERS["auto"])
    options["sparse_solver"] = _SPARSE_SOLVERS[method.solver]
    if method.max_iterations is None:
        del options["max_iterations"]
    if math.isinf(method.max_time):
        options["max_time"] = 0.0  # the core takes 0 as no limit
    if method.min_step is None:
        options["min_step"] = 1e-5 * method.step
    if method.error is not None:
        if np.ndim(method.error) > 0 and np.shape(method.error) != (system.nq,):
            raise ValueError(
                f"error: expected a number or shape {(system.nq,)}, got shape "
                f"{np.shape(method.error)}"
            )
        options["error"] = as_array(
            "error", np.broadcast_to(method.error, (system.nq,)), (system.nq,)
        )


def _expansion(
    system: System, choose: Callable[[Compression], Mapping[str, Any]]
) -> Callable[..., tuple[Vector, Vector, Vector, Vector]]:
    """Return the function that the core calls between the phases of an impact (8.10)."""
    names = ("e_N", "mu", "e_T", "nu")
    contact_names, nc = system.contact_names, system.nc

    # The garbage collector cannot see the reference that the core holds to this function. The
    # function must therefore not refer to the system.
    def parameters(
        Lambda_NC: Vector, Lambda_TC: Vector, gamma_NC: Vector, gamma_TC: Vector, *laws: Vector
    ) -> tuple[Vector, Vector, Vector, Vector]:
        given = dict(zip(names, laws, strict=True))
        copies = {name: values.copy() for name, values in given.items()}
        chosen = choose(
            Compression(contact_names, Lambda_NC, Lambda_TC, gamma_NC, gamma_TC, **copies)
        )
        if not isinstance(chosen, Mapping):
            raise ValueError(f"expansion: expected a mapping of parameters, got {chosen!r}")
        for name in chosen:
            if name not in given:
                raise unknown_name("expansion: parameter", name, names)

        def table(name: str) -> Vector:
            value = chosen.get(name, given[name])
            wide = np.broadcast_to(value, (nc,)) if np.ndim(value) == 0 else value
            return as_array(f"expansion: {name}", wide, (nc,))

        return table("e_N"), table("mu"), table("e_T"), table("nu")

    return parameters
