"""A film: a disc is thrown with backspin, bounces, and comes back."""

from pathlib import Path

import matplotlib.pyplot as plt

import nsmb

RADIUS, V_X, HEIGHT, T_END = 0.1, 1.2, 0.6, 2.1  # m, m/s, m, s
FPS, SPEED = 25.0, 0.5


def main() -> nsmb.Solution:
    """Thrown to the right, turning against it; the rough floor turns it round."""
    m = nsmb.Model(gravity=(0, -9.81), name="disc with backspin")
    disc = m.add_body("disc", mass=1.0, inertia=0.5 * RADIUS**2)
    m.add_joint("disc", nsmb.joints.Planar(), m.ground, disc)
    rim = disc.contour("rim", nsmb.geometry.Circle(RADIUS))
    # outlines are drawn and touch nothing; this one shows how the disc turns
    disc.outline("mark", nsmb.geometry.Segment((0, 0), (RADIUS, 0)))
    floor = m.ground.contour("floor", nsmb.geometry.Segment((1.0, 0), (-1.8, 0)))
    m.add_contact(rim, floor, nsmb.ContactLaw(mu=0.3, e_N=0.7), name="floor")
    system = m.build(initial={"disc": [0.0, HEIGHT, 0.0]}, velocities={"disc": [V_X, 0.0, 60.0]})
    return nsmb.simulate(system, t_end=T_END)


def film(sol: nsmb.Solution, path: str | Path) -> Path:
    """Half as fast as it went; the line is the way of the centre. `.mp4` and `.html` work, too."""
    return sol.animate(speed=SPEED, fps=FPS, trail=0.5, dpi=60).save(path)


def picture(sol: nsmb.Solution) -> plt.Figure:
    """Four frames of it."""
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
