"""Trains of loose gear wheels: section 12.1 of Pfeiffer & Glocker, (12.1)-(12.11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, as_number
from nsmb.gears.rattling_scene import meshes_scene
from nsmb.system import (
    Force,
    Harmonic,
    LinearSystem,
    ParameterInfo,
    State,
    System,
    unknown_name,
)
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.options import EventDriven
from nsmb.system.recommended import Recommended

__all__ = ["DriveWheel", "LooseWheel", "RattlingTrain"]

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class DriveWheel:
    """The loaded wheel that drives the train with prescribed motion φ_e = A sin ωt."""

    A: float
    """Amplitude of its fluctuation, rad."""
    omega: float
    """Frequency of the fluctuation, rad/s, > 0."""
    r: float
    """Base radius r_e, m, > 0."""

    def __post_init__(self) -> None:
        _check_numbers(self, ("omega", "r"))


@dataclass(frozen=True)
class LooseWheel:
    """A loose wheel and its mesh with the wheel that drives it.

    Raises
    ------
    ValueError
        If a value is not finite or is out of range.
    """

    name: str
    I: float
    """Moment of inertia including everything on its shaft, kg m², > 0."""
    r: float
    """Base radius in the mesh with the wheel that drives it, m, > 0."""
    v: float
    """Backlash of this mesh, m, > 0."""
    e: float
    """Coefficient of restitution of both flanks."""
    d: float = 0.0
    """Damping of its rotation, N m s, >= 0."""
    T: float = 0.0
    """Drag moment T_r, N m."""
    parent: str | None = None
    """Name of the wheel that drives it; None for the drive."""
    R: float | None = None
    """Base radius of the gear on the parent's shaft in this mesh, m, > 0.

    The default is the base radius of the parent in its own mesh."""

    def __post_init__(self) -> None:
        _check_numbers(self, ("I", "r", "v", "R"))
        if self.d < 0.0:
            raise ValueError(f"{self.name}: d: expected a number >= 0, got {self.d:g}")
        if not 0.0 <= self.e <= 1.0:
            raise ValueError(f"{self.name}: e: expected a number in [0, 1], got {self.e:g}")


def _check_numbers(wheel: DriveWheel | LooseWheel, positive: Sequence[str]) -> None:
    prefix = f"{wheel.name}: " if isinstance(wheel, LooseWheel) else "drive: "
    for field in fields(wheel):
        value = getattr(wheel, field.name)
        if field.name in ("name", "parent") or value is None:
            continue
        number = as_number(prefix + field.name, value)
        if field.name in positive and number <= 0.0:
            raise ValueError(f"{prefix}{field.name}: expected a number > 0, got {number:g}")
        object.__setattr__(wheel, field.name, number)


class RattlingTrain:
    """A train of loose wheels that rattle behind a drive, either a chain or a branched tree.

    The angles φ of the wheels are relative to uniform rotation, with ``I φ̈ + D φ̇ + T_r = 0``
    (12.1) between impacts. The play of every mesh, its position within the backlash, is
    ``s = Wᵀ φ + v e(t)`` (12.2) with e = r_e A sin ωt. The driving flank is at s = 0, the driven
    flank at minus the backlash. Loose wheels have no effect on the drive.

    Parameters
    ----------
    drive : DriveWheel
    wheels : sequence of LooseWheel
        Loose wheels, each after its parent.

    Raises
    ------
    ValueError
        If there is no wheel, a name is repeated, or a parent is not among the previous wheels.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb.gears import DriveWheel, LooseWheel, RattlingTrain
    >>> drive = DriveWheel(A=5e-3, omega=300.0, r=0.03)
    >>> wheel = LooseWheel("fifth", I=1e-3, r=0.04, v=1e-4, e=0.9)
    >>> system = RattlingTrain(drive, [wheel]).system()
    >>> system.contact_names
    ('fifth.driving', 'fifth.driven')
    """

    def __init__(self, drive: DriveWheel, wheels: Sequence[LooseWheel]) -> None:
        self.drive = drive
        self.wheels = tuple(wheels)
        if not self.wheels:
            raise ValueError("wheels: expected at least one LooseWheel, got none")
        f = len(self.wheels)
        self.I: Vector = np.array([wheel.I for wheel in self.wheels])
        """Moments of inertia, shape (f,), in kg m²."""
        self.D: Vector = np.array([wheel.d for wheel in self.wheels])
        """Damping, shape (f,), in N m s."""
        self.T_r: Vector = np.array([wheel.T for wheel in self.wheels])
        """Drag moments, shape (f,), in N m."""
        self.W: Vector = np.zeros((f, f))
        """Directions of the plays, as columns, shape (f, f), in m."""
        self.v: Vector = np.zeros(f)
        """Coefficient of e(t) in every play, shape (f,); a geometry vector, not the backlash."""
        self.e: Vector = np.array([wheel.e for wheel in self.wheels])
        """Coefficients of restitution, shape (f,)."""
        places: dict[str, int] = {}
        for j, wheel in enumerate(self.wheels):
            if wheel.name in places:
                raise ValueError(f"wheels: expected different names, got {wheel.name!r} twice")
            self.W[j, j] = -wheel.r
            if wheel.parent is None:
                self.v[j] = 1.0 if wheel.R is None else wheel.R / drive.r
            elif wheel.parent in places:
                place = places[wheel.parent]
                self.W[place, j] = self.wheels[place].r if wheel.R is None else wheel.R
            else:
                raise unknown_name(f"{wheel.name}: parent", wheel.parent, list(places))
            places[wheel.name] = j
        for array in (self.I, self.D, self.T_r, self.W, self.v, self.e):
            array.flags.writeable = False

    def excitation(self, t: float) -> tuple[float, float, float]:
        """Return e = r_e A sin ωt in m, ė and ë."""
        omega = self.drive.omega
        size = self.drive.r * self.drive.A
        swing, speed = size * np.sin(omega * t), size * omega * np.cos(omega * t)
        return float(swing), float(speed), float(-(omega**2) * swing)

    def plays(self, t: float, phi: ArrayLike, phi_dot: ArrayLike) -> tuple[Vector, Vector]:
        """Return s and ṡ (12.2) from the rotations φ (f,) in rad and φ̇."""
        e, e_dot, _ = self.excitation(t)
        shape = (len(self.wheels),)
        return (
            self.W.T @ as_array("phi", phi, shape) + self.v * e,
            self.W.T @ as_array("phi_dot", phi_dot, shape) + self.v * e_dot,
        )

    def rotations(self, t: float, s: ArrayLike, s_dot: ArrayLike) -> tuple[Vector, Vector]:
        """Return φ (f,) in rad and φ̇ from the plays s (f,) in m and ṡ, the inverse of (12.2)."""
        e, e_dot, _ = self.excitation(t)
        shape = (len(self.wheels),)
        moved = as_array("s", s, shape) - self.v * e
        moved_dot = as_array("s_dot", s_dot, shape) - self.v * e_dot
        turned = np.linalg.solve(self.W.T, np.column_stack([moved, moved_dot]))
        phi, phi_dot = np.asarray(turned, dtype=np.float64).T
        return phi, phi_dot

    def flight(self, phi: ArrayLike, phi_dot: ArrayLike, duration: float) -> tuple[Vector, Vector]:
        """Return φ and φ̇ after a free flight, (12.3) and (12.4)."""
        shape = (len(self.wheels),)
        phi, phi_dot = as_array("phi", phi, shape), as_array("phi_dot", phi_dot, shape)
        B, c = self.D / self.I, self.T_r / self.I
        x: Vector = B * duration
        damped = x > 0.0
        safe = np.where(damped, x, 1.0)
        rise: Vector = np.where(damped, -np.expm1(-x) / safe, 1.0) * duration
        # Without damping, the limits of the brackets apply.
        drag: Vector = np.where(
            x > 1e-4,
            (x + np.expm1(-x)) / safe**2,
            0.5 - x / 6.0 + x**2 / 24.0,  # the next term is below 1e-14
        )
        return phi + rise * phi_dot - drag * duration**2 * c, np.exp(-x) * phi_dot - rise * c

    def transition(self, *meshes: str) -> tuple[Vector, Vector]:
        """Return U and ζ of an impact in one or several meshes, φ̇⁺ = U φ̇⁻ + ζ ė (12.8).

        Parameters
        ----------
        *meshes : str
            Names of the wheels whose meshes with their parents are closed.

        Returns
        -------
        U : ndarray, (f, f)
        zeta : ndarray, (f,) 1/m

        Raises
        ------
        ValueError
            If no mesh is given, or the train does not have the wheel.
        """
        names = [wheel.name for wheel in self.wheels]
        if not meshes:
            raise ValueError(f"meshes: expected names from {', '.join(names)}, got none")
        for name in meshes:
            if name not in names:
                raise unknown_name("mesh", name, names)
        closed = [names.index(name) for name in meshes]
        W = self.W[:, closed]
        Minv_W = W / self.I[:, None]
        G = W.T @ Minv_W
        back = Minv_W @ np.linalg.solve(G, np.diag(1.0 + self.e[closed]))
        return np.eye(len(names)) - back @ W.T, -back @ self.v[closed]

    def parameters(self) -> dict[str, float]:
        """Return the parameters of the train: ``A``, ``omega``, ``r_e``, ``I_<wheel>``, ..."""
        values = {"A": self.drive.A, "omega": self.drive.omega, "r_e": self.drive.r}
        for wheel in self.wheels:
            for name in _UNITS:
                value = getattr(wheel, name)
                if value is not None:
                    values[f"{name}_{wheel.name}"] = value
        return values

    def with_parameters(self, **changes: float) -> RattlingTrain:
        """Return the train with changed parameters, named as in :meth:`parameters`.

        Raises
        ------
        ValueError
            If the train does not have the parameter or cannot take the value.
        """
        known = self.parameters()
        for key in changes:
            if key not in known:
                raise unknown_name("parameter", key, list(known))
        drive = DriveWheel(
            changes.get("A", self.drive.A),
            changes.get("omega", self.drive.omega),
            changes.get("r_e", self.drive.r),
        )
        wheels = []
        for wheel in self.wheels:
            keys = {name: f"{name}_{wheel.name}" for name in _UNITS}
            new = {name: changes[key] for name, key in keys.items() if key in changes}
            wheels.append(replace(wheel, **new))  # type: ignore[arg-type] # names of numbers only
        return RattlingTrain(drive, wheels)

    def system(self, name: str = "rattling_train") -> LinearSystem:
        """Return the train as a system (12.11).

        ===========  =====================================================================
        coordinates  ``s_<wheel>``, the play of its mesh with its parent, in [-v, 0] (m)
        contacts     ``<wheel>.driving`` at s = 0, ``<wheel>.driven`` at s = -v
        source       Pfeiffer & Glocker, section 12.1
        ===========  =====================================================================

        The system starts at rest in the middle of every backlash. Several meshes that are closed at
        an impact follow Newton's law, as (12.8) does, unless specified otherwise.
        """
        info = {
            "A": ParameterInfo("rad", "amplitude of the drive", "given"),
            "omega": ParameterInfo("rad/s", "frequency of the drive", "given"),
            "r_e": ParameterInfo("m", "base radius of the drive", "given"),
        }
        for wheel in self.wheels:
            for field, (unit, text) in _UNITS.items():
                if getattr(wheel, field) is not None:
                    about = ParameterInfo(unit, f"{text}, {wheel.name}", "given")
                    info[f"{field}_{wheel.name}"] = about
        system = self._system(
            name=name,
            parameters=self.parameters(),
            parameter_info=info,
            rebuild=self._rebuild,
        )
        system.recommended = Recommended(EventDriven(impact_law="newton"))  # (12.8)
        return system

    def _rebuild(self, **parameters: float) -> System:
        return self.with_parameters(**parameters).system()

    def _system(self, **about: Any) -> LinearSystem:
        """Return the system (12.11), multiplied by W⁻¹ I W⁻ᵀ from the left for symmetric masses."""
        inverse = np.linalg.inv(self.W)
        M = inverse @ np.diag(self.I) @ inverse.T
        D = inverse @ np.diag(self.D) @ inverse.T
        M = 0.5 * (M + M.T)
        size, omega = self.drive.r * self.drive.A, self.drive.omega
        force = Force(
            constant=-inverse @ self.T_r,
            harmonics=[
                # ë = -r_e A ω² sin ωt, ė = r_e A ω cos ωt
                Harmonic(M @ self.v * size * omega**2, omega, 0.5 * np.pi),
                Harmonic(D @ self.v * size * omega, omega),
            ],
        )
        contacts = []
        for w, wheel in zip(np.eye(len(self.wheels)), self.wheels, strict=True):
            law = ContactLaw(e_N=wheel.e)
            contacts.append(Contact(w_N=-w, law=law, name=f"{wheel.name}.driving"))
            contacts.append(Contact(w_N=w, gap=wheel.v, law=law, name=f"{wheel.name}.driven"))
        middle = np.array([-0.5 * wheel.v for wheel in self.wheels])
        system = LinearSystem(
            M,
            D=D,
            force=force,
            contacts=contacts,
            coordinates=[f"s_{wheel.name}" for wheel in self.wheels],
            coordinate_units=["m"] * len(self.wheels),
            initial_state=State(0.0, middle, np.zeros_like(middle)),
            **about,
        )
        names = [f"wheel {wheel.name}" for wheel in self.wheels]
        system.scene = meshes_scene(names, [wheel.v for wheel in self.wheels])
        return system


_UNITS = {
    "I": ("kg m²", "moment of inertia"),
    "r": ("m", "base radius"),
    "R": ("m", "base radius on the parent's shaft"),
    "v": ("m", "backlash"),
    "e": ("-", "restitution"),
    "d": ("N m s", "damping"),
    "T": ("N m", "drag moment"),
}
