"""The classes of the results of `nsmb.analysis`, for annotations and `isinstance`.

The functions of `nsmb.analysis` create them. The method ``load`` of a class reads a result that was
written by its method ``save``.
"""

from __future__ import annotations

from nsmb.analysis.branches.branch import Branch as Branch
from nsmb.analysis.branches.branch import OrbitBranch as OrbitBranch
from nsmb.analysis.branches.loci import Locus as Locus
from nsmb.analysis.branches.special_points import SpecialPoint as SpecialPoint
from nsmb.analysis.common.sweep import SweepResult as SweepResult
from nsmb.analysis.equilibria.branch import EquilibriumBranch as EquilibriumBranch
from nsmb.analysis.equilibria.equilibria import Equilibrium as Equilibrium
from nsmb.analysis.equilibria.equilibria import StickSet as StickSet
from nsmb.analysis.equilibria.modes import ModalAnalysis as ModalAnalysis
from nsmb.analysis.equilibria.onset import EigenvalueCrossing as EigenvalueCrossing
from nsmb.analysis.equilibria.steady import SteadyStart as SteadyStart
from nsmb.analysis.harmonic.branch import ResponseBranch as ResponseBranch
from nsmb.analysis.harmonic.response import HarmonicResponse as HarmonicResponse
from nsmb.analysis.maps.map_derivative import MapDerivative as MapDerivative
from nsmb.analysis.maps.periodicity import Cascade as Cascade
from nsmb.analysis.maps.points import SectionPoints as SectionPoints
from nsmb.analysis.maps.sections import Section as Section
from nsmb.analysis.orbits.orbit import PeriodicOrbit as PeriodicOrbit
from nsmb.analysis.statistics.blows import BlowTable as BlowTable
from nsmb.analysis.statistics.lyapunov import LyapunovSpectrum as LyapunovSpectrum
from nsmb.analysis.sweeps.basins_result import BasinMap as BasinMap
from nsmb.analysis.sweeps.diagram_result import BifurcationDiagram as BifurcationDiagram

__all__ = [
    "BasinMap",
    "BifurcationDiagram",
    "BlowTable",
    "Branch",
    "Cascade",
    "EigenvalueCrossing",
    "Equilibrium",
    "EquilibriumBranch",
    "HarmonicResponse",
    "Locus",
    "LyapunovSpectrum",
    "MapDerivative",
    "ModalAnalysis",
    "OrbitBranch",
    "PeriodicOrbit",
    "ResponseBranch",
    "Section",
    "SectionPoints",
    "SpecialPoint",
    "SteadyStart",
    "StickSet",
    "SweepResult",
]
