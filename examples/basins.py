"""Basins of attraction: the hollow in which a ball comes to rest, for any initial state."""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import nsmb
from nsmb import analysis, symbolic

DEPTH, WALL = 1.0, 1.6


def build() -> nsmb.System:
    """Build a damped unit mass in the potential D (x⁴ - 2 x²) between two walls."""
    (x,) = sp.Tuple(symbolic.coordinates("x"))
    p = symbolic.parameters(D=DEPTH, d=0.15, wall=WALL)
    (v,) = sp.Tuple(symbolic.velocities(x))
    law = nsmb.ContactLaw(0.0, 0.6)
    return symbolic.LagrangianSystem(
        q=[x],
        kinetic=v**2 / 2,
        potential=p.D * (x**4 - 2 * x**2),
        forces={x: -p.d * v},
        contacts=[
            nsmb.Contact(gap=p.wall + x, law=law, name="left"),
            nsmb.Contact(gap=p.wall - x, law=law, name="right"),
        ],
        parameters=p,
    )


def main(points: int = 61) -> analysis.results.BasinMap:
    """Simulate from a grid of initial states, each until the motion has settled."""
    axes = {"x": np.linspace(-WALL, WALL, points), "x_dot": np.linspace(-3.0, 3.0, points)}
    return analysis.basins(
        build(), axes, section=analysis.every(1.0), observe="x", transient=150, samples=2
    )


def picture(basins: analysis.results.BasinMap) -> plt.Figure:
    """Plot every initial state in the colour of its attractor."""
    names = [f"rests at x = {a.points[0, 0]:.0f}" for a in basins.attractors]
    ax = basins.plot(names=names)
    return ax.figure


if __name__ == "__main__":
    result = main()
    print(result)
    picture(result).savefig("basins.png", dpi=100)
