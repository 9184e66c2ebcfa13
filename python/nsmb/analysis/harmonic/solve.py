"""Harmonic balance: the response of a system, starting from a guess."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb._core.system import ElementLaw
from nsmb.analysis.common.errors import AnalysisError
from nsmb.analysis.harmonic.balance import Balance, Balanced
from nsmb.analysis.harmonic.basis import Basis
from nsmb.analysis.harmonic.response import HarmonicResponse
from nsmb.analysis.orbits.newton import NewtonResult, newton
from nsmb.common.arguments import fraction, whole
from nsmb.simulation.simulate import simulate
from nsmb.solution.solution import Solution
from nsmb.system.base import State, System, SystemLike, as_system

__all__ = ["balance_of", "harmonic_balance", "response_of", "supported"]

Vector = NDArray[np.float64]

_SAMPLES = 32  # for each harmonic, counting the mean
_LEAST = 128
_SETTLING = 50  # periods of a run that provides a guess
_MEETS = 1e-2  # relative to the largest velocity of a gap; a faster approach is an impact
_OPEN = 1e-6  # relative to the range of the coordinates; larger gaps are open
_REMEDY = "pass a guess nearer to the response, such as a settled run, or more harmonics"


def harmonic_balance(
    system: SystemLike,
    harmonics: int = 7,
    *,
    guess: HarmonicResponse | Solution | None = None,
    periods: int = 1,
    samples: int | None = None,
    tol: float = 1e-9,
    max_iterations: int = 60,
    throw: bool = True,
) -> HarmonicResponse:
    """Find the periodic response of a forced system as a truncated Fourier series.

    The coefficients solve Galerkin's equations in time. Nonlinear terms are evaluated at samples
    over the period and transformed back (alternating frequency/time method). Friction, unilateral
    contacts without impacts and bilateral constraints keep their set-valued laws, which are
    λ = proj(λ - ρ γ) with as many harmonics for λ. Force elements keep their laws (3.16)-(3.23),
    where contact may start between two samples. Unstable responses are found in the same way as
    stable ones. For an exact orbit and its stability, pass `start` to :func:`periodic_orbit`.

    Parameters
    ----------
    system : System or Model
        Must have a `period`, after which its coordinates return. The series converges slowly if
        forces jump with time or velocity.
    harmonics : int
        Number H of harmonics; 1 is the method of describing functions.
    guess : HarmonicResponse or Solution, optional
        Response of the same or of a similar system, or a run, of which the last period is used.
        Default: rest, and if that does not converge, a run of 50 periods.
    periods : int
        Periods of the system in one period of the response (subharmonics).
    samples : int, optional
        Number of samples over the period; default 32 (H + 1), at least 128. The error due to kinks
        decreases with its square.
    tol : float
        Largest residual, relative to the largest force of the guess or of the response.
    max_iterations : int
    throw : bool
        Raise if no response is found. If False, return the last iterate with its status.

    Returns
    -------
    HarmonicResponse

    Raises
    ------
    ValueError
        If the system has no period, if its velocities are not the rates of its coordinates, if it
        has watched functions or contact points that come and go, or if a number is out of range.
    AnalysisError
        If no response is found, or if it meets contacts with impacts.

    Examples
    --------
    One harmonic is the method of describing functions, here of a gear with backlash:

    >>> import nsmb
    >>> from nsmb import analysis
    >>> response = analysis.harmonic_balance(nsmb.systems.ship_turning_gear(r=0.9, p=1.0), 1)
    >>> exact = nsmb.systems.ship_turning_gear.amplitudes(0.9, 1.0)
    >>> bool(abs(response.amplitude("x") / exact[0] - 1.0) < 1e-3)
    True

    References
    ----------
    Pfeiffer & Glocker, (12.34)-(12.37) for one harmonic.
    """
    system = as_system("system", system)
    supported(system)
    count, turns = whole("harmonics", harmonics, 1), whole("periods", periods, 1)
    most = whole("max_iterations", max_iterations, 1)
    enough = max(_LEAST, _SAMPLES * (count + 1))
    points = enough if samples is None else whole("samples", samples, 2 * count + 2)
    tolerance = fraction("tol", tol)
    basis = Basis(count, points)
    balance = balance_of(system, basis, turns, _force_size(system, turns))

    def solved(guess: HarmonicResponse | Solution | None) -> HarmonicResponse:
        Z = _guessed(balance, guess)
        found = newton(balance.evaluate, Z, tol=tolerance, max_iterations=most, remedy=_REMEDY)
        return response_of(balance, turns, found)

    response = solved(guess)
    if guess is None and response.status == "no_convergence":
        run = simulate(system, balance.t + _SETTLING * balance.period, throw=False)
        if run.status == "finished":
            response = solved(run)
    if throw and not response.success:
        raise AnalysisError(f"{response.status}: {response.message}", response)
    return response


def supported(system: System) -> None:
    """Raise ValueError for a system that is not supported."""
    as_system("system", system)

    def refuse(expected: str, got: str) -> ValueError:
        return ValueError(f"system: must have {expected}, got {system.name} {got}")

    if system.period is None:
        raise refuse("a period in time (System.period)", "without")
    if system.nq != system.nu:
        raise refuse("velocities that are the rates of the coordinates", "with others")
    if system._core.has_features:
        raise refuse("persistent contact points", "with contact points that appear and disappear")
    if any(element.law == ElementLaw.Watched for element in system._core.elements):
        raise refuse("no watched functions", "with some")
    for contact in system.contacts:
        if contact.law.aspect != 1.0:
            raise refuse("isotropic friction", f"with elliptic friction at {contact.name!r}")


def _force_size(system: System, periods: int) -> Vector:
    """Return the largest force at rest over a period as the size of all equations, shape (n,)."""
    assert system.period is not None
    start = system.initial_state
    times = start.t + np.linspace(0.0, periods * system.period, 65)[:-1]
    u = np.zeros(system.nu)
    x = np.zeros(system.nx)
    x[: start.x.size] = start.x
    h = np.array([system.forces(t, start.q, u, x) for t in times.tolist()])
    largest = np.abs(h).max(axis=0)
    whole_size = float(largest.max(initial=0.0))
    return np.full(system.nu, whole_size if whole_size > 0.0 else 1.0)


def balance_of(system: System, basis: Basis, periods: int, force_size: Vector) -> Balance:
    """Return the equations of one system."""
    assert system.period is not None
    return Balance(system, basis, periods * system.period, system.initial_state.t, force_size)


def _guessed(balance: Balance, guess: HarmonicResponse | Solution | None) -> Vector:
    basis, sizes = balance.basis, balance.sizes
    parts = {name: np.zeros((basis.size, size)) for name, size in sizes.items()}
    if guess is None:
        parts["q"][0] = balance.system.initial_state.q
        parts["x"][0] = balance.system.initial_state.x[: sizes["x"]]
    elif isinstance(guess, HarmonicResponse):
        given = {
            "q": guess.coefficients, "x": guess.state_coefficients, "N": guess.lambda_N,
            "T": guess.lambda_T, "B": guess.lambda_B,
        }  # fmt: skip
        for name, rows in given.items():
            if rows.shape[1] != sizes[name]:
                raise ValueError(
                    f"guess: expected a response of {balance.system.name}, got one of "
                    f"{guess.system.name}"
                )
            shared = min(rows.shape[0], basis.size)
            parts[name][:shared] = rows[:shared]
    elif isinstance(guess, Solution):
        parts |= _last_period(balance, guess)
    else:
        raise ValueError(f"guess: expected a HarmonicResponse, a Solution or None, got {guess!r}")
    return np.concatenate([parts[name].ravel() for name in sizes])


def _last_period(balance: Balance, run: Solution) -> dict[str, Vector]:
    """Return the coefficients of the last period of a run."""
    first, last = run.t_span
    if last - first < balance.period * (1.0 - 1e-9) or run.q.shape[1] != balance.system.nq:
        raise ValueError(
            f"guess: expected a run of {balance.system.name} over {balance.period:.6g} s at least, "
            f"got one over {last - first:.6g} s"
        )
    turns = np.floor((last - balance.period - balance.t) / balance.period + 1e-9)
    begin = max(first, balance.t + turns * balance.period)
    tau = balance.basis.tau / balance.omega
    sample = run.at(begin + tau)
    shift = balance.omega * (begin - balance.t)  # runs below two periods start at any phase
    rows = np.linalg.lstsq(
        balance.basis.at(balance.basis.tau + shift),
        np.concatenate(
            [sample.q, sample.x[:, : balance.sizes["x"]], sample.lambda_N, sample.lambda_T], axis=1
        ),
        rcond=None,
    )[0]
    ends = np.cumsum([balance.sizes[name] for name in "qxNT"])
    q, x, N, T = np.split(rows, ends[:-1], axis=1)
    return {"q": q, "x": x, "N": N, "T": T}


def response_of(balance: Balance, periods: int, found: NewtonResult[Balanced]) -> HarmonicResponse:
    """Return the response that the coefficients represent."""
    part, basis = balance.split(found.X), balance.basis
    status, message = found.status, found.message
    walls = np.zeros(balance.system.nx - balance.sizes["x"])
    if found.evaluation is not None:
        walls = found.evaluation.walls[0, balance.equations.walled]
        if found.converged and (met := _impacts(balance, found.evaluation)):
            status, message = "impacts", met
    motion = balance.motion(found.X)
    x = np.concatenate([motion.x[0], walls])
    start = State(balance.t, motion.q[0].copy(), motion.u[0].copy(), x)
    return HarmonicResponse(
        balance.system,
        balance.period,
        periods,
        basis.harmonics,
        basis.samples,
        balance.t,
        part["q"],
        part["x"],
        part["N"],
        part["T"],
        part["B"],
        start,
        found.residuals[-1] if found.residuals else np.inf,
        found.residuals,
        status,
        message,
    )


def _impacts(balance: Balance, here: Balanced) -> str:
    """Return a message about a contact that closes with a velocity; empty if there is none."""
    step = balance.period / balance.basis.samples
    rates = (np.roll(here.gaps, -1, axis=0) - np.roll(here.gaps, 1, axis=0)) / (2.0 * step)
    size = max(float(np.ptp(here.motion.q, axis=0).max(initial=0.0)), 1e-300)
    for i, contact in enumerate(balance.system.contacts):
        gap = here.gaps[:, i]
        if not contact.is_unilateral or gap.max() <= 0.05 * size:
            continue
        closes = (gap > _OPEN * size) & (np.roll(gap, -1) <= _OPEN * size)
        speed = float(-rates[closes, i].min(initial=0.0))
        if speed > _MEETS * np.abs(rates[:, i]).max(initial=0.0):
            return (
                f"contact {contact.name!r} closes with an impact at {speed:.3g} m/s, which a "
                "truncated series cannot represent. Use periodic_orbit, or replace the contact "
                "by a force element."
            )
    return ""
