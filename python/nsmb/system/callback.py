"""Systems defined by Python functions, for prototypes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import system as _system
from nsmb.common.arguments import as_array, check_signature
from nsmb.system.base import ParameterInfo, State, System
from nsmb.system.callback_kinematics import Functions, Row
from nsmb.system.callback_values import call, freeze, real, returned
from nsmb.system.contact_info import ContactInfo
from nsmb.system.contact_laws import ContactLaw, as_numbers
from nsmb.system.contacts import Constraint, Contact, Friction
from nsmb.system.discontinuities import Discontinuity, as_discontinuities, core_discontinuities
from nsmb.system.forces import ForceElement, as_gap_force, element_description
from nsmb.system.geometry import FUNCTIONS, check_part
from nsmb.system.inputs import Input, as_inputs, core_inputs

__all__ = ["CallbackSystem"]

Vector = NDArray[np.float64]
_Contacts = tuple[Vector, Vector, Vector, Vector, Vector, Vector, Vector, Vector]
_Elements = tuple[Vector, Vector, Vector]
_Constraints = tuple[Vector, Vector, Vector, Vector]


class CallbackSystem(System):
    """A system of Python functions: ``M(t,q) u̇ = h(t,q,u,x) + W λ``, ``ẋ = f(t,q,u,x)``, q̇ = u.

    Simulations are slow, at some 10⁴ evaluations per second, because each evaluation calls Python
    functions. Exceptions of a function are raised unchanged. A trial step is repeated with a
    shorter length if a function has no finite value there or raises OverflowError. A run that
    cannot avoid such a state ends with the status ``integration_failure``. A system can be pickled
    if its functions can. Functions of a module can be pickled, lambdas cannot.

    Parameters
    ----------
    coordinates : sequence of str
        Names of the n coordinates.
    mass_matrix : callable (t, q) -> (n, n), or array_like (n, n) if it is constant
        Mass matrix M.
    forces : callable (t, q, u) -> (n,), or (t, q, u, x) -> (n,) with states
        Forces h.
    contacts : sequence of Contact and Friction
        Contacts, whose geometry is given by functions.
    elements : sequence of ForceElement
        One-sided springs and dampers, whose geometry is given by functions.
    constraints : sequence of Constraint
        Bilateral constraints. The initial state must satisfy them, see
        :func:`nsmb.instant.consistent_state`.
    states : sequence of str
        Names of internal first-order states.
    state_rates : callable (t, q, u, x) -> (len(states),)
        Rates f of the internal states.
    potential_energy : callable (t, q) -> float, optional
        Potential energy of the forces, J.
    coordinate_units, initial_state, name, parameters, parameter_info, rebuild : optional
        As for :class:`LinearSystem`.
    scale : array_like (n,), optional
        Change of each coordinate over which gaps bend noticeably, such as the radius of a ball, or
        1 for an angle. It determines the steps of differences, see :class:`Contact`. The default 1
        is unsuitable for micrometre-sized displacements in metres.
    period : float, optional
        Period of the explicit time dependence, s.
    inputs : sequence of Input
        Inputs. `forces` and `state_rates` receive their values in this order after the other
        arguments: ``forces(t, q, u, motor)``.
    discontinuities : sequence of float and Repeating
        Times, in s, at which a function jumps or bends, such as a switched load or a wall that
        reverses. A run stops and restarts there. Discontinuities at other times may be stepped
        over. The value of a function at the time itself is irrelevant. Contacts that bend there
        require `w_tilde_N` and `w_bar_N`, because differences would extend across the time.
    check : bool
        Compare `w_N`, `w_tilde_N`, `w_bar_N` and `w_bar_T` of the contacts with differences at the
        initial state, and check that slips and velocities are affine in the velocities. Exceptions
        of a function are raised unchanged. The check is skipped for functions without a finite
        value there, and for gaps so uneven that differences depend on their step.

    Raises
    ------
    ValueError
        If a function returns a wrong shape, NaN, complex numbers, numbers beyond 1e150, or a mass
        matrix that is not symmetric positive definite. If a function writes into its arguments. If
        a function of a contact contradicts the differences.
    TypeError
        If a contact, force element or constraint is given by numbers or expressions.

    Examples
    --------
    The tip of a pendulum hits a wall at x = 0:

    >>> import numpy as np, nsmb
    >>> pendulum = nsmb.CallbackSystem(
    ...     ["phi"],
    ...     mass_matrix=[[1.0]],
    ...     forces=lambda t, q, u: [-9.81 * np.sin(q[0])],
    ...     contacts=[
    ...         nsmb.Contact(
    ...             gap=lambda t, q: np.sin(q[0]),
    ...             w_N=lambda t, q: [np.cos(q[0])],
    ...             law=nsmb.ContactLaw(e_N=0.8),
    ...         )
    ...     ],
    ...     initial_state=nsmb.State(0.0, np.array([1.0]), np.array([0.0])),
    ... )
    >>> nsmb.simulate(pendulum, t_end=2.0).events.kinds[0]
    'impact'
    """

    def __init__(
        self,
        coordinates: Sequence[str],
        mass_matrix: Callable[[float, Vector], ArrayLike] | ArrayLike,
        forces: Callable[..., ArrayLike],
        contacts: Sequence[Contact | Friction] = (),
        *,
        elements: Sequence[ForceElement] = (),
        constraints: Sequence[Constraint] = (),
        states: Sequence[str] = (),
        state_rates: Callable[[float, Vector, Vector, Vector], ArrayLike] | None = None,
        potential_energy: Callable[[float, Vector], float] | None = None,
        coordinate_units: Sequence[str] | None = None,
        initial_state: State | None = None,
        name: str = "callback system",
        parameters: Mapping[str, float] | None = None,
        parameter_info: Mapping[str, ParameterInfo] | None = None,
        rebuild: Callable[..., System] | None = None,
        scale: ArrayLike | None = None,
        check: bool = True,
        period: float | None = None,
        discontinuities: Sequence[Discontinuity] = (),
        inputs: Sequence[Input] = (),
    ) -> None:
        n = len(coordinates)
        names_q = tuple(coordinates)
        if callable(mass_matrix):
            mass = mass_matrix
        else:
            constant = as_array("mass_matrix", mass_matrix, (n, n))

            def mass(t: float, q: Vector) -> ArrayLike:
                return constant

        contacts, elements = tuple(contacts), tuple(elements)
        laws = [
            _description(c, getattr(c, "name", "") or f"contact_{i + 1}")
            for i, c in enumerate(contacts)
        ]
        scales = as_array("scale", np.ones(n) if scale is None else scale, (n,)).tolist()
        if not all(value > 0.0 for value in scales):
            raise ValueError(f"scale: expected numbers > 0, got {scales}")
        rows = [
            Row(Functions.of(c), law, scales, names_q)
            for c, law in zip(contacts, laws, strict=True)
        ]
        names = [getattr(e, "name", "") or f"element_{i + 1}" for i, e in enumerate(elements)]
        points = [
            _row("force element", e, ForceElement, name, scales, names_q)
            for e, name in zip(elements, names, strict=True)
        ]
        of_elements = [
            as_gap_force(f"force element {name!r}: law", e.law)
            for e, name in zip(elements, names, strict=True)
        ]
        constraints = tuple(constraints)
        bound = [getattr(c, "name", "") or f"constraint_{i + 1}" for i, c in enumerate(constraints)]
        loops = [
            _row("constraint", c, Constraint, name, scales, names_q)
            for c, name in zip(constraints, bound, strict=True)
        ]
        n_x = len(states)
        if n_x > 0 and state_rates is None:
            raise ValueError("state_rates: expected a function of (t, q, u, x), got None")
        if n_x == 0 and state_rates is not None:
            raise ValueError("states: expected names of the states of state_rates, got none")

        inputs = as_inputs("inputs", inputs)
        held = [entry.name for entry in inputs]
        of_forces = ", ".join(["t, q, u, x" if n_x > 0 else "t, q, u", *held])
        of_rates = ", ".join(["t, q, u, x", *held])
        for argument, function, expected in (
            ("mass_matrix", mass_matrix if callable(mass_matrix) else None, "t, q"),
            ("forces", forces, of_forces),
            ("state_rates", state_rates, of_rates),
            ("potential_energy", potential_energy, "t, q"),
        ):
            if function is not None and not callable(function):
                raise ValueError(
                    f"{argument}: expected a function of ({expected}), got {function!r}"
                )
            if function is not None:
                check_signature(argument, function, expected)

        names_x = tuple(states)

        def core_mass(t: float, q: Vector) -> Vector:
            freeze(q)
            what = "mass_matrix(t, q)"
            return returned(what, call(what, mass, t, q), (n, n), names_q)

        def core_forces(t: float, q: Vector, u: Vector, x: Vector, v: Vector) -> Vector:
            freeze(q, u, x)
            given = (t, q, u, x) if n_x > 0 else (t, q, u)
            what = f"forces({of_forces})"
            return returned(what, call(what, forces, *given, *v.tolist()), (n,), names_q)

        def core_rates(t: float, q: Vector, u: Vector, x: Vector, v: Vector) -> Vector:
            freeze(q, u, x)
            assert state_rates is not None
            what = f"state_rates({of_rates})"
            value = call(what, state_rates, t, q, u, x, *v.tolist())
            return returned(what, value, (n_x,), names_x)

        def core_energy(t: float, q: Vector) -> float:
            freeze(q)
            what = "potential_energy(t, q)"
            assert potential_energy is not None
            return float(real(what, call(what, potential_energy, t, q)))

        times = as_discontinuities("discontinuities", discontinuities)
        description = _system.SystemDescription(
            list(coordinates),
            n,
            [law._core(laws) for law in laws],
            list(states),
            [element_description(law, name) for law, name in zip(of_elements, names, strict=True)],
            bound,
            core_discontinuities(times),
            core_inputs(inputs),
        )
        # The garbage collector cannot see the references that the core holds to these functions.
        # None of them must refer to this object.
        core = _system.CallbackSystem(
            description,
            core_mass,
            core_forces,
            _evaluation(rows, n),
            _constraint_evaluation(loops, n) if loops else None,
            None if state_rates is None else core_rates,
            _element_evaluation(points, n) if points else None,
            None,
            None if potential_energy is None else core_energy,
            not callable(mass_matrix),
        )
        if not callable(mass_matrix):
            core.mass_matrix(0.0, np.zeros(n))  # raises an error if it is not positive definite
        super().__init__(
            core,
            name=name,
            coordinates=coordinates,
            coordinate_units=coordinate_units,
            contacts=laws,
            elements=names,
            initial_state=initial_state,
            parameters=parameters,
            parameter_info=parameter_info,
            rebuild=rebuild,
            period=period,
            inputs=inputs,
        )
        self._given: dict[str, Any] = {
            "mass_matrix": mass if callable(mass_matrix) else constant,
            "forces": forces,
            "contacts": contacts,
            "elements": elements,
            "constraints": constraints,
            "states": tuple(states),
            "state_rates": state_rates,
            "potential_energy": potential_energy,
            "scale": scales,
            "check": check,
            "discontinuities": times,
            "inputs": inputs,
        }
        if check:
            start = self.initial_state
            for row in (*rows, *loops):
                row.check(start.t, start.q, start.u)

    def _arguments(self) -> dict[str, Any]:
        return super()._arguments() | self._given


def _description(contact: Contact | Friction, label: str) -> ContactInfo:
    if not isinstance(contact, Contact | Friction):
        raise TypeError(
            f"contact {label!r}: must be a nsmb.Contact or a nsmb.Friction, got {contact!r}"
        )
    check_part(contact, label, FUNCTIONS)
    tangents = 1 if contact.tangents is None else contact.tangents
    if isinstance(contact, Contact):
        if contact.gap is None:
            raise ValueError(
                f"contact {label!r}: gap: must be given in a CallbackSystem, got None. Give a "
                "function of (t, q)."
            )
        return ContactInfo(label, contact.law, tangents)
    as_numbers(f"contact {label!r}: ", contact, ("mu", "aspect"))
    return ContactInfo(label, contact._law, tangents, contact.normal, False, contact._is_bounded)


def _row(
    kind: str,
    part: ForceElement | Constraint,
    wanted: type,
    name: str,
    scales: Sequence[float],
    coordinates: Sequence[str],
) -> Row:
    """Return the kinematics of a force element or constraint, in the form of a contact."""
    if not isinstance(part, wanted):
        raise TypeError(f"{kind} {name!r}: must be a nsmb.{wanted.__name__}, got {part!r}")
    check_part(part, name, FUNCTIONS)
    if isinstance(part, ForceElement) and part.gap is None:
        raise ValueError(
            f"{kind} {name!r}: gap: must be given in a CallbackSystem, got None. Give a function "
            "of (t, q)."
        )
    return Row(Functions.of(part), ContactInfo(name, ContactLaw()), scales, coordinates, kind)


def _evaluation(rows: Sequence[Row], n: int) -> Callable[[float, Vector, Vector], _Contacts]:
    """Return the function that the core calls to evaluate all contacts."""

    def flat(parts: Sequence[Vector]) -> Vector:
        return np.concatenate(parts) if parts else np.zeros(0)

    def evaluate(t: float, q: Vector, u: Vector) -> _Contacts:
        freeze(q, u)
        return (
            np.array([row.gap(t, q) for row in rows]),
            np.array([row.w_N(t, q) for row in rows]).reshape(-1, n).T,
            np.hstack([row.w_T(t, q) for row in rows]) if rows else np.zeros((n, 0)),
            np.array([row.w_tilde_N(t, q) for row in rows]),
            flat([row.w_tilde_T(t, q) for row in rows]),
            np.array([row.w_bar_N(t, q, u) for row in rows]),
            flat([row.w_bar_T(t, q, u) for row in rows]),
            np.array([row.bound(t, q, u) for row in rows]),
        )

    return evaluate


def _element_evaluation(points: Sequence[Row], n: int) -> Callable[[float, Vector], _Elements]:
    """Return the function that the core calls to evaluate all force elements."""

    def evaluate(t: float, q: Vector) -> _Elements:
        freeze(q)
        return (
            np.array([row.gap(t, q) for row in points]),
            np.array([row.w_N(t, q) for row in points]).reshape(-1, n).T,
            np.array([row.w_tilde_N(t, q) for row in points]),
        )

    return evaluate


def _constraint_evaluation(
    loops: Sequence[Row], n: int
) -> Callable[[float, Vector, Vector], _Constraints]:
    """Return the function that the core calls to evaluate all bilateral constraints."""

    def evaluate(t: float, q: Vector, u: Vector) -> _Constraints:
        freeze(q, u)
        return (
            np.array([row.gap(t, q) for row in loops]),
            np.array([row.w_N(t, q) for row in loops]).reshape(-1, n).T,
            np.array([row.w_tilde_N(t, q) for row in loops]),
            np.array([row.w_bar_N(t, q, u) for row in loops]),
        )

    return evaluate
