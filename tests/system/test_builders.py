"""Builders provide the evaluations of their systems, both in the package and in user files."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.system import Builder


@dataclass(frozen=True, kw_only=True)
class FallParameters(nsmb.Parameters):
    """Parameters of a fall."""

    H: float = nsmb.parameter(0.5, "m", "height of the start", "chosen", positive=True)


@nsmb.parametric(FallParameters)
def evaluated_fall(p: FallParameters) -> nsmb.LinearSystem:
    """Mass that falls on a floor."""
    floor = nsmb.Contact(w_N=[1.0], name="floor")
    start = nsmb.State(0.0, [p.H], [0.0])
    return nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[floor], initial_state=start)


@evaluated_fall.evaluation
def speed(sol: nsmb.Solution) -> float:
    """Return the speed before the first impact, m/s.

    A second paragraph.
    """
    return abs(float(sol.events.of_kind("impact").u_minus[0, 0]))


@nsmb.parametric(FallParameters)
def plain_fall(p: FallParameters) -> nsmb.LinearSystem:
    """Mass in endless free fall."""
    return nsmb.LinearSystem([[1.0]], force=[-9.81], initial_state=nsmb.State(0.0, [p.H], [0.0]))


def test_an_evaluation_is_an_attribute_of_the_builder() -> None:
    run = nsmb.simulate(evaluated_fall(H=0.5), 1.0)
    assert evaluated_fall.speed is speed
    assert evaluated_fall.speed(run) == pytest.approx(np.sqrt(2 * 9.81 * 0.5), rel=1e-12)
    assert dict(evaluated_fall.evaluations) == {"speed": speed}
    assert dict(plain_fall.evaluations) == {}
    with pytest.raises(TypeError):
        evaluated_fall.evaluations["other"] = speed  # type: ignore[index]


def test_dir_help_and_messages_list_evaluations_in_one_line_each() -> None:
    line = "Return the speed before the first impact, m/s."
    assert {"speed", "evaluation", "parameters", "recommended"} <= set(dir(evaluated_fall))
    text = pydoc.plaintext.document(evaluated_fall)
    assert "Mass that falls on a floor." in text
    assert "Evaluations" in text
    assert f"speed\n        {line}" in text
    assert "second paragraph" not in text
    assert "Evaluations" not in pydoc.plaintext.document(plain_fall)
    with pytest.raises(AttributeError) as error:
        evaluated_fall.sped  # noqa: B018
    assert str(error.value) == (
        "builder 'evaluated_fall' has no attribute 'sped'; did you mean 'speed'?\n"
        f"Call one of its evaluations:\n  speed: {line}"
    )
    with pytest.raises(AttributeError, match=r"builder 'plain_fall' has no attribute 'speed'$"):
        plain_fall.speed  # noqa: B018
    assert not hasattr(evaluated_fall, "_speed")


def test_a_builder_is_pickled_and_copied_by_name() -> None:
    for builder in (evaluated_fall, nsmb.systems.dominoes):
        assert pickle.loads(pickle.dumps(builder)) is builder
        assert copy.deepcopy(builder) is builder
        assert pickle.loads(pickle.dumps(builder.speed)) is builder.speed


def test_a_builder_looks_like_a_function_of_its_parameters() -> None:
    assert evaluated_fall.__name__ == "evaluated_fall"
    assert evaluated_fall.__module__ == __name__
    assert list(inspect.signature(evaluated_fall).parameters) == ["H"]
    assert "parametric" in str(Builder.__doc__)
    assert repr(evaluated_fall) == f"<builder evaluated_fall of {__name__}>"
    with pytest.raises(TypeError, match=r"evaluated_fall: expected parameters by name, got 0\.5"):
        evaluated_fall(0.5)  # type: ignore[misc]


def test_names_that_builders_have_are_refused() -> None:
    def parameters() -> None:
        """Return nothing."""

    def named_elsewhere() -> None:
        """Return nothing."""

    named_elsewhere.__name__, named_elsewhere.__module__ = "speed", "another_module"
    with pytest.raises(ValueError, match="`function`: must not be named 'parameters'"):
        evaluated_fall.evaluation(parameters)
    with pytest.raises(ValueError, match="`function`: must have a name of its own, got 'speed'"):
        evaluated_fall.evaluation(named_elsewhere)
    not_a_function: Any = 3
    with pytest.raises(TypeError, match="`function`: must be a function with a name, got 3"):
        evaluated_fall.evaluation(not_a_function)
    with pytest.raises(TypeError, match="`evaluations`: must be the name of a module"):
        nsmb.parametric(FallParameters, evaluations=not_a_function)
    assert evaluated_fall.evaluation(speed) is speed  # again, as in a notebook


BUILDER = '''
from dataclasses import dataclass

import nsmb


@dataclass(frozen=True, kw_only=True)
class SlideParameters(nsmb.Parameters):
    """Data of a slide."""

    v: float = nsmb.parameter(0.5, "m/s", "velocity of the start", "chosen")


@nsmb.parametric(SlideParameters, evaluations="slide_results")
def slide(p: SlideParameters) -> nsmb.LinearSystem:
    """Mass that slides."""
    return nsmb.LinearSystem([[1.0]], initial_state=nsmb.State(0.0, [0.0], [p.v]))
'''
RESULTS = '''
import nsmb
from slides import slide


@slide.evaluation
def distance(sol: nsmb.Solution) -> float:
    """Return the distance covered, m."""
    return float(sol.q[-1, 0])
'''
USE = """
import sys
from slides import slide
import nsmb
assert "slide_results" not in sys.modules
assert slide.distance(nsmb.simulate(slide(v=2.0), 3.0)) == 6.0
assert "distance" in dir(slide)
"""


def test_evaluations_of_a_users_other_module_are_imported_when_asked_for(tmp_path: Path) -> None:
    for name, text in (("slides", BUILDER), ("slide_results", RESULTS), ("use", USE)):
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    subprocess.run([sys.executable, "use.py"], cwd=tmp_path, check=True)
    command = [sys.executable, "-m", "nsmb", "info", "slides.py:slide"]
    told = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "slide: Mass that slides." in told
