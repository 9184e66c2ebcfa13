"""The number of data members of classes is limited, so that each has one responsibility."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOMS = Path(__file__).resolve().parents[2] / "cpp" / "nsmb"

MOST = 22
# Larger classes, which may only shrink. Results with one column per quantity and workspaces of
# solvers are lists rather than responsibilities.
LARGER = {
    "McpWorkspace": 28,
    "McpPath": 28,
    "SundialsIntegrator": 27,
    "ImpactResult": 23,
}

CLASS = re.compile(r"^(?:class|struct) (\w+)[^;{()]*\{", re.MULTILINE)
NO_MEMBER = ("using ", "friend ", "static ", "template", "class ", "struct ", "enum ")


def body_at(text: str, start: int) -> str:
    """Return the text between the braces opened before `start`, without nested ones."""
    depth, kept = 1, []
    for character in text[start:]:
        depth += (character == "{") - (character == "}")
        if depth == 0:
            break
        if depth == 1:
            kept.append(";" if character == "}" else character)
    return "".join(kept)


def without_templates(text: str) -> str:
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    return text


def members(body: str) -> Iterator[str]:
    for statement in body.split(";"):
        line = re.sub(r"\b(public|private|protected):", "", statement).strip()
        plain = without_templates(line)
        if plain and "(" not in plain and not plain.startswith(NO_MEMBER):
            yield from (part.split("=")[0].split()[-1] for part in plain.split(",") if part.strip())


def classes() -> Iterator[tuple[str, int]]:
    for header in sorted(ROOMS.glob("*/*.hpp")):
        text = re.sub(r"//[^\n]*", "", header.read_text("utf-8"))
        for match in CLASS.finditer(text):
            yield match.group(1), len(list(members(body_at(text, match.end()))))


def test_members_are_counted() -> None:
    body = """
     public:
      explicit Some(int a);
      int size() const { return 3; }
      std::vector<std::pair<int, int>> pairs;
     private:
      using F = std::function<double(double)>;
      std::function<bool(double)> monitor_;
      double a_ = 0.0, b_ = 1.0;
      Matrix M_{3, 3};
    """
    assert list(members(body_at(body + "}", 0))) == ["pairs", "monitor_", "a_", "b_", "M_"]


def test_no_class_has_more_members_than_one_can_see_at_once() -> None:
    found = list(classes())
    assert len(found) > 150
    too_many = [(name, n) for name, n in found if n > LARGER.get(name, MOST)]
    assert too_many == []


def test_the_list_of_larger_classes_has_no_others() -> None:
    sizes: dict[str, int] = {}
    for name, n in classes():
        sizes[name] = max(n, sizes.get(name, 0))
    assert [name for name in LARGER if sizes.get(name, 0) <= MOST] == []
