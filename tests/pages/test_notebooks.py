"""Notebooks are stored with small, normalised outputs, and executed again here."""

import base64
import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest

Image = pytest.importorskip("PIL.Image")

from notebooks import store  # noqa: E402 - where it can be imported
from tests.support import strict_warnings  # noqa: E402

NOTEBOOKS = store.paths()
STILL, MOVING, WHOLE = 40e3, 120e3, 300e3  # bytes of a figure, an animation and a notebook
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def pictures(notebook: Any) -> list[bytes]:
    found = (output.get("data", {}).get("image/png") for output in outputs(notebook))
    return [base64.b64decode(text) for text in found if text]


@each_notebook
def test_stored_form_is_canonical(path: Path) -> None:
    import nbformat

    notebook = store.read(path)
    nbformat.validate(notebook)
    text = nbformat.writes(store.canonical(copy.deepcopy(notebook)))
    assert path.read_text("utf-8") == text + "\n"
    for output in outputs(notebook):
        assert output.output_type in ("display_data", "stream")
        assert output.get("name") != "stderr", output.get("text")
        assert "application/javascript" not in output.get("data", {})
        assert " at 0x" not in json.dumps(output)


@each_notebook
def test_outputs_are_those_of_the_cells(path: Path) -> None:
    """This needs no execution, as `make notebooks` stores a digest of the executed cells."""
    notebook = store.read(path)
    assert store.is_fresh(notebook), f"{path.name} has changed: make notebooks"
    code = next(cell for cell in notebook.cells if cell.cell_type == "code")
    code.source += "\n1 + 1"
    assert not store.is_fresh(notebook)


@each_notebook
def test_visitor_sees_small_pictures(path: Path) -> None:
    found = pictures(store.read(path))
    assert len(found) >= 3
    assert path.stat().st_size <= WHOLE
    for picture in found:
        image = Image.open(io.BytesIO(picture))
        frames = getattr(image, "n_frames", 1)
        assert len(picture) <= (STILL if frames == 1 else MOVING)
        assert 300 <= image.width <= 900  # readable in a text column


@each_notebook
def test_says_what_one_learns_and_asks_at_the_end(path: Path) -> None:
    first, *_, last = store.read(path).cells
    assert first.source.startswith("# ")
    assert "*What one learns: " in first.source
    assert "pip install" in first.source
    assert "## Exercises\n" in last.source
    assert ".ipynb)" in last.source


@each_notebook
@pytest.mark.filterwarnings("default")  # of Jupyter's own packages
def test_what_is_stored_comes_out_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test includes assertions in the cells and an empty stderr."""
    monkeypatch.setenv("PYTHONWARNINGS", ",".join(strict_warnings.exemptions("ignore")))
    executed = store.execute(path)
    for output in outputs(executed):
        assert output.get("name") != "stderr", output.get("text")
    found = list(store.differences(store.read(path), executed))
    assert not found, "\n".join(found)


def test_texts_agree_but_for_rounding() -> None:
    assert not store.text_difference(
        "t = 0.1459  s\n", "t = 0.1460 s"
    )  # one unit of its last digit
    assert not store.text_difference("error 3.2e-14", "error 0.0")
    assert not store.text_difference("<Figure size 1 with 1 Axes>", "<Figure size 2 with 1 Axes>")
    assert not store.text_difference("σ = 0.122", "σ = 0.110", rtol=0.1)
    for other in ("t = 0.1462 s", "t = 0.1459 m", "t = -0.1459 s", "t = 0.1459 s, twice"):
        assert store.text_difference("t = 0.1459 s", other)
    assert store.text_difference("12 events", "13 events")
    assert store.text_difference("1.0e-3", "1.0e-2")


def test_pictures_agree_but_for_details() -> None:
    def drawn(shade: int, size: tuple[int, int] = (400, 300)) -> str:
        image = Image.new("RGB", size, "white")
        image.paste((shade, 0, 0), (100, 50, 200, 250))
        return store.still(image)

    assert not store.picture_difference(drawn(200), drawn(204))
    assert store.picture_difference(drawn(0), drawn(200))
    assert store.picture_difference(drawn(200), drawn(200, (300, 300)))


def test_differences_name_the_cell() -> None:
    import nbformat

    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("x", outputs=[nbformat.v4.new_output("stream", text="1.0")])
        ]
    )
    other = copy.deepcopy(notebook)
    assert list(store.differences(notebook, other)) == []
    other.cells[0].outputs[0].text = "2.0"
    (found,) = store.differences(notebook, other)
    assert found.startswith(notebook.cells[0].id)
    other.cells[0].outputs = []
    assert "other kinds" in next(store.differences(notebook, other))


def test_player_becomes_a_picture_that_moves() -> None:
    import nbformat

    frames = [Image.new("RGB", (40, 30), color) for color in ("red", "green", "blue")]
    lines = []
    for number, frame in enumerate(frames):
        file = io.BytesIO()
        frame.save(file, format="PNG")
        text = base64.b64encode(file.getvalue()).decode()
        lines.append(f'frames[{number}] = "data:image/png;base64,{text}"')
    player = "\n".join([*lines, "new Animation(frames, img_id, slider_id, 83, loop)"])
    shown = nbformat.v4.new_output(
        "execute_result", data={"text/html": player, "text/plain": "<Animation>"}
    )
    data = store.small(shown).data
    assert sorted(data) == ["image/png", "text/plain"]
    image = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert image.n_frames == 3
    assert image.info["duration"] == 83
    assert json.dumps(data)


def test_widget_leaves_a_word() -> None:
    import nbformat

    shown = nbformat.v4.new_output(
        "display_data", data={store.WIDGET: {"model_id": "1"}, "text/plain": "<Widget at 0x1>"}
    )
    assert store.small(shown).data == {"text/plain": store.INTERACTIVE}
