"""How the options of a simulation reach the core."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from nsmb._core import complementarity as _complementarity
from nsmb._core import contact_laws as _contact_laws
from nsmb._core import simulation as _simulation
from nsmb._core import stepping as _stepping
from nsmb.common.arguments import as_array, one_of, unknown_name
from nsmb.system.base import System, as_system
from nsmb.system.options import INTEGRATORS, Compression, EventDriven
from nsmb.system.stepping_options import FORCE_SCHEMES, MOST_OUTER, Method, TimeStepping

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
    "moreau-jean": _stepping.SteppingScheme.MoreauJean,
    "half-explicit": _stepping.SteppingScheme.HalfExplicit,
    "projected": _stepping.SteppingScheme.Projected,
    "rattle": _stepping.SteppingScheme.Rattle,
    "hybrid": _stepping.SteppingScheme.Hybrid,
    "euler-position": _stepping.SteppingScheme.EulerPosition,
    "rk4-position": _stepping.SteppingScheme.Rk4Position,
    "rk4-velocity": _stepping.SteppingScheme.Rk4Velocity,
    "radau-position": _stepping.SteppingScheme.RadauPosition,
    "radau-velocity": _stepping.SteppingScheme.RadauVelocity,
}
_MAIN_INTEGRATORS = {
    None: None,
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
    if system._core.finds_contacts:
        raise ValueError(
            'method: expected nsmb.TimeStepping(step=..., scheme="half-explicit") for models whose '
            f"shapes touch anywhere (Model.collide), got {type(method).__name__}, which locates "
            "the events of contacts that are named: give them with Model.add_contact"
        )
    options = dict(vars(method))
    options["impact_law"] = _IMPACT_LAWS[method.impact_law]
    options["on_inconsistent"] = _REACTIONS[method.on_inconsistent]
    options["solver"] = _SOLVERS[method.solver]
    options["expansion"] = _expansion(system, method)
    size = system.nq + system.nu + system.nx
    if method.atol is not None:
        if np.ndim(method.atol) > 0 and np.shape(method.atol) != (size,):
            raise ValueError(
                f"atol: expected a number or shape {(size,)}, got shape {np.shape(method.atol)}"
            )
        options["atol"] = as_array("atol", np.broadcast_to(method.atol, (size,)), (size,))
    return _simulation.EventDriven(system._core, **options)


def _stepper(system: System, method: TimeStepping) -> _simulation.Simulation:
    options = dict(vars(method))
    options["scheme"] = _SCHEMES[method.scheme]
    options["impact_law"] = _IMPACT_LAWS[method.impact_law]
    options["on_failure"] = _FAILURES[method.on_failure]
    options["main_integrator"] = _MAIN_INTEGRATORS[method.main_integrator]
    options |= _solver_of_steps(system, method)
    options["min_step"] = 1e-5 * options["step"] if method.min_step is None else method.min_step
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


def _solver_of_steps(system: System, method: TimeStepping) -> dict[str, object]:
    """Of shapes that touch anywhere the sparse solvers with their budget, else the dense ones."""
    if not system._core.finds_contacts:
        one_of("solver", method.solver, _SOLVERS)
        if method.scheme in FORCE_SCHEMES:
            return _outer_iteration(method)
        for name, without in (("max_time", math.inf), ("max_iterations", 0), ("threads", 1)):
            if getattr(method, name) != without:
                raise ValueError(
                    f"{name}: expected {without}, for a system whose contacts are named, got "
                    f"{getattr(method, name)}; it is for shapes that touch anywhere "
                    "(Model.collide)"
                )
        return {"solver": _SOLVERS[method.solver], "max_time": 0.0}
    if method.scheme in FORCE_SCHEMES:
        raise ValueError(
            f"scheme: expected 'half-explicit' or 'projected' for models whose shapes touch "
            f"anywhere (Model.collide), got {method.scheme!r}, which finds forces of contacts that "
            "are named: give them with Model.add_contact"
        )
    one_of("solver", method.solver, _SPARSE_SOLVERS)
    max_time = 0.0 if math.isinf(method.max_time) else method.max_time  # 0 in the core: no limit
    options: dict[str, object] = {"solver": _SOLVERS["auto"], "max_time": max_time}
    return options | {"sparse_solver": _SPARSE_SOLVERS[method.solver]}


def _outer_iteration(method: TimeStepping) -> dict[str, object]:
    for name, without in (("max_time", math.inf), ("threads", 1)):
        if getattr(method, name) != without:
            raise ValueError(
                f"{name}: expected {without} for scheme {method.scheme!r}, got "
                f"{getattr(method, name)}; it is for shapes that touch anywhere (Model.collide)"
            )
    options: dict[str, object] = {"solver": _SOLVERS[method.solver], "max_time": 0.0}
    options["max_iterations"] = 0
    return options | {"max_outer": method.max_iterations or MOST_OUTER}


def _expansion(
    system: System, method: EventDriven
) -> Callable[..., tuple[Vector, Vector, Vector, Vector]] | None:
    """What the core calls between the phases of an impact (8.10)."""
    choose = method.expansion
    if choose is None:
        return None
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
