"""Stop today, continue tomorrow: a run is saved, loaded, continued, and joined."""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import nsmb

HALF, WHOLE = 0.6, 1.2  # s


def first_day(path: Path) -> None:
    """Simulate the first part and write it to one file with all of its data."""
    toy = nsmb.systems.woodpecker(mu=0.9)
    nsmb.simulate(toy, t_end=HALF).save(path)


def second_day(path: Path) -> nsmb.Solution:
    """Simulate the second part and join both. `before.system` builds ready-made systems and those
    defined with nsmb.parametric."""
    before = nsmb.Solution.load(path)
    after = nsmb.simulate(before.system, t_end=WHOLE, start=before)
    return before + after


def main() -> nsmb.Solution:
    """Return both parts of the run as one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "woodpecker.npz"  # .h5 also works
        first_day(path)
        return second_day(path)


def picture(sol: nsmb.Solution) -> plt.Figure:
    """Plot the whole run, and the time of the interruption."""
    figure = sol.plot(title="woodpecker going down its pole")
    for ax in figure.axes:
        ax.axvline(HALF, color="#D55E00", linewidth=1.2, linestyle="--")
    return figure


if __name__ == "__main__":
    result = main()
    print(result)
    picture(result).savefig("restart.png", dpi=100)
