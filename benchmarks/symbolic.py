"""Systems from energies: comparison of compilers, and run time compared with matrices.

Requires SymPy and llvmlite, and for the rows of the other compilers Numba and a C compiler.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import sympy

import nsmb
from benchmarks.harness import alternate, benchmark, timed
from nsmb import symbolic
from nsmb.symbolic import compiler, ir
from nsmb.symbolic.graph import Graph
from nsmb.symbolic.program import evaluate

CALLS = 200_000
REPETITIONS = 7
_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
Row = dict[str, Any]


def chain(links: int) -> symbolic.LagrangianSystem:
    """Build links of unit mass and length in a plane, with angles from the vertical."""
    q = symbolic.coordinates(" ".join(f"q{i}" for i in range(links)))
    p = symbolic.parameters(m=1.0, l=1.0, g=9.81)
    x = list(accumulate(p.l * sympy.sin(angle) for angle in q))
    y = list(accumulate(-p.l * sympy.cos(angle) for angle in q))
    kinetic = p.m / 2 * sum(symbolic.rate(e) ** 2 for e in (*x, *y))
    floor = symbolic.point_contact(
        point=(x[-1], y[-1] + links), tangent=(1, 0), law=nsmb.ContactLaw(mu=0.3)
    )
    return symbolic.LagrangianSystem(
        q, kinetic, p.m * p.g * sum(y), contacts=[floor], parameters=p, linear=False
    )


class Recorded:
    """Return the input of the compiler: graph, outputs and slots of each function."""

    def __init__(self, build: Callable[[], symbolic.SymbolicSystem]) -> None:
        self.functions: dict[str, tuple[Graph, list[list[int]], ir.Hoist | None]] = {}
        original = ir.function

        def record(graph: Graph, name: str, outputs: Any, hoist: Any = None) -> str:
            self.functions[name] = graph, outputs, hoist
            return original(graph, name, outputs, hoist)

        ir.function = record
        try:
            self.system = build()
        finally:
            ir.function = original
        self.program = self.system._program


def statements(recorded: Recorded, name: str, language: str) -> list[str]:
    """Return the function as lines of C or Python."""
    graph, outputs, hoist = recorded.functions[name]
    names: dict[int, str] = {}
    lines = []
    end, declare = (";", "double ") if language == "c" else ("", "")
    printer = ir._Printer(graph, hoist)
    for node in printer.needed([n for part in outputs for n in part]):
        operation = graph.operations[node]
        if node in graph.values:
            names[node] = repr(graph.values[node])
        elif node in graph.labels:
            kind, index = graph.labels[node]
            names[node] = f"i[{ir.INPUTS.index(kind)}][{index}]"
        elif hoist and node in hoist.slots:
            names[node] = f"i[{ir.INPUTS.index('p')}][{hoist.slots[node]}]"
        else:
            a = [names[x] for x in graph.arguments[node]]
            if operation in _INFIX:
                text = f"{a[0]} {_INFIX[operation]} {a[1]}"
            else:
                text = f"-{a[0]}" if operation == "neg" else f"{operation}({a[0]})"
            names[node] = f"n{node}"
            lines.append(f"{declare}n{node} = {text}{end}")
    for k, part in enumerate(outputs):
        lines += [f"o[{k}][{j}] = {names[node]}{end}" for j, node in enumerate(part)]
    return lines


def by_llvm(recorded: Recorded, folder: Path) -> tuple[float, float, Callable[[str], int], Any]:
    """Return the times cold and from disk, the addresses, and objects to keep alive."""
    os.environ["NSMB_CACHE_DIR"] = str(folder)
    times = []
    for _ in range(2):
        compiler._loaded.clear()
        begin = time.perf_counter()
        codes = [
            compiler.compiled(text)
            for text in (recorded.program.assembly, recorded.program.jacobian_assembly)
        ]
        times.append(time.perf_counter() - begin)

    def address(name: str) -> int:
        return codes[name == "jacobians"].address(name)

    return times[0], times[1], address, codes


def by_c(recorded: Recorded, folder: Path) -> tuple[float, float, Callable[[str], int], Any]:
    source, library = folder / "f.c", folder / "f.so"
    text = ["#include <math.h>"]
    for name in recorded.functions:
        text.append(f"void {name}(const double* const* i, double* const* o) {{")
        text += [*statements(recorded, name, "c"), "}"]
    source.write_text("\n".join(text))
    command = ["cc", "-O2", "-ffp-contract=off", "-shared", "-fPIC", source, "-o", library, "-lm"]
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    middle = time.perf_counter()
    loaded = ctypes.CDLL(str(library))
    end = time.perf_counter()

    def address(name: str) -> int:
        return ctypes.cast(getattr(loaded, name), ctypes.c_void_p).value or 0

    return end - begin, end - middle, address, loaded


_NUMBA = """
import sys, time
from math import sin, cos, sqrt
import numba
from numba import types as t
signature = t.void(t.CPointer(t.CPointer(t.float64)), t.CPointer(t.CPointer(t.float64)))
{functions}
begin = time.perf_counter()
made = {{name: numba.cfunc(signature, cache=True)(globals()[name]) for name in {names}}}
seconds = time.perf_counter() - begin
"""


def by_numba(recorded: Recorded, folder: Path) -> tuple[float, float, Callable[[str], int], Any]:
    names = list(recorded.functions)
    functions = []
    for name in names:
        functions += [f"def {name}(i, o):"]
        functions += [f"    {line}" for line in statements(recorded, name, "python")]
    source = folder / "by_numba.py"
    source.write_text(_NUMBA.format(functions="\n".join(functions), names=names))
    times = []
    for _ in range(2):  # the second time from Numba's cache on disk
        command = [sys.executable, "-c", "import by_numba; print(by_numba.seconds)"]
        run = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        times.append(float(run.stdout))
    sys.path.insert(0, str(folder))
    sys.modules.pop("by_numba", None)
    import by_numba

    sys.path.remove(str(folder))
    return times[0], times[1], lambda name: int(by_numba.made[name].address), by_numba


def seconds_per_call(recorded: Recorded, address: Callable[[str], int]) -> float:
    """Measure M, h and contacts together, as one evaluation of the motion needs them."""
    names = [name for name in recorded.program.functions if name != "potential_energy"]
    state = recorded.system.initial_state
    sizes = {name: [len(part) for part in recorded.functions[name][1]] for name in names}
    given = (ctypes.c_void_p * len(ir.INPUTS))()
    numbers = evaluate(
        recorded.program,
        compiler.compiled(recorded.program.assembly),
        recorded.system.parameters,
    )
    arrays = {"t": np.zeros(1), "q": state.q + 0.3, "u": state.u + 0.2, "x": np.zeros(1)}
    arrays["p"] = numbers.parameters
    for kind, array in arrays.items():
        given[ir.INPUTS.index(kind)] = array.ctypes.data
    total = 0.0
    for name in names:
        parts = [np.zeros(max(1, size)) for size in sizes[name]]
        out = (ctypes.c_void_p * len(parts))(*(part.ctypes.data for part in parts))
        total += _timed(address(name), given, out)
    return total


def _timed(address: int, given: Any, out: Any) -> float:
    """Call from machine code, in a loop compiled for this purpose."""
    loop = compiler.compiled(
        """
define void @loop(ptr %f, ptr %in, ptr %out, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  call void %f(ptr %in, ptr %out)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}
"""
    )
    kinds = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    call = ctypes.CFUNCTYPE(None, *kinds)(loop.address("loop"))
    numbers = (address, ctypes.addressof(given), ctypes.addressof(out), CALLS)
    return timed(lambda: call(*numbers), REPETITIONS)[1] / CALLS


def compilers() -> list[Row]:
    ways: dict[str, Callable[[Recorded, Path], Any]] = {"llvmlite": by_llvm}
    try:
        import numba  # noqa: F401

        ways["numba cfunc"] = by_numba
    except ImportError:
        pass
    if shutil.which("cc"):
        ways["cc -O2"] = by_c
    rows = []
    systems = {
        "woodpecker": lambda: nsmb.systems.woodpecker.symbolic(linear=False),
        "five links": lambda: chain(5),
    }
    for name, build in systems.items():
        recorded = Recorded(build)
        for way, make in ways.items():
            with tempfile.TemporaryDirectory() as folder:
                cold, warm, address, kept = make(recorded, Path(folder))
                call = seconds_per_call(recorded, address)
            del kept
            rows.append({"system": name, "by": way, "cold": cold, "warm": warm, "call": call})
    return rows


def run_times() -> list[Row]:
    """Compare the woodpecker from energies and from matrices, same integrator, pair by pair."""
    rows = []
    for integrator, linear in (("linear_flow", None), ("dp853", None), ("dp853", False)):
        tolerance = {"rtol": 1e-10} if integrator == "dp853" else {}
        method = nsmb.EventDriven(
            impact_law="poisson", integrator=integrator, dense_output=False, **tolerance
        )
        systems = [
            nsmb.systems.woodpecker(),
            nsmb.systems.woodpecker.symbolic(linear=linear),
        ]
        simulators = [nsmb.Simulator(system, method, output_step=0.0) for system in systems]

        def run(simulator: nsmb.Simulator) -> None:
            simulator.reset()
            simulator.advance(5.0)

        works = {key: lambda key=key: run(key) for key in simulators}
        times = list(alternate(works, 5 * REPETITIONS).values())
        ratios = [b / a for a, b in zip(*times, strict=True)]
        kind = "machine code" if linear is False else "linear, detected"
        rows.append(
            {
                "integrator": integrator,
                "symbolic": kind,
                "matrices": min(times[0]),
                "ratio": min(times[1]) / min(times[0]),
                "range": (min(ratios), max(ratios)),
            }
        )
    return rows


def growth() -> list[Row]:
    """Measure chains: derivation with a cold cache, and size of the functions."""
    rows = []
    for links in (2, 5, 10, 20):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["NSMB_CACHE_DIR"] = folder
            compiler._loaded.clear()
            begin = time.perf_counter()
            recorded = Recorded(lambda n=links: chain(n))
            cold = time.perf_counter() - begin
            compiler._loaded.clear()
            begin = time.perf_counter()
            chain(links)
            warm = time.perf_counter() - begin
            lines = recorded.program.assembly.count("\n")
        rows.append({"links": links, "cold": cold, "warm": warm, "lines": lines})
    return rows


@benchmark("symbolic", "Systems from energies: compilers, run times, growth", alone=True)
def measure() -> dict[str, Any]:
    """Measure compilers, run time and chains.

    Compilers: cold and from disk, and one evaluation (M, h, contacts), s. Run time: 5 s of the
    woodpecker, compared with matrices. Chains: from expressions to a running system."""
    return {"compilers": compilers(), "run_times": run_times(), "growth": growth()}
