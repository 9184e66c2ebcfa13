"""Convergence of every time-stepping scheme to event-driven runs, for systems of other families."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.case import Case, generator
from tests.campaign.findings import Findings
from tests.support.methods import class_of

Array = NDArray[np.float64]
SCHEMES = ("midpoint", "hybrid")
BASES = ("linear", "spatial", "bodies")
COARSE, FINE = 200, 3200  # steps
IMPACTS = 3


def make(seed: int) -> Case:
    rng = generator("schemes", seed)
    family = BASES[int(rng.integers(len(BASES)))]
    base: Case = importlib.import_module(f"tests.campaign.{family}").make(
        int(rng.integers(0, 2000))
    )
    scheme = SCHEMES[int(rng.integers(len(SCHEMES)))]
    t_end = min(base.t_end, 0.3)
    method_type, _ = class_of(scheme)
    steps = {"step": t_end / FINE, "impact_law": "moreau"}
    exact = {"impact_law": "moreau", "rtol": 1e-10, "max_events": 20_000}
    return dataclasses.replace(
        base, family="schemes", seed=seed, t_end=t_end, method=steps, method_type=method_type,
        spec={"exact": exact}, tags=(scheme, family, *base.tags),
    )  # fmt: skip


def look(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    exact = dataclasses.replace(case, method=case.spec["exact"], method_type="EventDriven")
    sol = exact.run(system)
    if not sol.success:
        notes.append(f"events: {sol.status}")
        return
    strikes = np.unique(sol.events.t[sol.events.kind == 0])
    strikes = strikes[strikes > 1e-9]
    # After some impacts small differences are no longer small.
    end = min(case.t_end, float(strikes[IMPACTS]) if len(strikes) > IMPACTS else np.inf)
    if "bodies" in case.tags:
        # The motion depends on which of two corners strikes first.
        several = (sol.events.Lambda_N > 0.0).sum(axis=1) > 1
        end = min(end, float(sol.events.t[several].min(initial=np.inf)))
    runs = [case.run(system, step=case.t_end / n) for n in (COARSE, FINE)]
    if not all(run.success for run in runs):
        notes.append(f"steps: {[run.status for run in runs]}")
        return
    times = np.linspace(0.0, end, 200)
    # An impact that is one step later does not count as a difference.
    near = np.abs(times[:, None] - strikes).min(axis=1, initial=np.inf)
    times = times[near > 2.0 * case.t_end / COARSE]
    if len(times) < 5:
        notes.append("impacts all the time")
        return
    there = sol.at(times).q
    size = float(np.ptp(sol.q, axis=0).max()) + 1e-12
    coarse, fine = (float(np.abs(run.at(times).q - there).max()) for run in runs)
    notes.append(f"{case.method_type} compared")
    # First order reduces the error by 16 with 16 times as many steps. Only a factor of 2 is
    # required.
    found.judge("steps do not come near the events", fine, max(0.5 * coarse, 1e-3 * size), end)
