"""Restitution and drop height of a ball, fitted to the recorded times of its bounces."""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import least_squares

import nsmb

# s, from a recording whose start is not known exactly: only time differences matter.
HEARD = np.array([0.2041, 0.9062, 1.4751, 1.9346, 2.3077, 2.6090, 2.8541, 3.0523])


@dataclass(frozen=True)
class Fit:
    """The result of the fit."""

    e_N: float
    H: float
    """Drop height, m."""
    offset: float
    """Time of the drop, s."""
    error: float
    """Standard deviation of the residuals, s."""


def bounces(e_N: float, H: float) -> np.ndarray:
    """Return the simulated times of the recorded bounces."""
    ball = nsmb.systems.bouncing_ball(e_N=e_N, H=H)
    sol = nsmb.simulate(ball, t_end=20.0, output_step=0.0)
    return sol.events.of_kind("impact").t[: len(HEARD)]


def main(heard: np.ndarray = HEARD) -> Fit:
    """Fit restitution, height and start of the recording by least squares."""

    def residuals(p: np.ndarray) -> np.ndarray:
        return bounces(p[0], p[1]) + p[2] - heard

    found = least_squares(
        residuals, [0.7, 1.0, 0.0], bounds=([0.3, 0.1, -2.0], [0.95, 5.0, 2.0]), x_scale="jac"
    )
    return Fit(*map(float, found.x), error=float(np.std(found.fun)))


def picture(fit: Fit) -> plt.Figure:
    """Plot the fitted motion and the recorded bounces."""
    ball = nsmb.systems.bouncing_ball(e_N=fit.e_N, H=fit.H)
    sol = nsmb.simulate(ball, t_end=3.6)
    figure, ax = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
    t = np.linspace(0.0, 3.6, 1000)
    ax.plot(t + fit.offset, sol.at(t).q[:, 0], color="black", linewidth=1.0, label="fit")
    ax.plot(HEARD, 0.0 * HEARD, "o", color="#D55E00", clip_on=False, label="heard", zorder=3)
    ax.set(xlabel="t / s", ylabel="y / m", ylim=(0.0, None))
    ax.set_title(f"e = {fit.e_N:.4f}, dropped from {fit.H:.3f} m", loc="left", fontsize="medium")
    ax.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = main()
    print(result)
    picture(result).savefig("fit_restitution.png", dpi=100)
