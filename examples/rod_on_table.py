"""A rod dropped onto a table that shakes sideways: impacts, then sticking and slipping."""

import matplotlib.pyplot as plt
import numpy as np

import nsmb

A, OMEGA = 0.02, 20.0  # m, rad/s: the table is at A cos ωt
MU, G = 0.5, 9.81
HALF, THICKNESS = 0.2, 0.02  # m


def table_motion(t: float) -> tuple[float, float, float]:
    """Return position, velocity and acceleration of the table."""
    c, s = np.cos(OMEGA * t), np.sin(OMEGA * t)
    return A * c, -A * OMEGA * s, -A * OMEGA**2 * c


def build() -> nsmb.MultibodySystem:
    """Build a rod with two feet, free in the plane, above a table with prescribed motion."""
    m = nsmb.Model(gravity=(0, -G), name="rod on a table")
    table, rod = m.add_body("table"), m.add_body("rod", mass=1.0, inertia=HALF**2 / 3)
    m.add_joint("shaker", nsmb.joints.Prismatic((1, 0)), m.ground, table, motion=table_motion)
    m.add_joint("rod", nsmb.joints.Planar(), m.ground, rod)

    top = table.contour("top", nsmb.geometry.Segment((0.5, 0), (-0.5, 0)))
    box = [(-HALF, 0), (HALF, 0), (HALF, THICKNESS), (-HALF, THICKNESS)]
    rod.outline("box", nsmb.geometry.Polygon(box))
    for name, x in (("left", -HALF), ("right", HALF)):
        foot = rod.contour(name, nsmb.geometry.Point(), at=(x, 0))
        m.add_contact(foot, top, nsmb.ContactLaw(mu=MU, e_N=0.2), name, points=1)
    return m.build(initial={"rod": [0.0, 0.15, 0.3]})


def main() -> nsmb.Solution:
    """Simulate 1.5 s: the rod falls, comes to lie on the table, and is shaken to and fro."""
    return nsmb.simulate(build(), t_end=1.5)


def picture(sol: nsmb.Solution) -> plt.Figure:
    """Draw the rod as it lands, and plot its motion."""
    figure = plt.figure(figsize=(11.0, 5.6), layout="constrained")
    left, right = figure.subfigures(1, 2)
    above, below = left.subplots(2)
    sol.draw(0.0, ax=above)
    sol.draw(1.45, ax=below)
    sol.plot(figure=right, title="motion and contacts")
    return figure


if __name__ == "__main__":
    result = main()
    print(result.events.count())
    picture(result).savefig("rod_on_table.png", dpi=100)
