"""One system of the campaign: a script that builds and runs it, and data for independent checks."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FAMILIES = ("linear", "energies", "bodies", "spatial")
IN_STEPS = ("stepped", "surfaces", "schemes", "flexible", "gears", "areal", "solids")
"""Families with time-stepping runs and their own checks."""
ALL = FAMILIES + IN_STEPS
IMPORTS = "import numpy as np\n\nimport nsmb\n"


def generator(family: str, seed: int) -> np.random.Generator:
    """Return a random number generator that depends on family and seed alone."""
    return np.random.default_rng([ALL.index(family), seed])


def code(value: Any) -> str:
    """Return the Python source of a value, with all digits of every number."""
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k!r}: {code(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(code(v) for v in value) + "]"
    return repr(value)


def law_code(law: Mapping[str, float]) -> str:
    return "nsmb.ContactLaw(" + ", ".join(f"{k}={code(v)}" for k, v in law.items()) + ")"


@dataclass(frozen=True)
class Case:
    """A run that is reproducible from its source text."""

    family: str
    seed: int
    build: str
    """Python source that defines `system`, using `nsmb` and `np`."""
    t_end: float
    q: list[float] | None
    u: list[float] | None
    method: dict[str, Any]
    """Options of the method."""
    spec: dict[str, Any] = field(repr=False)
    """Numbers of the system for the checks, which do not use nsmb."""
    tags: tuple[str, ...] = ()
    """Labels of the features of the case."""
    preamble: str = ""
    """Source before `build` shared by many cases and run once per process."""
    method_type: str = "EventDriven"
    """Name of the method class in `nsmb`."""

    @property
    def name(self) -> str:
        return f"{self.family}-{self.seed}"

    def script(self) -> str:
        """Return a program that reproduces the run."""
        options = ", ".join(f"{k}={code(v)}" for k, v in self.method.items())
        start = "".join(
            f", {k}={code(v)}" for k, v in (("q", self.q), ("u", self.u)) if v is not None
        )
        return (
            f"{IMPORTS}\n{self.preamble}{self.build}\nmethod = nsmb.{self.method_type}({options})\n"
            f"sol = nsmb.simulate(system, {code(self.t_end)}{start}, method=method, throw=False)\n"
            "print(sol)\nprint(sol.events.to_text(max_rows=40))\n"
        )

    def system(self) -> Any:
        """Build the system by running its source."""
        import nsmb

        scope = {"np": np, "nsmb": nsmb, **_prepared(self.preamble)}
        exec(self.build, scope)
        return scope["system"]

    def run(self, system: Any = None, *, t_end: float | None = None, **changes: Any) -> Any:
        """Return the solution. `changes` replace options of the method."""
        import nsmb

        return nsmb.simulate(
            self.system() if system is None else system,
            self.t_end if t_end is None else t_end,
            q=self.q,
            u=self.u,
            method=getattr(nsmb, self.method_type)(**{**self.method, **changes}),
            output_step=0.0,
            progress=False,
            throw=False,
        )


@functools.cache
def _prepared(source: str) -> dict[str, Any]:
    import nsmb

    scope: dict[str, Any] = {"np": np, "nsmb": nsmb}
    exec(source, scope)
    return scope


def draw_method(
    rng: np.random.Generator, *, linear: bool = False, max_events: int = 20_000
) -> dict[str, Any]:
    """Draw an impact law, a tolerance and sometimes another integrator."""
    law = rng.choice(["poisson", "newton", "moreau"], p=[0.7, 0.15, 0.15])
    method: dict[str, Any] = {"impact_law": str(law)}
    if rng.random() < 0.6:
        method["rtol"] = float(rng.choice([1e-6, 1e-7, 1e-9, 1e-10]))
    if linear and rng.random() < 0.2:
        method["integrator"] = "dp853"
    method["max_events"] = max_events
    return method


def draw_restitution(rng: np.random.Generator) -> float:
    e_N = rng.choice([0.0, -1.0, 1.0], p=[0.3, 0.66, 0.04])
    return float(e_N if e_N >= 0.0 else rng.uniform(0.0, 0.95))


def draw_friction(rng: np.random.Generator) -> float:
    return float(rng.choice([0.0, 0.1, 0.3, 0.5, 0.9, 1.2], p=[0.25, 0.15, 0.25, 0.15, 0.1, 0.1]))
