"""Equations of motion of a template of `energies`, derived with SymPy alone."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from tests.campaign.energies import TEMPLATES
from tests.campaign.reference import Laws, Rows

Array = NDArray[np.float64]


@functools.cache
def derived(number: int) -> tuple[Callable[..., Any], list[str], list[bool]]:
    """Return a function of (q, v, p), the names of p, and a mask of contacts with slip."""
    template = TEMPLATES[number]
    names = template.coordinates.split()
    q = sp.symbols(names, real=True)
    v = sp.symbols([f"{name}_rate" for name in names], real=True)
    keys = list(template.parameters)
    p = sp.symbols([f"p_{key}" for key in keys], real=True)
    scope: dict[str, Any] = {"sp": sp, "q": q, "v": v}
    scope["p"] = SimpleNamespace(**dict(zip(keys, p, strict=True)))
    exec(template.text, scope)
    T, V, contacts = scope["T"], scope["V"], scope["contacts"]
    M = sp.hessian(T, v)
    rate = [sp.diff(T - V, x) for x in q]
    gaps = [gap for gap, _ in contacts]
    slips = [sp.S.Zero if slip is None else slip for _, slip in contacts]
    W_N = [[sp.diff(g, x) for g in gaps] for x in q]
    W_T = [[sp.diff(s, w) for s in slips] for w in v]
    flat = [T, V, *M, *rate, *gaps, *itertools.chain(*W_N), *itertools.chain(*W_T)]
    function = sp.lambdify([*q, *v, *p], flat, "numpy", cse=True)
    return function, keys, [slip is not None for _, slip in contacts]


class Lagrangian:
    """The reference equations of a case."""

    directions = 1
    is_autonomous = True
    switch_times: tuple[float, ...] = ()
    longest = 2e-3
    bend = 20.0

    def __init__(self, spec: dict[str, Any]) -> None:
        self._function, keys, has_slip = derived(spec["template"])
        values = spec["parameters"]
        self._p = [values[key] for key in keys]
        k = len(has_slip)
        law = {"mu": values["mu"], "e_N": values["e"]}
        self.laws = Laws.of([law] * k, has_slip)
        self.n = len(TEMPLATES[spec["template"]].start)
        self.k = k

    def _all(self, q: Array, u: Array) -> dict[str, Array]:
        m, n, k = len(q), self.n, self.k
        flat = np.array([np.broadcast_to(x, m) for x in self._function(*q.T, *u.T, *self._p)])
        sizes = [1, 1, n * n, n, k, n * k, n * k]
        parts = np.split(flat, np.cumsum(sizes)[:-1])
        T, V, M, rate, gaps, W_N, W_T = parts
        return {
            "T": T[0], "V": V[0], "M": M.T.reshape(m, n, n), "rate": rate.T, "g": gaps.T,
            "W_N": W_N.T.reshape(m, n, k), "W_T": W_T.T.reshape(m, n, k, 1),
        }  # fmt: skip

    def mass(self, t: Array, q: Array) -> Array:
        return self._all(q, np.zeros_like(q))["M"]

    def momentum_rate(self, t: Array, q: Array, u: Array) -> Array:
        return self._all(q, u)["rate"]

    def potential(self, t: Array, q: Array) -> Array:
        return self._all(q, np.zeros_like(q))["V"]

    def rows(self, t: Array, q: Array) -> Rows:
        found = self._all(q, np.zeros_like(q))
        m = len(q)
        zero = np.zeros((m, self.k))
        return Rows(found["g"], found["W_N"], found["W_T"], zero, zero[:, :, None])
