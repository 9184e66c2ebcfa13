"""Nonlinear dynamics of systems with impacts and friction.

A simulation maps an initial state to a final state, with an exact derivative through impacts, stick
and slip. All functions are based on this map and accept any system that can be simulated.

Sections of a motion
    `PoincareMap` iterates the map from section to section and differentiates it. The sections are
    `on_event` (impacts, stick, slip), `every` (stroboscopic) and `crossing` (a value of the state).
    `find_period` finds the period of a sequence of points.
Rest and steady motion
    `equilibrium` finds a state of rest, its stability and its contact forces. `static_start` gives
    the frictionless static position, `steady_start` a motion with constant speeds. `modes` computes
    frequencies, damping and shapes of small motions, `onset` the values of a parameter at which
    self-excitation starts or ends.
Periodic motion
    `periodic_orbit` finds an orbit by shooting, stable or not, with its Floquet multipliers.
    `harmonic_balance` finds the forced response by its harmonics.
Bifurcations
    `continuation` follows an equilibrium, an orbit or a forced response over a parameter and
    locates special points. It also follows a fold or a period doubling over a second parameter. A
    special point has a method ``switch_branch``. `feigenbaum` evaluates cascades of doublings.
Many runs
    `bifurcation_diagram` samples long-term motions over a parameter. `basins` finds the attractor
    of each initial state on a grid (`Attractor` describes a known one). `sweep` evaluates any
    function at many points, in parallel, with a checkpoint.
Chaos and loads
    `lyapunov_spectrum` computes Lyapunov exponents. `blows` gives the peaks and durations of
    one-sided forces. Use NumPy and SciPy for statistics of impacts and loads, and for spectra.
Errors
    `AnalysisError` (nothing found) and `AnalysisInterrupted` (Ctrl-C) have a ``result``, which
    holds what was computed before.

Results have a method ``plot``. `nsmb.plotting` has the figures that combine several results. The
classes of the results are in `nsmb.analysis.results`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from nsmb.analysis import results as results
from nsmb.analysis.common.errors import AnalysisError as AnalysisError
from nsmb.analysis.common.errors import AnalysisInterrupted as AnalysisInterrupted
from nsmb.analysis.common.sweep import sweep as sweep
from nsmb.analysis.equilibria.equilibria import equilibrium as equilibrium
from nsmb.analysis.equilibria.modes import modes as modes
from nsmb.analysis.equilibria.onset import onset as onset
from nsmb.analysis.equilibria.static_start import static_start as static_start
from nsmb.analysis.equilibria.steady import steady_start as steady_start
from nsmb.analysis.harmonic.solve import harmonic_balance as harmonic_balance
from nsmb.analysis.maps.periodicity import feigenbaum as feigenbaum
from nsmb.analysis.maps.periodicity import find_period as find_period
from nsmb.analysis.maps.poincare import PoincareMap as PoincareMap
from nsmb.analysis.maps.sections import crossing as crossing
from nsmb.analysis.maps.sections import every as every
from nsmb.analysis.maps.sections import on_event as on_event
from nsmb.analysis.orbits.find_orbit import periodic_orbit as periodic_orbit
from nsmb.analysis.problems.continuation import continuation as continuation
from nsmb.analysis.statistics.blows import blows as blows
from nsmb.analysis.statistics.lyapunov import lyapunov_spectrum as lyapunov_spectrum
from nsmb.analysis.sweeps.basins import basins as basins
from nsmb.analysis.sweeps.basins_result import Attractor as Attractor
from nsmb.analysis.sweeps.diagram import bifurcation_diagram as bifurcation_diagram
from nsmb.common.arguments import unknown_attribute as _unknown_attribute

__all__ = [
    "AnalysisError",
    "AnalysisInterrupted",
    "Attractor",
    "PoincareMap",
    "basins",
    "bifurcation_diagram",
    "blows",
    "continuation",
    "crossing",
    "equilibrium",
    "every",
    "feigenbaum",
    "find_period",
    "harmonic_balance",
    "lyapunov_spectrum",
    "modes",
    "on_event",
    "onset",
    "periodic_orbit",
    "results",
    "static_start",
    "steady_start",
    "sweep",
]

if not _TYPE_CHECKING:  # type checkers report unknown names themselves

    def __getattr__(name: str) -> _Any:
        if name in results.__all__:
            raise AttributeError(
                f"module {__name__!r} has no attribute {name!r}; did you mean "
                f"{__name__}.results.{name}?",
                name=name,
            )
        raise _unknown_attribute(__name__, name, __all__)
