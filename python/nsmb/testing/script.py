"""Programs that build a system and repeat a run."""

from __future__ import annotations

import base64
import pickle
import textwrap
import zlib
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nsmb.system.base import System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact, Friction
from nsmb.system.forces import ForceElement, GapForce
from nsmb.system.linear import Force, Harmonic, LinearSystem
from nsmb.system.method import Method
from nsmb.system.method_options import METHODS

if TYPE_CHECKING:
    from nsmb.solution.solution import Solution

__all__ = ["code", "of_solution", "of_system", "script"]

_PLAIN = (
    Force, GapForce, Harmonic, Contact, ForceElement, Friction, ContactLaw, *METHODS.values(),
)  # fmt: skip


def script(
    system: System,
    t_end: float,
    *,
    t_start: float | None = None,
    q: ArrayLike | None = None,
    u: ArrayLike | None = None,
    x: ArrayLike | None = None,
    method: Method | None = None,
) -> str:
    """Return a program that repeats a run bitwise identically, and requires only nsmb and NumPy.

    Linear and ready-made systems are written as code. The program contains a pickle of any other
    system, or a comment that its source is missing if it cannot be pickled.

    Parameters
    ----------
    system : System
        The system.
    t_end, t_start, q, u, x, method
        As for :func:`nsmb.simulate`.

    Returns
    -------
    str
        The Python code.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import testing
    >>> print(testing.script(nsmb.systems.bouncing_ball(e_N=0.5), 1.0).splitlines()[3])
    system = nsmb.systems.bouncing_ball(m=1.0, g=9.81, H=1.0, e_N=0.5)
    """
    given = {"t_start": t_start, "q": q, "u": u, "x": x, "method": method}
    arguments = "".join(f", {k}={code(v)}" for k, v in given.items() if v is not None)
    return (
        "import numpy as np\nimport nsmb\n\n"
        f"{of_system(system)}\n"
        f"sol = nsmb.simulate(system, {code(t_end)}{arguments}, throw=False)\nprint(sol)\n"
    )


def of_solution(solution: Solution, method: Method | None) -> str:
    """Return the program that repeats the run of a solution from its first sample."""
    if solution._system_or_none is None:
        return f"# the system {solution.system_name!r} is not known any more\n"
    if solution.t.size == 0:
        return script(solution.system, solution.system.initial_state.t, method=method)
    start = solution.system.initial_state
    first, end = solution.t_span
    if not solution.success:  # the script must run beyond the time of the failure
        end += max(1.0, end - first)
    t, q, u, x = solution.t[0], solution.q[0], solution.u[0], solution.x[0]
    is_default = (
        t == start.t
        and np.array_equal(q, start.q)
        and np.array_equal(u, start.u)
        and np.array_equal(x, start.x)
    )
    if is_default:
        return script(solution.system, end, method=method)
    own = x if x.size else None
    return script(solution.system, end, t_start=t, q=q, u=u, x=own, method=method)


def code(value: Any) -> str:
    """Return Python code that evaluates to `value`, with all digits of numbers."""
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, tuple | list):
        inner = ", ".join(code(v) for v in value)
        return f"[{inner}]"
    if type(value) in _PLAIN:
        parts = []
        for field in fields(value):
            content = getattr(value, field.name)
            if not _is_default(content, field.default):
                parts.append(f"{field.name}={code(content)}")
        return f"nsmb.{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def _is_default(value: Any, default: Any) -> bool:
    try:
        return bool(np.all(value == default)) and np.shape(value) == np.shape(default)
    except (TypeError, ValueError):
        return False


def of_system(system: System) -> str:
    """Return the lines of code that build a system."""
    if system._builder is not None:
        module, name = system._builder.__module__, system._builder.__name__
        values = ", ".join(f"{k}={code(v)}" for k, v in system.parameters.items())
        if f"{module}.".startswith("nsmb.systems."):
            return f"system = nsmb.systems.{name}({values})"
        return f"from {module} import {name}\n\nsystem = {name}({values})"
    if type(system) is LinearSystem and not callable(system._given["force"]):
        return _linear(system)
    try:
        packed = base64.b64encode(zlib.compress(pickle.dumps(system), 9)).decode()
    except Exception:  # any object in the system may refuse to be pickled
        return f"system = ...  # {system.name!r}, which cannot be written down: build it here"
    lines = textwrap.fill(packed, 100).replace("\n", "\n    ")
    return (
        "import base64\nimport pickle\nimport zlib\n\n"
        f'packed = """\n    {lines}\n"""\n'
        "system = pickle.loads(zlib.decompress(base64.b64decode(packed)))"
    )


def _linear(system: LinearSystem) -> str:
    start = system.initial_state
    state = f"nsmb.State({code(start.t)}, {code(start.q)}, {code(start.u)}, {code(start.x)})"
    given: dict[str, Any] = {
        k: v for k, v in system._given.items() if v is not None and _has_content(v)
    }
    parts = "".join(f"    {k}={_list(v)},\n" for k, v in given.items())
    matrices = ", ".join(code(matrix.tolist()) for matrix in (system.M, system.K, system.D))
    return (
        f"system = nsmb.LinearSystem(\n    {matrices},\n{parts}"
        f"    coordinates={code(system.coordinates)},\n    initial_state={state},\n)"
    )


def _has_content(value: Any) -> bool:
    return not isinstance(value, tuple | list) or len(value) > 0


def _list(value: Any) -> str:
    if isinstance(value, tuple | list) and value and type(value[0]) in _PLAIN:
        return "[\n" + "".join(f"        {code(v)},\n" for v in value) + "    ]"
    return code(value)
