"""Stop today, go on tomorrow: a run is saved, loaded, and continued from its last state."""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import nsmb

HALF, WHOLE = 0.6, 1.2  # s


def first_day(path: Path) -> None:
    """The first part, written to one file with everything that is known of it."""
    toy = nsmb.systems.woodpecker(mu=0.9)
    nsmb.simulate(toy, t_end=HALF).save(path)


def second_day(path: Path) -> tuple[nsmb.Solution, nsmb.Solution]:
    """The second part; a file knows its system if that is ready-made or under nsmb.parametric."""
    before = nsmb.Solution.load(path)
    system = before.system
    assert system is not None
    return before, nsmb.simulate(system, t_end=WHOLE, start=before)


def main() -> tuple[nsmb.Solution, nsmb.Solution]:
    """Both parts of the run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "woodpecker.npz"  # .h5 works, too
        first_day(path)
        return second_day(path)


def picture(parts: tuple[nsmb.Solution, nsmb.Solution]) -> plt.Figure:
    """Both parts in the same axes."""
    figure, ax = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
    for sol, label in zip(parts, ("first day", "second day"), strict=True):
        ax.plot(sol.t, 1e3 * sol.q[:, 0], label=label)
    ax.set(xlabel="t / s", ylabel="y / mm")
    ax.set_title("woodpecker going down its pole", loc="left", fontsize="medium")
    ax.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = main()
    print(*result, sep="\n")
    picture(result).savefig("restart.png", dpi=100)
