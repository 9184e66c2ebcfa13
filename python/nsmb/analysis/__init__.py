"""Nonlinear dynamics: Poincaré maps, periodic orbits, bifurcations, basins, statistics."""

from __future__ import annotations

from nsmb.analysis.basins import basins as basins
from nsmb.analysis.basins_result import Attractor as Attractor
from nsmb.analysis.basins_result import Basins as Basins
from nsmb.analysis.border_curves import BorderCurve as BorderCurve
from nsmb.analysis.border_curves import doubling_curve as doubling_curve
from nsmb.analysis.border_curves import fold_curve as fold_curve
from nsmb.analysis.branch import Branch as Branch
from nsmb.analysis.checkpoint import CheckpointError as CheckpointError
from nsmb.analysis.continuation import continue_orbit as continue_orbit
from nsmb.analysis.continuation import switch_branch as switch_branch
from nsmb.analysis.diagram import bifurcation_diagram as bifurcation_diagram
from nsmb.analysis.diagram_result import BifurcationDiagram as BifurcationDiagram
from nsmb.analysis.equilibria import Equilibrium as Equilibrium
from nsmb.analysis.equilibria import EquilibriumError as EquilibriumError
from nsmb.analysis.equilibria import StickSet as StickSet
from nsmb.analysis.equilibria import equilibrium as equilibrium
from nsmb.analysis.equilibria import stick_set as stick_set
from nsmb.analysis.equilibrium_branch import EquilibriumBranch as EquilibriumBranch
from nsmb.analysis.equilibrium_branch import continue_equilibrium as continue_equilibrium
from nsmb.analysis.find_orbit import periodic_orbit as periodic_orbit
from nsmb.analysis.flow import Flow as Flow
from nsmb.analysis.flow import FlowResult as FlowResult
from nsmb.analysis.interruption import AnalysisInterrupted as AnalysisInterrupted
from nsmb.analysis.lyapunov import LyapunovSpectrum as LyapunovSpectrum
from nsmb.analysis.lyapunov import lyapunov_spectrum as lyapunov_spectrum
from nsmb.analysis.map_derivative import MapDerivative as MapDerivative
from nsmb.analysis.orbit import OrbitError as OrbitError
from nsmb.analysis.orbit import PeriodicOrbit as PeriodicOrbit
from nsmb.analysis.periodicity import FEIGENBAUM_DELTA as FEIGENBAUM_DELTA
from nsmb.analysis.periodicity import Cascade as Cascade
from nsmb.analysis.periodicity import feigenbaum as feigenbaum
from nsmb.analysis.periodicity import find_period as find_period
from nsmb.analysis.plots import plot_basins as plot_basins
from nsmb.analysis.plots import plot_branch as plot_branch
from nsmb.analysis.plots import plot_contact_states as plot_contact_states
from nsmb.analysis.plots import plot_diagram as plot_diagram
from nsmb.analysis.plots import plot_histogram as plot_histogram
from nsmb.analysis.plots import plot_lyapunov as plot_lyapunov
from nsmb.analysis.plots import plot_multipliers as plot_multipliers
from nsmb.analysis.plots import plot_phase as plot_phase
from nsmb.analysis.plots import plot_poincare as plot_poincare
from nsmb.analysis.poincare import PoincareMap as PoincareMap
from nsmb.analysis.poincare import Points as Points
from nsmb.analysis.sections import Crossing as Crossing
from nsmb.analysis.sections import Every as Every
from nsmb.analysis.sections import OnEvent as OnEvent
from nsmb.analysis.sections import Section as Section
from nsmb.analysis.sections import component as component
from nsmb.analysis.sections import crossing as crossing
from nsmb.analysis.sections import every as every
from nsmb.analysis.sections import on_event as on_event
from nsmb.analysis.sections import on_impact as on_impact
from nsmb.analysis.sections import state_names as state_names
from nsmb.analysis.special_points import SpecialPoint as SpecialPoint
from nsmb.analysis.statistics import Histogram as Histogram
from nsmb.analysis.statistics import ImpactStatistics as ImpactStatistics
from nsmb.analysis.statistics import impact_statistics as impact_statistics
from nsmb.analysis.sweeps import SweepResult as SweepResult
from nsmb.analysis.sweeps import sweep as sweep

__all__ = [
    "FEIGENBAUM_DELTA",
    "AnalysisInterrupted",
    "Attractor",
    "Basins",
    "BifurcationDiagram",
    "BorderCurve",
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
    "Histogram",
    "ImpactStatistics",
    "LyapunovSpectrum",
    "MapDerivative",
    "OnEvent",
    "OrbitError",
    "PeriodicOrbit",
    "PoincareMap",
    "Points",
    "Section",
    "SpecialPoint",
    "StickSet",
    "SweepResult",
    "basins",
    "bifurcation_diagram",
    "component",
    "continue_equilibrium",
    "continue_orbit",
    "crossing",
    "doubling_curve",
    "equilibrium",
    "every",
    "feigenbaum",
    "find_period",
    "fold_curve",
    "impact_statistics",
    "lyapunov_spectrum",
    "on_event",
    "on_impact",
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
    "state_names",
    "stick_set",
    "sweep",
    "switch_branch",
]
