"""Truncated Fourier series over one period, and their samples."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Basis"]

Vector = NDArray[np.float64]


class Basis:
    """The functions 1, cos τ, sin τ, ..., cos Hτ, sin Hτ at N equal steps of τ = ωt over [0, 2π).

    A series is an array of 2H + 1 coefficients in this order, or of 2H + 1 rows of them.
    """

    def __init__(self, harmonics: int, samples: int) -> None:
        self.harmonics, self.samples = harmonics, samples
        self.size = 2 * harmonics + 1
        self.tau: Vector = np.asarray(2.0 * np.pi / samples * np.arange(samples), np.float64)

    def at(self, tau: Vector) -> Vector:
        """Return the functions at phases τ, shape (k, 2H + 1)."""
        values = np.ones((tau.size, self.size))
        for k in range(1, self.harmonics + 1):
            values[:, 2 * k - 1], values[:, 2 * k] = np.cos(k * tau), np.sin(k * tau)
        return values

    @cached_property
    def values(self) -> Vector:
        """The functions at the samples, shape (N, 2H + 1)."""
        return self.at(self.tau)

    @cached_property
    def projection(self) -> Vector:
        """Matrix from samples to the closest coefficients, shape (2H + 1, N)."""
        rows = self.values.T * (2.0 / self.samples)
        rows[0] *= 0.5
        return rows

    @cached_property
    def rate(self) -> Vector:
        """Matrix from coefficients to those of d/dτ, shape (2H + 1, 2H + 1)."""
        matrix = np.zeros((self.size, self.size))
        for k in range(1, self.harmonics + 1):
            matrix[2 * k - 1, 2 * k], matrix[2 * k, 2 * k - 1] = k, -k
        return matrix

    @cached_property
    def slopes(self) -> Vector:
        """Derivatives d/dτ of the functions at the samples, shape (N, 2H + 1)."""
        return self.values @ self.rate

    @cached_property
    def curvatures(self) -> Vector:
        """Derivatives d²/dτ² of the functions at the samples, shape (N, 2H + 1)."""
        return self.slopes @ self.rate
