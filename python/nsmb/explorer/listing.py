"""The program that reproduces the run of a page."""

from __future__ import annotations

from nsmb.system.base import State, System
from nsmb.system.method import Method
from nsmb.testing.script import code, of_system

__all__ = ["listing"]


def listing(
    given: System, system: System, start: State | None, t_end: float, method: Method | None
) -> str:
    """Return a program that builds and simulates `system`, a copy of `given` with other parameters.

    Parameters
    ----------
    given, system : System
    start : State or None
        Initial state if it differs from that of the system.
    t_end : float
        End time, s.
    method : method or None
        None for ``"auto"``.

    Returns
    -------
    str
    """
    arguments = [f"t_end={code(t_end)}"]
    if start is not None:
        arguments += [f"q={code(start.q)}", f"u={code(start.u)}"]
        arguments += [f"x={code(start.x)}"] * bool(start.x.size)
    if method is not None:
        arguments.append(f"method={code(method)}")
    elif system._recommends and system.recommended.method is not None:
        # The recommendation was set by hand, so the builder does not reproduce it.
        arguments.append(f"method={code(system.recommended.method)}")
    lines = ["import numpy as np", "", "import nsmb", "", _built(given, system)]
    lines += [f"sol = nsmb.simulate(system, {', '.join(arguments)})", "print(sol)", "sol.plot()"]
    text = "\n".join(lines) + "\n"
    return text if "np." in text else text.replace("import numpy as np\n\n", "")


def _built(given: System, system: System) -> str:
    """Return the line that builds the system, with only the non-default parameters."""
    builder = system._builder
    if builder is None:
        return of_system(system)
    usual = builder().parameters
    own = {k: v for k, v in system.parameters.items() if v != usual.get(k)}
    values = ", ".join(f"{k}={code(v)}" for k, v in own.items())
    name, module = builder.__name__, builder.__module__
    if f"{module}.".startswith("nsmb.systems."):
        return f"system = nsmb.systems.{name}({values})"
    return f"from {module} import {name}\n\nsystem = {name}({values})"
