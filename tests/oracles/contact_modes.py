"""Contact problems with planar Coulomb friction, solved by enumerating contact modes.

For accelerations, every closed contact opens, sticks or slides. For Poisson impacts, every contact
separates or is held, and sticks or slips, first in compression and then in expansion. Each
combination is a linear problem with signs, solved by nonnegative least squares, which admits
dependent contacts. Pfeiffer & Glocker (6.35), (8.87), (8.97).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.oracles.least_squares import nonnegative

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """One solution: forces or impulses, and the resulting accelerations or velocities."""

    modes: tuple[str, ...]
    lambda_N: Array
    lambda_T: Array
    value: Array
    """Accelerations, or velocities after the phase, shape (n,)."""


def solve(
    Minv: Array,
    W_N: Array,
    W_T: Array,
    free: Array,
    v_N: Array,
    v_T: Array,
    mu: Array,
    sliding: Array,
    lower: Array | None = None,
    tol: float = 1e-9,
) -> list[Outcome]:
    """Return the solutions of ``value = free + M⁻¹(W_N λ_N + W_T λ_T)`` for all modes.

    `free` is the value without contacts, and rates are ``Wᵀ value + v``. `sliding` is the sign of
    γ_T of sliding contacts, and 0 for contacts at rest. `lower` replaces the bound 0 of λ_N by the
    restored part of an expansion. A separating contact has λ_N = lower and |λ_T| <= μ λ_N. The
    friction law of contacts at rest is ``-rate_T ∈ N_C(λ_T)``.
    """
    k = W_N.shape[1]
    least = np.zeros(k) if lower is None else lower
    choices: list[list[tuple[bool, str]]] = []
    for i in range(k):
        held = [True, False]
        rest = "0" if mu[i] == 0.0 else ("?" if sliding[i] == 0 else "+" if sliding[i] > 0 else "-")
        options: list[tuple[bool, str]] = []
        for h in held:
            if rest == "?" and (h or least[i] > 0.0):
                options += [(h, "stick"), (h, "+"), (h, "-")]
            else:
                options.append((h, "0" if rest == "?" else rest))
        choices.append(options)
    found = []
    for modes in itertools.product(*choices):
        outcome = _try(Minv, W_N, W_T, free, v_N, v_T, mu, sliding, least, modes, tol)
        if outcome is not None:
            found.append(outcome)
    return found


def _try(
    Minv: Array, W_N: Array, W_T: Array, free: Array, v_N: Array, v_T: Array, mu: Array,
    sliding: Array, least: Array, modes: tuple[tuple[bool, str], ...], tol: float,
) -> Outcome | None:  # fmt: skip
    # Columns of nonnegative unknowns, with their contributions to λ_N and λ_T.
    k = len(modes)
    base_N, base_T = np.zeros(k), np.zeros(k)
    columns: list[tuple[int, float]] = []  # contact, λ_T per λ_N
    zero: list[Array] = []  # rates that vanish
    offset: list[float] = []
    for i, (held, slip) in enumerate(modes):
        ways = {"+": [-mu[i]], "-": [mu[i]], "0": [0.0], "stick": [-mu[i], mu[i]]}[slip]
        base_N[i] = least[i]
        if held:
            columns += [(i, way) for way in ways]
            zero.append(W_N[:, i])
            offset.append(v_N[i])
        if slip == "stick":
            zero.append(W_T[:, i])
            offset.append(v_T[i])
            if least[i] > 0.0:  # |λ_T| <= μ (least + excess): an offset and two directions
                base_T[i] = -mu[i] * least[i]
                columns.append((i, np.inf))
        elif least[i] > 0.0:
            base_T[i] = ways[0] * least[i]
    fixed = free + Minv @ (W_N @ base_N + W_T @ base_T)
    directions = (
        np.array(
            [W_T[:, i] if np.isinf(way) else W_N[:, i] + way * W_T[:, i] for i, way in columns]
        )
        .reshape(len(columns), len(free))
        .T
    )
    lambda_N, lambda_T = base_N.copy(), base_T.copy()
    value = fixed
    scale = 1.0 + np.abs(free).max() + np.abs(v_N).max(initial=0.0) + np.abs(v_T).max(initial=0.0)
    if zero:
        Z = np.array(zero)
        right = -(Z @ fixed + np.array(offset))
        effects = Z @ Minv @ directions
        try:
            x, residual = nonnegative(effects, right)
        except RuntimeError:
            return None
        rounding = 1e-14 * np.linalg.norm(effects) * np.linalg.norm(x)  # of forces near a pole
        if residual > tol * scale + rounding:
            return None
        for (i, way), amount in zip(columns, x, strict=True):
            if np.isinf(way):
                lambda_T[i] += amount
            else:
                lambda_N[i] += amount
                lambda_T[i] += way * amount
        value = fixed + Minv @ (directions @ x)
    rate_N, rate_T = W_N.T @ value + v_N, W_T.T @ value + v_T
    for i, (held, slip) in enumerate(modes):
        if not held and rate_N[i] < -tol * scale:
            return None
        if (
            sliding[i] == 0
            and slip in "+-"
            and (1 if slip == "+" else -1) * rate_T[i] < -tol * scale
        ):
            return None
        if abs(lambda_T[i]) > mu[i] * lambda_N[i] + tol * (1.0 + abs(lambda_N[i])):
            return None
    names = tuple(("held " if held else "free ") + slip for held, slip in modes)
    return Outcome(names, lambda_N, lambda_T, value)


def distinct(outcomes: list[Outcome], tol: float = 1e-7) -> list[Outcome]:
    """Return the outcomes with different motions."""
    kept: list[Outcome] = []
    for outcome in outcomes:
        scale = tol * (1.0 + np.abs(outcome.value).max())
        if all(np.abs(outcome.value - other.value).max() > scale for other in kept):
            kept.append(outcome)
    return kept


def poisson(
    Minv: Array, W_N: Array, W_T: Array, u: Array, v_N: Array, v_T: Array, mu: Array, e_N: Array
) -> list[Array]:
    """Return all possible velocities after an impact of the closed contacts, with ε_T = ν = 0."""
    rest = np.zeros(len(mu))
    ends: list[Array] = []
    for first in solve(Minv, W_N, W_T, u, v_N, v_T, mu, rest):
        restored = e_N * first.lambda_N
        for second in solve(Minv, W_N, W_T, first.value, v_N, v_T, mu, rest, restored):
            scale = 1e-7 * (1.0 + np.abs(second.value).max())
            if all(np.abs(second.value - end).max() > scale for end in ends):
                ends.append(second.value)
    return ends
