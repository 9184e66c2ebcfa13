"""Nonlinear dynamics: Poincaré maps, periodic orbits, bifurcations, basins, statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from nsmb.analysis.common.checkpoint import CheckpointError as CheckpointError
from nsmb.analysis.common.interruption import AnalysisInterrupted as AnalysisInterrupted
from nsmb.analysis.common.sweep import SweepResult as SweepResult
from nsmb.analysis.common.sweep import sweep as sweep
from nsmb.analysis.continuation.branch import Branch as Branch
from nsmb.analysis.continuation.loci import BifurcationLocus as BifurcationLocus
from nsmb.analysis.continuation.loci import doubling_curve as doubling_curve
from nsmb.analysis.continuation.loci import fold_curve as fold_curve
from nsmb.analysis.continuation.orbits import continue_orbit as continue_orbit
from nsmb.analysis.continuation.orbits import switch_branch as switch_branch
from nsmb.analysis.continuation.special_points import SpecialPoint as SpecialPoint
from nsmb.analysis.equilibria.branch import EquilibriumBranch as EquilibriumBranch
from nsmb.analysis.equilibria.branch import continue_equilibrium as continue_equilibrium
from nsmb.analysis.equilibria.equilibria import Equilibrium as Equilibrium
from nsmb.analysis.equilibria.equilibria import EquilibriumError as EquilibriumError
from nsmb.analysis.equilibria.equilibria import StickSet as StickSet
from nsmb.analysis.equilibria.equilibria import equilibrium as equilibrium
from nsmb.analysis.equilibria.equilibria import stick_set as stick_set
from nsmb.analysis.equilibria.modes import Modes as Modes
from nsmb.analysis.equilibria.modes import modes as modes
from nsmb.analysis.equilibria.onset import Onset as Onset
from nsmb.analysis.equilibria.onset import onset as onset
from nsmb.analysis.equilibria.static_start import static_start as static_start
from nsmb.analysis.equilibria.steady import SteadyStart as SteadyStart
from nsmb.analysis.equilibria.steady import steady_start as steady_start
from nsmb.analysis.figures.plots import plot_basins as plot_basins
from nsmb.analysis.figures.plots import plot_branch as plot_branch
from nsmb.analysis.figures.plots import plot_contact_states as plot_contact_states
from nsmb.analysis.figures.plots import plot_diagram as plot_diagram
from nsmb.analysis.figures.plots import plot_histogram as plot_histogram
from nsmb.analysis.figures.plots import plot_lyapunov as plot_lyapunov
from nsmb.analysis.figures.plots import plot_multipliers as plot_multipliers
from nsmb.analysis.figures.plots import plot_phase as plot_phase
from nsmb.analysis.figures.plots import plot_poincare as plot_poincare
from nsmb.analysis.harmonic.branch import ResponseBranch as ResponseBranch
from nsmb.analysis.harmonic.branch import continue_response as continue_response
from nsmb.analysis.harmonic.response import HarmonicBalanceError as HarmonicBalanceError
from nsmb.analysis.harmonic.response import HarmonicResponse as HarmonicResponse
from nsmb.analysis.harmonic.solve import harmonic_balance as harmonic_balance
from nsmb.analysis.maps.map_derivative import MapDerivative as MapDerivative
from nsmb.analysis.maps.periodicity import FEIGENBAUM_DELTA as FEIGENBAUM_DELTA
from nsmb.analysis.maps.periodicity import Cascade as Cascade
from nsmb.analysis.maps.periodicity import feigenbaum as feigenbaum
from nsmb.analysis.maps.periodicity import find_period as find_period
from nsmb.analysis.maps.poincare import PoincareMap as PoincareMap
from nsmb.analysis.maps.points import Points as Points
from nsmb.analysis.maps.sections import Crossing as Crossing
from nsmb.analysis.maps.sections import Every as Every
from nsmb.analysis.maps.sections import OnEvent as OnEvent
from nsmb.analysis.maps.sections import Section as Section
from nsmb.analysis.maps.sections import component as component
from nsmb.analysis.maps.sections import crossing as crossing
from nsmb.analysis.maps.sections import every as every
from nsmb.analysis.maps.sections import on_event as on_event
from nsmb.analysis.maps.sections import on_impact as on_impact
from nsmb.analysis.maps.sections import state_names as state_names
from nsmb.analysis.orbits.find_orbit import periodic_orbit as periodic_orbit
from nsmb.analysis.orbits.flow import Flow as Flow
from nsmb.analysis.orbits.flow import FlowResult as FlowResult
from nsmb.analysis.orbits.orbit import OrbitError as OrbitError
from nsmb.analysis.orbits.orbit import PeriodicOrbit as PeriodicOrbit
from nsmb.analysis.statistics.blows import Blows as Blows
from nsmb.analysis.statistics.blows import blows as blows
from nsmb.analysis.statistics.impacts import Histogram as Histogram
from nsmb.analysis.statistics.impacts import ImpactStatistics as ImpactStatistics
from nsmb.analysis.statistics.impacts import impact_statistics as impact_statistics
from nsmb.analysis.statistics.loads import GammaFit as GammaFit
from nsmb.analysis.statistics.loads import LoadDistribution as LoadDistribution
from nsmb.analysis.statistics.loads import crossing_distribution as crossing_distribution
from nsmb.analysis.statistics.loads import gamma_fit as gamma_fit
from nsmb.analysis.statistics.loads import load_distribution as load_distribution
from nsmb.analysis.statistics.lyapunov import LyapunovSpectrum as LyapunovSpectrum
from nsmb.analysis.statistics.lyapunov import lyapunov_spectrum as lyapunov_spectrum
from nsmb.analysis.statistics.signals import AnalyticSignal as AnalyticSignal
from nsmb.analysis.statistics.signals import Signal as Signal
from nsmb.analysis.statistics.signals import Spectrogram as Spectrogram
from nsmb.analysis.statistics.signals import Spectrum as Spectrum
from nsmb.analysis.statistics.signals import sample_signal as sample_signal
from nsmb.analysis.sweeps.basins import basins as basins
from nsmb.analysis.sweeps.basins_result import Attractor as Attractor
from nsmb.analysis.sweeps.basins_result import Basins as Basins
from nsmb.analysis.sweeps.diagram import bifurcation_diagram as bifurcation_diagram
from nsmb.analysis.sweeps.diagram_result import BifurcationDiagram as BifurcationDiagram
from nsmb.common.arguments import unknown_attribute as _unknown_attribute

__all__ = [
    "FEIGENBAUM_DELTA",
    "AnalysisInterrupted",
    "AnalyticSignal",
    "Attractor",
    "Basins",
    "BifurcationDiagram",
    "BifurcationLocus",
    "Blows",
    "Branch",
    "Cascade",
    "CheckpointError",
    "Crossing",
    "Equilibrium",
    "EquilibriumBranch",
    "EquilibriumError",
    "Every",
    "Flow",
    "FlowResult",
    "GammaFit",
    "HarmonicBalanceError",
    "HarmonicResponse",
    "Histogram",
    "ImpactStatistics",
    "LoadDistribution",
    "LyapunovSpectrum",
    "MapDerivative",
    "Modes",
    "OnEvent",
    "Onset",
    "OrbitError",
    "PeriodicOrbit",
    "PoincareMap",
    "Points",
    "ResponseBranch",
    "Section",
    "Signal",
    "SpecialPoint",
    "Spectrogram",
    "Spectrum",
    "SteadyStart",
    "StickSet",
    "SweepResult",
    "basins",
    "bifurcation_diagram",
    "blows",
    "component",
    "continue_equilibrium",
    "continue_orbit",
    "continue_response",
    "crossing",
    "crossing_distribution",
    "doubling_curve",
    "equilibrium",
    "every",
    "feigenbaum",
    "find_period",
    "fold_curve",
    "gamma_fit",
    "harmonic_balance",
    "impact_statistics",
    "load_distribution",
    "lyapunov_spectrum",
    "modes",
    "on_event",
    "on_impact",
    "onset",
    "periodic_orbit",
    "plot_basins",
    "plot_branch",
    "plot_contact_states",
    "plot_diagram",
    "plot_histogram",
    "plot_lyapunov",
    "plot_multipliers",
    "plot_phase",
    "plot_poincare",
    "sample_signal",
    "state_names",
    "static_start",
    "steady_start",
    "stick_set",
    "sweep",
    "switch_branch",
]

if not _TYPE_CHECKING:  # checkers are to know what there is not

    def __getattr__(name: str) -> _Any:
        raise _unknown_attribute(__name__, name, __all__)
