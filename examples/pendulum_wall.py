"""A pendulum and a wall: bodies, a joint, a contact; a run, its events and a figure."""

import matplotlib.pyplot as plt

import nsmb

LENGTH, MASS, RADIUS, RESTITUTION = 1.0, 2.0, 0.05, 0.8


def build() -> nsmb.MultibodySystem:
    """Build a slender rod on a hinge. Its round tip meets a wall where the rod hangs down."""
    m = nsmb.Model(gravity=(0, -9.81), name="pendulum with a wall")
    rod = m.add_body("rod", mass=MASS, inertia=MASS * LENGTH**2 / 12, center=(0, -LENGTH / 2))
    m.add_joint("hinge", nsmb.joints.Revolute(), m.ground, rod)

    tip = rod.contour("tip", nsmb.geometry.Circle(RADIUS), at=(0, -LENGTH))
    # The body is on the left of its line. This line runs up, so the wall is to the left.
    wall = m.ground.contour("wall", nsmb.geometry.Line((-RADIUS, 0), (0, 1)))
    m.add_contact(tip, wall, nsmb.ContactLaw(e_N=RESTITUTION), name="bump")
    return m.build(initial={"hinge": 1.2})  # rad, to the right


def main() -> nsmb.Solution:
    """Simulate the swings from 1.2 rad for 5 s. Each impact reduces the speed."""
    return nsmb.simulate(build(), t_end=5.0)


def picture(sol: nsmb.Solution) -> plt.Figure:
    """Draw the pendulum at its first impact, and plot its angle over time."""
    figure = plt.figure(figsize=(10.0, 4.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1.0, 1.6))
    sol.draw(0.3, ax=left.subplots())
    sol.plot(figure=right, title="angle, gap and contact")
    return figure


if __name__ == "__main__":
    result = main()
    print(result.events)
    picture(result).savefig("pendulum_wall.png", dpi=100)
