"""What the site makes of texts, comments and headers of the repository."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from nsmb_docs import equations, headers, sources

PAGES = {"cpp/nsmb/simulation/README.md": "theory/simulation"}


def rewritten(text: str) -> str:
    included = sources.Included("cpp/nsmb/contact_laws/README.md", "theory/contact_laws", PAGES)
    return included.rewritten(text)


def test_links_to_texts_of_the_site_lead_to_their_pages() -> None:
    assert rewritten("[a](../simulation/README.md#b)") == "[a](simulation.md#b)"


def test_links_to_sources_lead_to_what_shows_them() -> None:
    expected = "{source}`laws <cpp/nsmb/contact_laws/impact.hpp>`"
    assert rewritten("[`laws`](impact.hpp)") == expected
    assert rewritten("[far](https://example.org) [here](#here)") == (
        "[far](https://example.org) [here](#here)"
    )


def test_names_of_files_become_links_and_other_code_stays() -> None:
    path = "cpp/nsmb/contact_laws/impact.cpp"
    assert rewritten("`impact.cpp`, `nothing.cpp`, `y = A x`") == (
        f"{{source}}`impact.cpp <{path}>`, `nothing.cpp`, `y = A x`"
    )
    assert rewritten("```\n`impact.cpp`\n```\n") == "```\n`impact.cpp`\n```\n"


def test_equations_are_found_in_remarks_only(tmp_path: Path) -> None:
    assert equations.equations("(6.35), (8.87)-(8.97), f(2.5), (0.5), (13.0)") == [
        "6.35",
        "8.87",
        "8.97",
    ]
    assert equations.equations("(7.9, 8.27) and WP (25)-(28)") == ["7.9", "8.27", "WP 25", "WP 28"]
    file = tmp_path / "a.py"
    file.write_text("x = (4.5)  # (6.8)\n", "utf-8")
    assert [(line, equations.equations(text)) for line, text in equations.remarks(file)] == [
        (1, ["6.8"])
    ]


def test_every_place_names_its_equation() -> None:
    found = equations.places()
    assert len(found) > 250
    for equation, places in found.items():
        number = re.escape(equation.removeprefix("WP "))
        for path, line in places:
            text = (sources.ROOT / path).read_text("utf-8").splitlines()[line - 1]
            assert re.search(rf"(?<![\d.]){number}(?!\d)", text), (equation, path, line)


def test_comments_behind_members_are_marked_for_doxygen() -> None:
    text = "// What.\n#pragma once\nstruct A {\n  int n;  // (n) one,\n          // two\n};\n"
    assert headers.marked(text) == (
        "/// @file\n/// What.\n#pragma once\nstruct A {\n"
        "  int n;  ///< (n) one,\n          ///< two\n};\n"
    )


def test_every_room_has_a_page_with_all_of_its_headers(site: Path) -> None:
    rooms = sorted(path.name for path in headers.CORE.iterdir() if path.is_dir())
    for room in rooms:
        page = (site / "reference" / "cpp" / f"{room}.html").read_text("utf-8")
        for name in headers.headers(room):
            assert f"cpp/nsmb/{room}/{name}" in page, f"{room}/{name}"
