"""A thousand dropped balls with individual restitution, on several processes or on Dask."""

from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import analysis

COUNT = 1000


def restitutions() -> np.ndarray:
    """Draw coefficients of restitution, 0.70 ± 0.04. The seed makes the ensemble repeatable."""
    return np.random.default_rng(1).normal(0.70, 0.04, COUNT)


def time_to_rest(e_N: float) -> float:
    """Simulate one ball. Workers import this function from its module."""
    ball = nsmb.systems.bouncing_ball(e_N=e_N)
    sol = nsmb.simulate(ball, t_end=20.0, output_step=0.0)
    return float(sol.events.t[-1])  # the last event: the ball comes to rest


def main(executor: Executor | None = None) -> analysis.results.SweepResult:
    """Simulate all balls. The result is bitwise identical without an executor, one by one."""
    points = restitutions().tolist()
    return analysis.sweep(time_to_rest, points, executor=executor, chunk=50)


def on_processes(workers: int = 2) -> analysis.results.SweepResult:
    """Use the cores of this machine."""
    # Forked processes may deadlock, because NumPy has threads.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as executor:
        return main(executor)


def on_dask() -> analysis.results.SweepResult:
    """Use a cluster. Without arguments, Client starts a local one; with an address it joins one."""
    from dask.distributed import Client  # pip install "dask[distributed]"

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        return main(client.get_executor())


def picture(result: analysis.results.SweepResult) -> plt.Figure:
    """Plot a histogram of the times until the balls come to rest."""
    figure, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    ax.hist(np.array(result.results), bins=40, color="#56B4E9", edgecolor="white", linewidth=0.4)
    ax.set(xlabel="time to rest / s", ylabel="balls")
    ax.set_title(f"{COUNT} balls, e = 0.70 ± 0.04", loc="left", fontsize="medium")
    ax.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    result = on_processes()
    print(result)
    picture(result).savefig("ensemble.png", dpi=100)
