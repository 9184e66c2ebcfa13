"""Systems with parameters: the guarantees of the decorator, for a system in a user file."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import cli

FILE = '''
"""A system in one file and nothing else."""

from dataclasses import dataclass

import nsmb


@dataclass(frozen=True, kw_only=True)
class HopperParameters(nsmb.Parameters):
    """Data of the hopper."""

    H: float = nsmb.parameter(0.5, "m", "height of the start", "chosen", positive=True)
    e_N: float = nsmb.parameter(0.5, "-", "restitution", "chosen")


@nsmb.parametric(HopperParameters, recommended=nsmb.results.Recommended(t_end=1.0))
def hopper(p: HopperParameters) -> nsmb.LinearSystem:
    """Ball above a floor."""
    floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=p.e_N), name="floor")
    start = nsmb.State(0.0, [p.H], [0.0])
    return nsmb.LinearSystem([[2.0]], force=[-19.62], contacts=[floor], initial_state=start)
'''

# Files of the package import from its subpackages.
IN_PACKAGE = (
    FILE.replace("nsmb.results.", "")
    .replace("nsmb.", "")
    .replace(
        "import nsmb\n",
        "from nsmb.system import LinearSystem, State\n"
        "from nsmb.system.contact_laws import ContactLaw\n"
        "from nsmb.system.contacts import Contact\n"
        "from nsmb.system.recommended import Recommended\n"
        "from nsmb.system.parametric import Parameters, parameter, parametric\n",
    )
)


@dataclass(frozen=True, kw_only=True)
class BlockParameters(nsmb.Parameters):
    """Parameters of a block."""

    m: float = nsmb.parameter(2.0, "kg", "mass", "chosen", positive=True)
    n: int = nsmb.parameter(1, "-", "number of springs", "chosen")


@nsmb.parametric(BlockParameters, recommended=nsmb.results.Recommended(t_end=3.0))
def parametric_block(p: BlockParameters) -> nsmb.LinearSystem:
    """Block on springs.

    Raises
    ------
    ValueError
        For numbers that are out of range.
    """
    return nsmb.LinearSystem([[p.m]], [[float(p.n)]], initial_state=nsmb.State(0.0, [1.0], [0.0]))


@dataclass(frozen=True, kw_only=True)
class SupportParameters(nsmb.Parameters):
    """Parameters of a mass on one of two supports."""

    c: float = nsmb.parameter(100.0, "N/m", "stiffness", "chosen")
    support: int | str = nsmb.parameter(
        "spring", "-", "what holds it", "chosen", choices=("spring", "spring and damper")
    )


@nsmb.parametric(
    SupportParameters,
    recommended=nsmb.results.Recommended(t_end=1.0),
    sets={"soft": {"c": 10.0}, "damped": {"support": "spring and damper"}},
)
def supported_mass(p: SupportParameters) -> nsmb.LinearSystem:
    """Mass on a spring, with or without a damper."""
    d = 5.0 if p.choice("support") == "spring and damper" else 0.0
    return nsmb.LinearSystem([[1.0]], [[p.c]], [[d]], initial_state=nsmb.State(0.0, [1.0], [0.0]))


def test_names_data_and_recommendation_come_from_the_decorator() -> None:
    system = parametric_block(m=3.0)
    assert system.name == "parametric_block"
    assert dict(system.parameters) == {"m": 3.0, "n": 1}
    assert system.parameter_info["m"] == nsmb.system.ParameterInfo(
        "kg", "mass", "chosen", positive=True
    )
    assert system.recommended.t_end == 3.0
    assert nsmb.simulate(system).t_span == (0.0, 3.0)


def test_a_system_is_changed_copied_and_pickled_by_name_and_data() -> None:
    system = parametric_block(m=3.0).with_parameters(n=2)
    for twin in (system, copy.deepcopy(system), pickle.loads(pickle.dumps(system))):
        assert isinstance(twin, nsmb.LinearSystem)
        assert dict(twin.parameters) == {"m": 3.0, "n": 2}
        np.testing.assert_array_equal(twin.mass_matrix(0.0, [0.0]), [[3.0]])


def test_help_tells_signature_units_and_defaults() -> None:
    signature = inspect.signature(parametric_block)
    assert list(signature.parameters) == ["m", "n"]
    assert signature.parameters["m"].default == 2.0
    text = parametric_block.__doc__
    assert text is not None
    assert "m : kg, default 2\n    mass, chosen" in text
    assert text.index("Parameters\n---") < text.index("Raises\n---")


def test_misuse_names_the_parameter() -> None:
    with pytest.raises(ValueError, match="parameter 'M': expected one of m, n"):
        parametric_block(M=1.0)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="parameter 'm': expected a number > 0, got 0"):
        parametric_block(m=0.0)
    with pytest.raises(ValueError, match=r"parameter 'n': expected a whole number, got 1\.5"):
        parametric_block(n=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="parametric_block: expected parameters by name, got 2"):
        parametric_block(2.0)  # type: ignore[misc]


def test_a_name_belongs_to_one_function() -> None:
    def woodpecker(p: BlockParameters) -> nsmb.LinearSystem:
        return parametric_block(m=p.m)

    with pytest.raises(ValueError, match="'woodpecker' is already a system of nsmb"):
        nsmb.parametric(BlockParameters)(woodpecker)


def test_a_cell_of_a_notebook_may_be_run_again() -> None:
    def again(mass: float) -> nsmb.LinearSystem:
        @nsmb.parametric(BlockParameters)
        def test_cell(p: BlockParameters) -> nsmb.LinearSystem:
            return nsmb.LinearSystem([[mass]])

        return test_cell()

    assert again(1.0).mass_matrix(0.0, [0.0]) == 1.0
    assert again(2.0).with_parameters(m=5.0).mass_matrix(0.0, [0.0]) == 2.0


def test_one_file_is_enough_for_the_command_line_and_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "hoppers.py"
    script.write_text(FILE, encoding="utf-8")
    saved = tmp_path / "run.npz"
    command = ["run", f"{script}:hopper", "--set", "e_N=0.25", "--save", str(saved)]
    assert cli.main(command) == 0
    assert "hopper e_N=0.25" in capsys.readouterr().out
    assert cli.main(["run", f"{script}:hopper", "--help"]) == 0
    assert "height of the start" in capsys.readouterr().out
    run = nsmb.Solution.load(saved)
    assert run.system is not None
    assert dict(run.system.parameters) == {"H": 0.5, "e_N": 0.25}
    assert cli.main(["run", f"{script}:hoper"]) == 2
    assert "did you mean 'hopper'" in capsys.readouterr().err
    assert cli.main(["run", f"{tmp_path / 'none.py'}:hopper"]) == 2
    assert "no file" in capsys.readouterr().err


def test_files_of_systems_that_are_not_known_here_are_read_without_them(tmp_path: Path) -> None:
    script = tmp_path / "hoppers.py"
    script.write_text(FILE, encoding="utf-8")
    saved = tmp_path / "run.npz"
    command = [sys.executable, "-m", "nsmb", "run", f"{script}:hopper", "--save", str(saved)]
    subprocess.run(command, check=True, capture_output=True)
    code = (
        f"import nsmb; run = nsmb.Solution.load({str(saved)!r}); "
        "print(run.system_name, run.success)"
    )
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.split() == ["hopper", "True"]


def test_a_new_file_among_the_ready_made_systems_is_all_it_takes(tmp_path: Path) -> None:
    """The package is copied, so that the installed one is unchanged."""
    package = Path(nsmb.__file__).parent
    other = tmp_path / "site"
    # Without compiled modules, which other tests write at the same time.
    code = (
        "import shutil, sys; "
        f"shutil.copytree({str(package)!r}, {str(other / 'nsmb')!r}, symlinks=True, "
        "ignore=shutil.ignore_patterns('__pycache__')); "
        f"open({str(other / 'nsmb/systems/machines/hopper.py')!r}, 'w').write({IN_PACKAGE!r}); "
        f"sys.path.insert(0, {str(other)!r}); "
        "import nsmb; "
        "assert nsmb.systems.hopper(H=2.0).parameters['H'] == 2.0; "
        "assert 'hopper' in nsmb.systems.names() and 'hopper' in nsmb.systems.__all__; "
        "assert 'Ball above a floor.' in nsmb.systems.__doc__; "
        "assert nsmb.systems.hopper.recommended.t_end == 1.0"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_variants_are_chosen_by_their_words_or_places() -> None:
    for chosen in ("spring and damper", 1, 1.0):
        system = supported_mass(support=chosen)  # type: ignore[arg-type]
        assert system.parameters["support"] == 1
        assert isinstance(system.parameters["support"], int)
        assert system.forces(0.0, [0.0], [1.0])[0] == -5.0
    changed = system.with_parameters(support="spring")
    assert changed.parameters["support"] == 0
    assert pickle.loads(pickle.dumps(changed)).forces(0.0, [0.0], [1.0])[0] == 0.0


def test_parameter_sets_are_values_by_name() -> None:
    sets = supported_mass.parameter_sets  # type: ignore[attr-defined]
    assert list(sets) == ["soft", "damped"]
    assert supported_mass(**sets["soft"]).forces(0.0, [1.0], [0.0])[0] == -10.0
    assert supported_mass(**sets["damped"]).forces(0.0, [0.0], [1.0])[0] == -5.0
    with pytest.raises(TypeError, match="does not support item assignment"):
        sets["soft"]["c"] = 1.0
    assert dict(parametric_block.parameter_sets) == {}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"C": 1.0}, "parameter 'C': expected one of c, support"),
        ({"c": np.inf}, "parameter 'c': expected a finite number"),
        ({"c": 100}, "set 'same' must differ from the defaults, got c = 100.0, which is"),
        ({"support": "spring"}, "set 'same' must differ from the defaults, got support = 0"),
    ],
)
def test_a_wrong_parameter_set_is_refused_where_it_is_written(
    values: dict[str, float | str], message: str
) -> None:
    def wrong(p: SupportParameters) -> nsmb.LinearSystem:
        return supported_mass(c=p.c)

    with pytest.raises(ValueError, match=message):
        nsmb.parametric(SupportParameters, sets={"same": values})(wrong)


def test_variants_are_told_by_their_words() -> None:
    assert "support : one of spring, spring and damper, default spring\n" in str(
        supported_mass.__doc__
    )
    assert "spring and damper - (what holds it, chosen)" in supported_mass(support=1)._repr_html_()
    info = supported_mass().parameter_info
    assert (info["support"].shown(1.0), info["c"].shown(2.5)) == ("spring and damper", "2.5")


def test_words_that_are_no_variant_are_refused_with_the_nearest() -> None:
    for wrong in ("springs", 2, -1, 0.5, np.nan, None):
        with pytest.raises(ValueError, match=r"'spring' \(0\), 'spring and damper' \(1\), got"):
            supported_mass(support=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="did you mean 'spring'"):
        supported_mass(support="sprin")
    with pytest.raises(ValueError, match="parameter with choices 'c': expected one of support"):
        SupportParameters().choice("c")


def test_variants_go_through_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fall.npz"
    command = ["run", "spring_damper_wall", "--t-end", "0.1", "--save", str(path)]
    assert cli.main([*command, "--set", "law=clipped"]) == 0
    assert "law=clipped" in capsys.readouterr().out
    system = nsmb.Solution.load(path).system
    assert system is not None
    assert system.parameters["law"] == 2
    assert cli.main([*command, "--set", "law=nonsense"]) == 2
    assert cli.main(["run", "spring_damper_wall", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "one of elastic_gap, gap_damper, clipped, relaxing_wall" in told
