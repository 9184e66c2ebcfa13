"""Search for the contacts of two polygons: cost against the number of points, beside brute force.

Two discs with rough rims touch; both have n points. Times are processor times of one thread,
medians over placements; brute force tries the same exact tests on all pairs of edges.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import geometry

Floats = NDArray[np.float64]

SIZES = (100, 300, 1000, 3000, 10000, 30000, 100000)
BRUTE_UP_TO = 3000
PLACEMENTS = 50
WAYS = {"fixed": "distance 1e-4 of the radius", "spacing": "distance of 0.1 spacings of the points"}


def rim(n: int, rng: np.random.Generator) -> Floats:
    angle = 2.0 * np.pi * np.arange(n) / n
    radius = 1.0 + 0.3 / n * rng.uniform(-1.0, 1.0, n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def placements(rng: np.random.Generator, n: int, distance: float) -> tuple[Floats, Floats]:
    direction = rng.uniform(0.0, 2.0 * np.pi, PLACEMENTS)
    far = 2.0 + distance * rng.uniform(-0.5, 1.0, PLACEMENTS)
    first = np.column_stack([np.zeros((PLACEMENTS, 2)), rng.uniform(-3, 3, PLACEMENTS)])
    place = far[:, None] * np.column_stack([np.cos(direction), np.sin(direction)])
    return first, np.column_stack([place, rng.uniform(-3, 3, PLACEMENTS)])


def search(
    discs: list[geometry.Chain], poses: tuple[Floats, Floats], distance: float, use_tree: bool
) -> tuple[float, dict[str, Any]]:
    """(seconds per search, what the last placements gave)."""
    times, repeat = [], 5 if use_tree else 1
    for _ in range(repeat):
        begin = time.thread_time()
        found = geometry.find_candidates(
            discs[0], poses[0], discs[1], poses[1], distance, distance, use_tree=use_tree
        )
        times.append((time.thread_time() - begin) / len(poses[0]))
    return float(np.median(times)), found


def size_row(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    points = [rim(n, rng) for _ in range(2)]
    begin = time.thread_time()
    discs = [geometry.Chain(p, closed=True) for p in points]
    row: dict[str, Any] = {"n": n, "build": (time.thread_time() - begin) / 2}
    for way, distance in (("fixed", 1e-4), ("spacing", 0.1 * 2.0 * np.pi / n)):
        poses = placements(rng, n, distance)
        row[way], found = search(discs, poses, distance, True)
        row[f"{way}_boxes"] = found["box_tests"] / PLACEMENTS
        row[f"{way}_points"] = found["point_tests"] / PLACEMENTS
        row[f"{way}_found"] = len(found["row"]) / PLACEMENTS
        if n <= BRUTE_UP_TO:
            few = max(1, min(PLACEMENTS, 1_000_000 // n**2))
            some = (poses[0][:few], poses[1][:few])
            row[f"{way}_brute"], everything = search(discs, some, distance, False)
            kept = found["row"] < few
            row[f"{way}_same"] = bool(
                np.array_equal(found["first"][kept], everything["first"])
                and np.array_equal(found["second"][kept], everything["second"])
            )
    return row


def exponent(rows: list[dict[str, Any]], key: str) -> float:
    """Slope of the logarithms over the number of points."""
    points = [(row["n"], row[key]) for row in rows if key in row]
    return float(np.polyfit(*np.log(np.array(points)).T, 1)[0])


def measure() -> dict[str, Any]:
    rows = [size_row(n) for n in SIZES]
    keys = ("build", "fixed", "spacing", "fixed_brute", "spacing_brute")
    return {"sizes": rows, "exponents": {key: exponent(rows, key) for key in keys}}


def report(results: dict[str, Any]) -> None:
    for way, text in WAYS.items():
        print(text)
        for row in results["sizes"]:
            line = (
                f"n = {row['n']:6}: {1e6 * row[way]:9.2f} µs, {row[f'{way}_boxes']:8.0f} boxes, "
                f"{row[f'{way}_points']:7.0f} exact tests, {row[f'{way}_found']:6.1f} found; "
                f"built in {1e3 * row['build']:.2f} ms"
            )
            if f"{way}_brute" in row:
                faster = row[f"{way}_brute"] / row[way]
                same = "same contacts" if row[f"{way}_same"] else "OTHER CONTACTS"
                line += (
                    f"; all pairs {1e6 * row[f'{way}_brute']:.0f} µs, {faster:.0f} times, {same}"
                )
            print(line)
    fits = ", ".join(f"{key} {value:.2f}" for key, value in results["exponents"].items())
    print(f"exponents of n: {fits}")


if __name__ == "__main__":
    report(measure())
