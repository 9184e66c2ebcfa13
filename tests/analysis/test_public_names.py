"""The public names of `nsmb.analysis` and their documentation."""

from __future__ import annotations

import importlib.util
import inspect
import re

import pytest

import nsmb
from nsmb import analysis, plotting
from nsmb.analysis import results

CALLED = [
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
RETURNED = [
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
FIGURES = ["histogram", "lyapunov_exponents"]
FUNCTIONS = [name for name in CALLED if inspect.isfunction(getattr(analysis, name))]
CLASSES = [name for name in CALLED if inspect.isclass(getattr(analysis, name))]


def sections(doc: str) -> set[str]:
    """Return the headings of a docstring in NumPy style."""
    return set(re.findall(r"^([A-Z]\w+)\n-{3,}$", doc, re.M))


def missing(value: object) -> set[str]:
    """Return the missing parts of a docstring."""
    doc = inspect.getdoc(value) or ""
    needed = {"Parameters", "Examples"}
    if inspect.isfunction(value):
        needed |= {"Returns", "Raises"}
    summary = doc.split("\n\n", maxsplit=1)[0]
    parts = set() if summary.endswith(".") and len(summary) < 200 else {"summary"}
    parts |= needed - sections(doc)
    text = doc.partition("Parameters\n---")[2].partition("\n---")[0]
    names = [name for name in inspect.signature(value).parameters if name != "self"]  # type: ignore[arg-type]
    return parts | {f"parameter {name}" for name in names if not re.search(rf"\b{name}\b", text)}


def test_the_public_names_are_these() -> None:
    assert sorted(analysis.__all__) == sorted(CALLED)
    assert len(CALLED) == 23
    assert sorted(results.__all__) == sorted(RETURNED)
    assert len(RETURNED) == 22
    assert set(FIGURES) <= set(plotting.__all__)


def test_no_two_names_differ_by_case_or_underscores_alone() -> None:
    plain = [name.lower().replace("_", "") for name in CALLED]
    assert len(set(plain)) == len(plain)


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_every_name_is_documented(name: str) -> None:
    assert missing(getattr(analysis, name)) == set()


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_documented(name: str) -> None:
    assert missing(getattr(plotting, name)) == set()


@pytest.mark.parametrize("name", RETURNED)
def test_every_result_has_a_summary(name: str) -> None:
    doc = inspect.getdoc(getattr(results, name)) or ""
    assert doc.split("\n\n", maxsplit=1)[0].endswith((".", ":"))


def test_a_name_without_documentation_is_found() -> None:
    def undocumented(system: nsmb.System) -> None:
        """Do something"""

    parts = {"summary", "Parameters", "Examples", "Returns", "Raises", "parameter system"}
    assert missing(undocumented) == parts


def test_help_names_everything() -> None:
    """`help(nsmb.analysis)` groups all names by task."""
    said = set(re.findall(r"`(?:nsmb\.analysis\.)?(\w+)`", analysis.__doc__ or ""))
    assert set(CALLED) <= said


def test_a_class_of_results_is_found_where_it_is() -> None:
    with pytest.raises(AttributeError, match=r"nsmb\.analysis\.results\.PeriodicOrbit"):
        _ = analysis.PeriodicOrbit
    with pytest.raises(AttributeError, match="did you mean 'periodic_orbit'"):
        _ = analysis.periodic_orbits


def test_results_are_importable_without_the_rest() -> None:
    assert importlib.util.find_spec("nsmb.analysis.results") is not None
