"""How the options of a simulation reach the core."""

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
from nsmb.common.arguments import as_array, one_of, unknown_name
from nsmb.system.base import System, as_system
from nsmb.system.options import INTEGRATORS, Compression, EventDriven
from nsmb.system.stepping_options import FORCE_SCHEMES, Method, TimeStepping

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
_SCHEMES = {
    "midpoint": _stepping.SteppingScheme.Midpoint,
    "hybrid": _stepping.SteppingScheme.Hybrid,
    "euler-position": _stepping.SteppingScheme.EulerPosition,
    "rk4-position": _stepping.SteppingScheme.Rk4Position,
    "rk4-velocity": _stepping.SteppingScheme.Rk4Velocity,
    "radau-position": _stepping.SteppingScheme.RadauPosition,
    "radau-velocity": _stepping.SteppingScheme.RadauVelocity,
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


def _method_of(given: object) -> str:
    """What the name of an integrator is taken for."""
    known = isinstance(given, str) and given in INTEGRATORS
    return f"; nsmb.EventDriven(integrator={given!r}) is one" if known else ""


def core_simulator(system: System, method: Method) -> _simulation.Simulation:
    as_system("system", system)
    if isinstance(method, TimeStepping):
        return _stepper(system, method)
    if not isinstance(method, EventDriven):
        raise ValueError(
            f"method: expected nsmb.EventDriven(...), got {method!r}{_method_of(method)}"
        )
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


def _stepper(system: System, method: TimeStepping) -> _simulation.Simulation:
    if method.scheme != "midpoint" and system._core.finds_contacts:
        raise ValueError(
            f"scheme: must be 'midpoint' for models whose shapes touch anywhere (Model.collide), "
            f"got {method.scheme!r}, which knows contacts with names alone. Choose "
            "scheme='midpoint' or nsmb.EventDriven(), or name the contacts with Model.add_contact."
        )
    options = method.in_force
    options["scheme"] = _SCHEMES[method.scheme]
    options["on_failure"] = _FAILURES[method.on_failure]
    if "impact_law" in options:
        options["impact_law"] = _IMPACT_LAWS[options["impact_law"]]
    if method.main_integrator is not None:
        options["main_integrator"] = _MAIN_INTEGRATORS[method.main_integrator]
    _set_solver(system, method, options)
    if options.get("min_step") is None:
        options["min_step"] = 1e-5 * options["step"]
    if method.error is not None:
        if np.ndim(method.error) > 0 and np.shape(method.error) != (system.nq,):
            raise ValueError(
                f"error: expected a number or shape {(system.nq,)}, got shape "
                f"{np.shape(method.error)}"
            )
        options["error"] = as_array(
            "error", np.broadcast_to(method.error, (system.nq,)), (system.nq,)
        )
    return _stepping.TimeStepping(system._core, **options)


def _set_solver(system: System, method: TimeStepping, options: dict[str, Any]) -> None:
    """Choose the solver and its budget."""
    most = options.pop("max_iterations", None)
    if method.scheme in FORCE_SCHEMES:
        one_of("solver", method.solver, _SOLVERS)
        options["solver"] = _SOLVERS[method.solver]
        if most is not None:
            options["max_outer"] = most
        return
    one_of("solver", method.solver, _SPARSE_SOLVERS)
    # Impacts and instants have dense problems.
    options["solver"] = _SOLVERS.get(method.solver, _SOLVERS["auto"])
    options["sparse_solver"] = _SPARSE_SOLVERS[method.solver]
    if most is not None:
        options["max_iterations"] = most
    if math.isinf(options.get("max_time", 0.0)):
        options["max_time"] = 0.0  # of the core: no limit


def _expansion(
    system: System, choose: Callable[[Compression], Mapping[str, Any]]
) -> Callable[..., tuple[Vector, Vector, Vector, Vector]]:
    """Make the function that the core calls between the phases of an impact (8.10)."""
    names = ("e_N", "mu", "e_T", "nu")
    contact_names, nc = system.contact_names, system.nc

    # The core holds this function where the garbage collector cannot see it: it may not know the
    # system.
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
