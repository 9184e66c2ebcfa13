"""A bifurcation diagram: jumps of a ball on a table that shakes with increasing amplitude."""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import analysis

E_N, OMEGA, G = 0.5, 80.0, 9.81


def main() -> analysis.results.BifurcationDiagram:
    """Compute the velocity after each impact, over the amplitude of the table."""
    ball = nsmb.systems.ball_on_table(e=E_N, omega=OMEGA, g=G)
    return analysis.bifurcation_diagram(
        ball,
        "A",
        np.linspace(1.7e-3, 2.7e-3, 201),
        section=analysis.on_event("impact", "table"),
        observe="s_dot",  # the velocity of the coordinate s; see system.labels.components
        transient=300,
        samples=40,
        follow="up",  # each amplitude starts from the final state of the previous one
    )


def picture(diagram: analysis.results.BifurcationDiagram) -> plt.Figure:
    """Plot all points, and the amplitudes between which every jump takes one table period."""
    ax = diagram.plot(system=nsmb.systems.ball_on_table())
    borders = nsmb.systems.ball_on_table.borders(1, E_N)
    for gamma in (borders.fold, borders.flip):  # Γ = A ω²/g
        ax.axvline(gamma * G / OMEGA**2, color="#7F7F7F", linewidth=0.8, linestyle="--")
    ax.set_title("ball on a shaking table, e = 0.5", loc="left", fontsize="medium")
    return ax.figure


if __name__ == "__main__":
    result = main()
    print(result)
    picture(result).savefig("bifurcation_diagram.png", dpi=100)
