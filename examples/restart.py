"""Stop today, go on tomorrow: a run is saved, loaded, gone on with, and joined to one."""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import nsmb

HALF, WHOLE = 0.6, 1.2  # s


def first_day(path: Path) -> None:
    """The first part, written to one file with everything that is known of it."""
    toy = nsmb.systems.woodpecker(mu=0.9)
    nsmb.simulate(toy, t_end=HALF).save(path)


def second_day(path: Path) -> nsmb.Solution:
    """The second part, and both joined; `before.system` builds a system that is ready-made or under
    nsmb.parametric."""
    before = nsmb.Solution.load(path)
    after = nsmb.simulate(before.system, t_end=WHOLE, start=before)
    return before + after


def main() -> nsmb.Solution:
    """Both parts of the run as one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "woodpecker.npz"  # .h5 works, too
        first_day(path)
        return second_day(path)


def picture(sol: nsmb.Solution) -> plt.Figure:
    """The whole run, and where it was interrupted."""
    figure = sol.plot(title="woodpecker going down its pole")
    for ax in figure.axes:
        ax.axvline(HALF, color="#D55E00", linewidth=1.2, linestyle="--")
    return figure


if __name__ == "__main__":
    result = main()
    print(result)
    picture(result).savefig("restart.png", dpi=100)
