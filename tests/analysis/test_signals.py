"""Spectra of motions with jumps, from samples at equal steps."""

from __future__ import annotations

import numpy as np
from scipy import fft

import nsmb

PI = np.pi


def test_a_velocity_that_jumps_has_the_spectrum_of_a_square_wave() -> None:
    """The velocity is that of a mass between elastic stops, with samples on impacts.

    With the mean of both sides, lines are (4 v/N) cot(π k/N) for odd k and zero for even k.
    """
    v, gap, N = 2.0, 0.5, 64
    stops = [
        nsmb.Contact(w_N=[s], gap=g, law=nsmb.ContactLaw(e_N=1.0), name=name)
        for s, g, name in ((1.0, 0.0, "left"), (-1.0, gap, "right"))
    ]
    system = nsmb.LinearSystem(
        [[1.0]], contacts=stops, initial_state=nsmb.State(0.0, [0.25], [v]), coordinates=["x"]
    )
    turn = 2 * gap / v
    solution = nsmb.simulate(system, 4 * turn)
    t = turn / 4 + turn / N * np.arange(3 * N)
    values = 0.5 * (solution.at(t, "left")["x_dot"] + solution.at(t)["x_dot"])
    np.testing.assert_allclose(values[::32], 0.0, atol=1e-9)  # on the impacts
    lines = 2.0 * np.abs(fft.rfft(values))[::3][1:] / values.size  # lines of the period
    lines[-1] /= 2.0  # the highest line is single
    k = np.arange(1, lines.size + 1)
    expected = np.where(k % 2 == 1, 4 * v / N / np.tan(PI * k / N), 0.0)
    np.testing.assert_allclose(lines, expected, rtol=0, atol=1e-9)
