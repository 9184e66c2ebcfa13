"""Executes notebooks and stores them with what they show, small and always in the same form.

    python notebooks/store.py [--check] [name ...]

`--check` stores nothing and says how what is stored differs from what comes out now.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

FOLDER = Path(__file__).resolve().parent
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KEPT = ("image/png", "text/html", "text/plain")  # the first that an output has, and the last
# Pictures below their cells, whatever the environment says of Matplotlib.
INLINE = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
WIDGET = "application/vnd.jupyter.widget-view+json"  # nothing without the kernel behind it
INTERACTIVE = "(a page to click on, where the notebook runs)"
COLORS = 128
TIMEOUT = 600  # s, of one cell

# A player of matplotlib, whose frames are assigned one by one; viewers without scripts show none.
FRAME = re.compile(r'frames\[\d+\] = "data:image/png;base64,([^"]+)"')
INTERVAL = re.compile(r"new Animation\(frames, \w+, \w+, (\d+)")
IDENTITY = re.compile(r"<Figure size [^>]*>")  # differs with the fonts
NUMBER = re.compile(r"[-+\u2212]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

SAME = 1e-6  # of a number: what another compiler makes of rounding on the way to it
ROUNDING = 1e-6  # below are differences of things that are the same
ALIKE = 0.02  # of the range of grey: mean difference of two pictures made small
SIZE = 0.1  # of a side: fonts differ


def paths(names: list[str] | None = None) -> list[Path]:
    """Notebooks whose names begin as told, all without names."""
    found = sorted(FOLDER.glob("*.ipynb"))
    chosen = [path for path in found if not names or path.stem.startswith(tuple(names))]
    if not chosen:
        raise SystemExit(f"none of {', '.join(path.stem for path in found)} begins so")
    return chosen


def read(path: Path) -> Any:
    import nbformat

    return nbformat.read(path, as_version=4)


def code_of(notebook: Any) -> str:
    """A digest of all cells that are executed."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16]


def is_fresh(notebook: Any) -> bool:
    """Whether the outputs are those of the cells that stand there."""
    return bool(notebook.metadata.get("nsmb", {}).get("code") == code_of(notebook))


def execute(path: Path) -> Any:
    """The notebook with new outputs, in the form in which it is stored."""
    from nbclient import NotebookClient

    notebook = read(path)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            timeout=TIMEOUT,
            kernel_name="python3",
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],  # not that it talks to us over TCP
            resources={"metadata": {"path": folder}},
        ).execute(env=os.environ | INLINE)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [small(output) for output in cell.outputs]
    notebook.metadata["nsmb"] = {"code": code_of(notebook)}
    return canonical(notebook)


def canonical(notebook: Any) -> Any:
    """Without what changes from run to run."""
    import nbformat

    about = {"nsmb": notebook.metadata["nsmb"]} if "nsmb" in notebook.metadata else {}
    notebook.metadata = nbformat.from_dict({**METADATA, **about})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02}"
        cell.metadata = nbformat.from_dict(
            {key: value for key, value in cell.metadata.items() if key != "execution"}
        )
        if cell.cell_type == "code":
            cell.execution_count = None
    nbformat.validate(notebook)
    return notebook


def small(output: Any) -> Any:
    """One form of an output, besides its text; pictures with few colours."""
    if output.output_type not in ("display_data", "execute_result"):
        return output
    data = output.data
    if WIDGET in data:
        data = {"text/plain": INTERACTIVE}
    if frames := FRAME.findall(data.get("text/html", "")):
        found = INTERVAL.search(data["text/html"])
        assert found is not None
        data = {**data, "image/png": film([decode(f) for f in frames], int(found[1]))}
    elif "image/png" in data:
        data = {**data, "image/png": still(decode(data["image/png"]))}
    first = next(kind for kind in KEPT if kind in data)
    kept = {kind: data[kind] for kind in (first, KEPT[-1]) if kind in data}
    # Not as the result of an execution with a number.
    import nbformat

    return nbformat.v4.new_output("display_data", data=kept)


def decode(text: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(text.replace("\\\n", "")))).convert("RGB")


def encode(image: Image.Image, **how: Any) -> str:
    file = io.BytesIO()
    image.save(file, format="PNG", optimize=True, **how)
    return base64.b64encode(file.getvalue()).decode() + "\n"


def few_colors(image: Image.Image, palette: Image.Image | None = None) -> Image.Image:
    # Thin lines and small dots keep their colours, which the median cut would mix.
    method = Image.Quantize.MAXCOVERAGE
    return image.quantize(COLORS, method, palette=palette, dither=Image.Dither.NONE)


def still(image: Image.Image) -> str:
    return encode(few_colors(image))


def film(frames: list[Image.Image], interval: int) -> str:
    """A PNG that moves, `interval` milliseconds a frame; viewers that know no such show one."""
    width, height = frames[0].size
    all_of_them = Image.new("RGB", (width, height * len(frames)))
    for number, frame in enumerate(frames):
        all_of_them.paste(frame, (0, number * height))
    palette = few_colors(all_of_them)
    first, *rest = (few_colors(frame, palette) for frame in frames)
    return encode(first, save_all=True, append_images=rest, duration=interval, loop=0)


# ---- comparison --------------------------------------------------------------------------------


def differences(stored: Any, executed: Any) -> Iterator[str]:
    """What distinguishes the outputs of two notebooks with the same cells.

    Texts are the same but for numbers; these differ by one unit of the last digit printed or by
    `SAME`, in cells whose metadata say ``{"nsmb": {"rtol": ...}}`` by that. Pictures are there,
    have about the same size, and look alike.
    """
    for old, new in zip(stored.cells, executed.cells, strict=True):
        if old.cell_type != "code":
            continue
        rtol = float(old.metadata.get("nsmb", {}).get("rtol", SAME))
        if [kinds(output) for output in old.outputs] != [kinds(output) for output in new.outputs]:
            yield f"{old.id}: outputs of other kinds"
            continue
        for before, after in zip(old.outputs, new.outputs, strict=True):
            for kind, one, other in pairs(before, after):
                if kind == "image/png":
                    found = picture_difference(one, other)
                else:
                    found = text_difference(one, other, rtol)
                if found:
                    yield f"{old.id}: {kind}: {found}"


def kinds(output: Any) -> tuple[str, ...]:
    return (output.output_type, output.get("name", ""), *sorted(output.get("data", {})))


def pairs(before: Any, after: Any) -> Iterator[tuple[str, str, str]]:
    if before.output_type == "stream":
        yield before.name, before.text, after.text
    for kind, value in before.get("data", {}).items():
        yield kind, value, after.data[kind]


def text_difference(one: str, other: str, rtol: float = SAME) -> str:
    texts = [" ".join(NUMBER.sub(" # ", IDENTITY.sub("", text)).split()) for text in (one, other)]
    if texts[0] != texts[1]:
        return f"{one!r} became {other!r}"
    numbers = [NUMBER.findall(IDENTITY.sub("", text)) for text in (one, other)]
    for a, b in zip(*numbers, strict=True):
        if not same_number(a, b, rtol):
            return f"{a} became {b}"
    return ""


def same_number(one: str, other: str, rtol: float) -> bool:
    a, b = (float(text.replace("\u2212", "-")) for text in (one, other))
    if max(abs(a), abs(b)) < ROUNDING:
        return True
    return abs(a - b) <= 1.01 * max(unit(one), unit(other), rtol * max(abs(a), abs(b)))


def unit(number: str) -> float:
    """Of the last digit; whole numbers are exact."""
    digits, _, exponent = number.lower().partition("e")
    _, _, decimals = digits.partition(".")
    if not decimals and not exponent:
        return 0.0
    return float(10.0 ** (int(exponent or 0) - len(decimals)))


def picture_difference(one: str, other: str) -> str:
    before, after = decode(one), decode(other)
    if any(abs(a / b - 1) > SIZE for a, b in zip(before.size, after.size, strict=True)):
        return f"a size of {before.size} became {after.size}"
    grey = [
        np.asarray(image.convert("L").resize((48, 48), Image.Resampling.BOX), dtype=float) / 255
        for image in (before, after)
    ]
    distance = float(np.abs(grey[0] - grey[1]).mean())
    return f"differs by {distance:.3f} of the range of grey" if distance > ALIKE else ""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="compare, store nothing")
    parser.add_argument("names", nargs="*", help="how names begin; default: all")
    given = parser.parse_args(arguments)
    failed = 0
    for path in paths(given.names):
        executed = execute(path)
        if given.check:
            stored = read(path)
            found = [] if is_fresh(stored) else ["its cells are not those of its outputs"]
            found += [] if found else list(differences(stored, executed))
            failed += bool(found)
            print(f"{path.name}:", "as stored" if not found else "", *found, sep="\n  ")
        else:
            import nbformat

            nbformat.write(executed, path)
            print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
