"""An animation: a disc is thrown with backspin, bounces, and comes back."""

from pathlib import Path

import matplotlib.pyplot as plt

import nsmb

RADIUS, V_X, HEIGHT, T_END = 0.1, 1.2, 0.6, 2.1  # m, m/s, m, s
FPS, SPEED = 25.0, 0.5


def main() -> nsmb.Solution:
    """Simulate a disc thrown to the right with backspin; the rough floor reverses its motion."""
    m = nsmb.Model(gravity=(0, -9.81), name="disc with backspin")
    disc = m.add_body("disc", mass=1.0, inertia=0.5 * RADIUS**2)
    m.add_joint("disc", nsmb.joints.Planar(), m.ground, disc)
    rim = disc.contour("rim", nsmb.geometry.Circle(RADIUS))
    # Outlines are drawn but have no contacts. This one shows the rotation of the disc.
    disc.outline("mark", nsmb.geometry.Segment((0, 0), (RADIUS, 0)))
    floor = m.ground.contour("floor", nsmb.geometry.Segment((1.0, 0), (-1.8, 0)))
    m.add_contact(rim, floor, nsmb.ContactLaw(mu=0.3, e_N=0.7), name="floor")
    system = m.build(initial={"disc": [0.0, HEIGHT, 0.0]}, velocities={"disc": [V_X, 0.0, 60.0]})
    return nsmb.simulate(system, t_end=T_END)


def film(sol: nsmb.Solution, path: str | Path) -> Path:
    """Save the animation at half speed with the path of the centre. `.mp4`, `.html` also work."""
    return sol.animate(speed=SPEED, fps=FPS, trail=0.5, dpi=60).save(path)


def picture(sol: nsmb.Solution) -> plt.Figure:
    """Show four frames of the animation."""
    animation = sol.animate(trail=0.5, speed=0.7, fps=1.0, dpi=80)
    figure, axes = plt.subplots(2, 2, figsize=(11.0, 4.8), layout="constrained")
    for k, ax in enumerate(axes.flat):
        ax.imshow(animation.frame(k))
        ax.set_axis_off()
    return figure


if __name__ == "__main__":
    result = main()
    print(film(result, "film.gif"))
    picture(result).savefig("film.png", dpi=100)
