"""Systems given by Python functions, for trying things out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import system as _system
from nsmb.contacts import CallbackContact, Contact
from nsmb.system import ParameterInfo, State, System, as_array

__all__ = ["CallbackSystem"]

Vector = NDArray[np.float64]
# Central differences: error of order step², rounding of order eps/step.
_STEP = 6e-6
_SECOND_STEP = 1e-4


class CallbackSystem(System):
    """``M(t,q) u̇ = h(t,q,u) + W λ`` with q̇ = u, given by Python functions.

    Each evaluation calls them, so this is slow (some 10⁴ evaluations a second); what a function
    raises comes out of the simulation unchanged.

    Parameters
    ----------
    coordinates : sequence of str
        Names of the n coordinates.
    mass_matrix : callable (t, q) -> (n, n), or array_like (n, n) when it is constant
    forces : callable (t, q, u) -> (n,)
    contacts : sequence of CallbackContact
    potential_energy : callable (t, q) -> float, optional
    coordinate_units, initial_state, name, parameters, parameter_info, rebuild : optional
        As for :class:`LinearSystem`.

    Raises
    ------
    ValueError
        When a function returns a wrong shape, NaN, or a mass matrix that is not symmetric
        positive definite.

    Examples
    --------
    A pendulum whose tip hits a wall at x = 0:

    >>> import numpy as np, nsmb
    >>> pendulum = nsmb.CallbackSystem(
    ...     ["phi"],
    ...     mass_matrix=[[1.0]],
    ...     forces=lambda t, q, u: [-9.81 * np.sin(q[0])],
    ...     contacts=[
    ...         nsmb.CallbackContact(
    ...             gap=lambda t, q: np.sin(q[0]),
    ...             w_N=lambda t, q: [np.cos(q[0])],
    ...             law=nsmb.UnilateralContact(e_N=0.8),
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
        forces: Callable[[float, Vector, Vector], ArrayLike],
        contacts: Sequence[CallbackContact] = (),
        *,
        potential_energy: Callable[[float, Vector], float] | None = None,
        coordinate_units: Sequence[str] | None = None,
        initial_state: State | None = None,
        name: str = "callback system",
        parameters: Mapping[str, float] | None = None,
        parameter_info: Mapping[str, ParameterInfo] | None = None,
        rebuild: Callable[..., System] | None = None,
    ) -> None:
        n = len(coordinates)
        if callable(mass_matrix):
            mass = mass_matrix
        else:
            constant = as_array("mass_matrix", mass_matrix, (n, n))

            def mass(t: float, q: Vector) -> ArrayLike:
                return constant

        self._contact_functions = tuple(contacts)
        laws = [Contact(c.name or f"contact_{i + 1}", c.law) for i, c in enumerate(contacts)]
        self._contact_laws = tuple(laws)
        core = _system.CallbackSystem(
            list(coordinates),
            n,
            [_system.ContactDescription(c.name, c.law._core()) for c in laws],
            lambda t, q: as_array("mass_matrix(t, q)", mass(t, q), (n, n)),
            lambda t, q, u: as_array("forces(t, q, u)", forces(t, q, u), (n,)),
            self._evaluate_contacts,
            None,
            potential_energy,
            not callable(mass_matrix),
        )
        if not callable(mass_matrix):
            core.mass_matrix(0.0, np.zeros(n))  # refuses what is not positive definite
        super().__init__(
            core,
            name=name,
            coordinates=coordinates,
            coordinate_units=coordinate_units,
            contacts=laws,
            initial_state=initial_state,
            parameters=parameters,
            parameter_info=parameter_info,
            rebuild=rebuild,
        )

    def _evaluate_contacts(self, t: float, q: Vector, u: Vector) -> tuple[Vector, ...]:
        n = len(q)
        rows = [
            _Row(c, law.name, n)
            for c, law in zip(self._contact_functions, self._contact_laws, strict=True)
        ]
        return (
            np.array([row.gap(t, q) for row in rows]),
            np.array([row.w_N(t, q) for row in rows]).reshape(-1, n).T,
            np.array([row.w_T(t, q) for row in rows]).reshape(-1, n).T,
            np.array([row.w_tilde_N(t, q) for row in rows]),
            np.array([row.w_tilde_T(t, q) for row in rows]),
            np.array([row.w_bar_N(t, q, u) for row in rows]),
            np.array([row.w_bar_T(t, q, u) for row in rows]),
        )


class _Row:
    """One contact, with what was not given taken by differences."""

    def __init__(self, contact: CallbackContact, name: str, n: int) -> None:
        self.contact = contact
        self.prefix = f"contact '{name}': "
        self.n = n

    def _number(self, function: str, value: object) -> float:
        return float(as_array(self.prefix + function, value, ()))

    def gap(self, t: float, q: Vector) -> float:
        return self._number("gap(t, q)", self.contact.gap(t, q))

    def w_N(self, t: float, q: Vector) -> Vector:
        if self.contact.w_N is not None:
            return as_array(self.prefix + "w_N(t, q)", self.contact.w_N(t, q), (self.n,))
        gradient = np.empty(self.n)
        for i in range(self.n):
            step = _STEP * max(1.0, abs(q[i]))
            up, down = q.copy(), q.copy()
            up[i] += step
            down[i] -= step
            gradient[i] = (self.gap(t, up) - self.gap(t, down)) / (2.0 * step)
        return gradient

    def w_T(self, t: float, q: Vector) -> Vector:
        if self.contact.w_T is None:
            return np.zeros(self.n)
        return as_array(self.prefix + "w_T(t, q)", self.contact.w_T(t, q), (self.n,))

    def w_tilde_N(self, t: float, q: Vector) -> float:
        function = self.contact.w_tilde_N
        return 0.0 if function is None else self._number("w_tilde_N(t, q)", function(t, q))

    def w_tilde_T(self, t: float, q: Vector) -> float:
        function = self.contact.w_tilde_T
        return 0.0 if function is None else self._number("w_tilde_T(t, q)", function(t, q))

    def w_bar_N(self, t: float, q: Vector, u: Vector) -> float:
        if self.contact.w_bar_N is not None:
            return self._number("w_bar_N(t, q, u)", self.contact.w_bar_N(t, q, u))
        if self.contact.w_N is None and self.contact.w_tilde_N is None:
            # One second difference is better than two nested first ones.
            step = _SECOND_STEP * self._time_unit(q, u)
            up = self.gap(t + step, q + step * u)
            down = self.gap(t - step, q - step * u)
            return (up - 2.0 * self.gap(t, q) + down) / step**2
        return self._along_motion(
            lambda s, p: float(self.w_N(s, p) @ u) + self.w_tilde_N(s, p), t, q, u
        )

    def w_bar_T(self, t: float, q: Vector, u: Vector) -> float:
        if self.contact.w_bar_T is not None:
            return self._number("w_bar_T(t, q, u)", self.contact.w_bar_T(t, q, u))
        if self.contact.w_T is None:
            return 0.0
        return self._along_motion(
            lambda s, p: float(self.w_T(s, p) @ u) + self.w_tilde_T(s, p), t, q, u
        )

    @staticmethod
    def _time_unit(q: Vector, u: Vector) -> float:
        """Time in which the coordinates move by about their size."""
        return max(1.0, float(np.abs(q).max())) / max(1.0, float(np.abs(u).max()))

    def _along_motion(
        self, gamma: Callable[[float, Vector], float], t: float, q: Vector, u: Vector
    ) -> float:
        """w̄ = dγ/dt with u̇ = 0 (4.45)."""
        step = _STEP * self._time_unit(q, u)
        up = gamma(t + step, q + step * u)
        down = gamma(t - step, q - step * u)
        return (up - down) / (2.0 * step)
