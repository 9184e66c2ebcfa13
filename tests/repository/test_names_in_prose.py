"""Names of the Python API in pages, docstrings, messages and comments exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import nsmb
from tests.support import api, prose
from tests.support.prose import ROOT, Text

DOTTED = re.compile(r"(?<![\w./:@-])nsmb(?:\.[A-Za-z_]\w*)+(?![\w/]|::)")
SHORT = re.compile(rf"(?<![\w.])({'|'.join(api.SHORT)})((?:\.[A-Za-z]\w*)+)")
INSTANCE = re.compile(rf"(?<![\w.\])}}])({'|'.join(api.INSTANCES)})((?:\.[A-Za-z]\w*)+)")
MEMBER = re.compile(r"(?<![\w.])([A-Z]\w+)((?:\.[a-z]\w*)+)")
METHOD = re.compile(r"(?<![\w.\])])\w+\.((?:add|with|from|to|set|plot)_\w+)\b")
CALL = re.compile(r"(?<![\w:>])((?:\w+\.)*)(\w+)\(([^()]*)\)")
KEYWORD = re.compile(r"(?:^|[,(]\s*)([a-z_]\w*)=(?!=)")
OPTION = re.compile(r"^([a-z]\w*)=(?!=)(?:\"([\w-]+)\")?")
WORDS = re.compile(r"(?<![\w.'\"/-])(?:[a-z]{3,}(?:_[a-z]{2,})+|(?:[A-Z][a-z]+){2,})(?![\w*<{-])")
FILE = re.compile(
    r"\.(?:py|pyi|hpp|cpp|md|ipynb|toml|txt|npz|h5|png|gif|mp4|pdf|urdf|json|db|so|js)\b"
)
MODULES_OF_OTHERS = ("np", "sp", "sympy", "scipy", "plt", "math", "pytest", "sys", "os", "pd", "st")
NAMES_OF_OTHERS = {
    "ProcessPoolExecutor", "ThreadPoolExecutor", "array_like", "differential_evolution",
    "find_package",
    "solve_ivp", "target_link_libraries",
}  # fmt: skip
"""Names of the standard library, of SciPy and of CMake."""


def texts() -> Iterator[Text]:
    yield from prose.pages()
    yield from prose.python_texts("python/nsmb", "docs/gallery_scripts", "docs/systems", "examples")
    yield from prose.cpp_texts("cpp")


def wrong_names(text: Text) -> Iterator[tuple[int, str]]:
    """Yield positions in the text and the errors there."""
    for match in DOTTED.finditer(text.text if "nsmb." in text.text else ""):
        if why := missing_name(match[0]):
            yield match.start(), why
    if text.kind == "message":
        if "." in text.text or "=" in text.text:
            yield from wrong_in_code(text.text)
        return
    for start, code in text.spans():
        whys = [*wrong_in_code(code), *wrong_option(code)]
        whys += wrong_members(code) if text.kind == "page" else []
        whys += unknown_words(code) if names_nsmb(text) else []
        yield from ((start + at, why) for at, why in whys)


def missing_name(name: str) -> str:
    return missing(nsmb, name)


def missing(owner: object, name: str) -> str:
    """Return why a dotted name does not exist, except for names of files."""
    first, *path = name.split(".")
    return "" if FILE.search(name) else api.missing(owner, path, first)


def wrong_in_code(code: str) -> Iterator[tuple[int, str]]:
    """Yield missing members and keywords that a call does not accept."""
    for match in SHORT.finditer(code):
        if why := missing_name(f"{api.SHORT[match[1]]}{match[2]}"):
            yield match.start(), why
    for match in MEMBER.finditer(code):
        whys = [missing(cls, match[0]) for cls in api.classes(match[1])]
        if whys and all(whys):
            yield match.start(), whys[0]
    for match in METHOD.finditer(code):
        if match[1] not in api.attributes():
            yield match.start(1), api.no_such("nsmb", match[1], api.attributes())
    for match in CALL.finditer(code):
        known = api.keywords(match[2])
        if known is not None and match[1].split(".")[0] not in MODULES_OF_OTHERS:
            for name in set(KEYWORD.findall(match[3])) - known:
                yield match.start(), api.no_such(f"{match[2]}()", name, known)


def wrong_members(code: str) -> Iterator[tuple[int, str]]:
    """Yield missing members of objects, by the names used for them on pages."""
    for match in INSTANCE.finditer(code):
        (cls,) = api.classes(api.INSTANCES[match[1]])
        if why := missing(cls, match[0]):
            yield match.start(), why


def wrong_option(code: str) -> Iterator[tuple[int, str]]:
    """Check that a span like ``option="value"`` has an existing keyword and value."""
    option = OPTION.match(code)
    if option is None:
        return
    if option[1] not in api.all_keywords():
        yield 0, api.no_such("nsmb, as a keyword,", option[1], api.all_keywords())
    elif option[2] and not set(re.findall(r"\w+", option[2])) <= api.identifiers():
        yield 0, f"{option[1]} has no value {option[2]!r}"


def unknown_words(code: str) -> Iterator[tuple[int, str]]:
    """Yield words of two parts that occur in no code."""
    for match in WORDS.finditer(code):
        known = match[0] in api.identifiers() or match[0] in NAMES_OF_OTHERS
        if not known and not FILE.search(code):
            yield match.start(), api.no_such("the code", match[0], api.identifiers())


def names_nsmb(text: Text) -> bool:
    """Return True if names refer to nsmb, unlike on pages on other programs, tests and machines."""
    path = text.path.relative_to(ROOT)
    if text.kind == "page":
        others = path.parts[0] in ("tests", "benchmarks") or path.parts[:2] == (
            "docs",
            "benchmarks",
        )
        return not others and path != Path("docs/comparison.md")
    return path.parts[:2] == ("python", "nsmb") and path.parts[2] != "systems"


def test_names_in_texts_exist() -> None:
    found = [f"{text.place(at)}: {why}" for text in texts() for at, why in wrong_names(text)]
    assert not found, "\n".join(found)


def test_every_method_of_a_model_is_named_on_a_page() -> None:
    said = {
        name
        for text in prose.pages()
        if text.path.is_relative_to(ROOT / "docs")
        for _, code in text.spans()
        for name in re.findall(r"\w+", code)
    }
    methods = {name for name in dir(nsmb.Model) if not name.startswith("_")}
    assert len(methods) > 20
    assert sorted(methods - said) == []


@pytest.mark.parametrize(
    ("kind", "said", "why"),
    [
        ("page", "`nsmb.simulatte(system)`", "nsmb has no 'simulatte'; did you mean 'simulate'?"),
        ("page", "nsmb.Model.add_joint_friktion", "nsmb.Model has no 'add_joint_friktion'"),
        ("page", "`m.add_torque` goes on", "nsmb has no 'add_torque'"),
        ("page", "`Model.add_torque`", "Model has no 'add_torque'"),
        ("page", "`sol.stepp_status`", "sol has no 'stepp_status'; did you mean 'step_status'?"),
        ("page", "`sol.events.kindz`", "sol.events has no 'kindz'; did you mean 'kind'?"),
        ("page", "`analysis.BorderCurve`", "nsmb.analysis has no 'BorderCurve'"),
        (
            "page",
            "`Midpoint(stepp=1e-3)`",
            "Midpoint() has no 'stepp'; did you mean 'step'?",
        ),
        ("page", "`on_failur=`", "has no 'on_failur'; did you mean 'on_failure'?"),
        ("page", '`impact_law="hertzian"`', "impact_law has no value 'hertzian'"),
        ("page", "`UnilateralKontakt`", "the code has no 'UnilateralKontakt'"),
        ("docstring", "As :func:`nsmb.sistems.woodpecker`.", "nsmb has no 'sistems'"),
        ("docstring", "As ``border_curves`` does.", "the code has no 'border_curves'"),
        ("message", "give EventDriven(max_stp=...)", "EventDriven() has no 'max_stp'"),
        ("message", "nsmb.joints.Revolut() is one", "nsmb.joints has no 'Revolut'"),
    ],
)
def test_a_wrong_name_is_found(kind: str, said: str, why: str) -> None:
    text = Text(ROOT / "python/nsmb/cli.py", 1, f"First line.\n{said}", kind)
    found = [f"{text.place(at)}: {reason}" for at, reason in wrong_names(text)]
    assert any(why in each for each in found), found
    assert all(each.startswith("python/nsmb/cli.py:2: ") for each in found)


@pytest.mark.parametrize(
    "said",
    [
        "`nsmb.simulate(system, t_end=2.0, method=nsmb.EventDriven(rtol=1e-6))`",
        "`sol.at(0.5).q`, `sol.events.kinds`, `Solution.check`, `sol.energy.residual`",
        '`analysis.periodic_orbit(toy, section=analysis.on_event("impact", "beak"))`',
        '`impact_law="moreau"`, `step_log=True`, `Model.add_joint(..., motion=...)`',
        "`np.linalg.solve(a, b)`, `x_i`, `run.npz`, `nsmb.systems.<name>`",
    ],
)
def test_right_names_pass(said: str) -> None:
    assert not list(wrong_names(Text(ROOT / "docs/index.md", 1, said, "page")))
