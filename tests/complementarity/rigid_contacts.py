"""Contact problems of rigid bodies, and an independent check of their solutions."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from nsmb.complementarity import friction
from nsmb.complementarity.friction import ContactBlock, FrictionProblem, FrictionResult

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Disc:
    """Friction in one row or two consecutive ones, with a bound that may grow with `normal`."""

    rows: tuple[int, ...]
    normal: int | None = None
    mu: float = 0.0
    bound: float = 0.0
    aspect: float = 1.0


@dataclass
class Problem:
    """y = A x + b with normal rows, discs, and free rows otherwise."""

    A: Array
    b: Array
    normals: list[int] = field(default_factory=list)
    discs: list[Disc] = field(default_factory=list)

    @property
    def described(self) -> FrictionProblem:
        """Return the problem in the form of the library.

        A disc that follows its normal row is a contact. Every other disc is friction alone.
        """
        discs = {disc.rows[0]: disc for disc in self.discs}
        number = {}
        blocks: list[ContactBlock] = []
        alone: dict[int, int] = {}
        row = 0
        while row < len(self.b):
            disc = discs.get(row)
            if row in self.normals:
                number[row] = len(blocks)
                disc = discs.get(row + 1)
                own = disc is not None and disc.normal == row
                blocks.append(block_of(disc) if own and disc else ContactBlock(tangents=0))
            elif disc is not None:
                if disc.normal is not None:
                    alone[len(blocks)] = disc.normal
                blocks.append(block_of(disc, normal=False))
            else:
                blocks.append(ContactBlock(normal=False, tangents=0, free=1))
            row += blocks[-1].rows
        for k, normal in alone.items():
            blocks[k] = replace(blocks[k], normal_of=number[normal])
        if not blocks:
            return FrictionProblem.local(self.A, self.b, mu=0.0)
        return FrictionProblem.local(self.A, self.b, blocks=blocks)

    def solve(self, method: friction.Method = "auto", **options: object) -> FrictionResult:
        """Solve with dense matrices, whatever the size."""
        return friction.solve(self.described, method, storage="dense", **options)  # type: ignore[arg-type]


def block_of(disc: Disc, normal: bool = True) -> ContactBlock:
    return ContactBlock(
        mu=disc.mu, tangents=len(disc.rows), normal=normal, bound=disc.bound, aspect=disc.aspect
    )


def violation(problem: Problem, x: Array) -> float:
    """Return the largest violation of the laws, written as inequalities instead of projections.

    It is in units of y relative to the largest entry of b; forces count by their effect on y.
    """
    A, b = problem.A, problem.b
    y = A @ x + b
    free = set(range(len(b)))
    worst = [0.0]
    for i in problem.normals:
        free.discard(i)
        s = np.abs(A[:, i]).max() or 1.0
        worst += [-s * x[i], -y[i], min(s * abs(x[i]), abs(y[i]))]
    for disc in problem.discs:
        i = list(disc.rows)
        free -= set(i)
        stretch = np.array([1.0, disc.aspect])[: len(i)]
        x_T, y_T = x[i] / stretch, y[i] * stretch  # in these the ellipse is a disc
        s = np.abs(A[:, i] * stretch).max() or 1.0
        x_N = max(x[disc.normal], 0.0) if disc.normal is not None else 0.0
        radius = s * (disc.mu * x_N + disc.bound)
        inside = radius - np.linalg.norm(s * x_T)
        worst.append(-inside)
        # Maximum dissipation: y_Tᵀx_T is as small as the disc allows, -|y_T| radius.
        slack = radius * np.linalg.norm(y_T) + s * x_T @ y_T
        size = radius + np.linalg.norm(y_T)
        worst.append(slack / size if size > 0.0 else 0.0)
    worst += [abs(y[i]) for i in free]
    return float(max(worst) / (np.abs(b).max() or 1.0))


def contacts(A: Array, b: Array, mu: Array) -> Problem:
    normals = list(range(0, len(b), 3))
    discs = [Disc((i + 1, i + 2), normal=i, mu=float(m)) for i, m in zip(normals, mu, strict=True)]
    return Problem(A, b, normals, discs)


def orthogonal(rng: np.random.Generator) -> Array:
    return np.linalg.qr(rng.standard_normal((3, 3)))[0]


def body(rng: np.random.Generator, nc: int, on_floor: bool) -> tuple[Array, Array]:
    """Return (W, M⁻¹) of one free body with nc contacts.

    Rows are normal, tangent, tangent; the rank is 6 at most.
    """
    columns = []
    for _ in range(nc):
        r = rng.uniform(-1.0, 1.0, 3)
        axes = np.eye(3)[:, [2, 0, 1]] if on_floor else orthogonal(rng)
        if on_floor:
            r[2] = -0.5
        columns += [np.concatenate([axis, np.cross(r, axis)]) for axis in axes.T]
    M_inv = np.diag(np.concatenate([np.ones(3), rng.uniform(0.5, 2.0, 3)]))
    return np.array(columns).T, M_inv


def body_problem(
    rng: np.random.Generator, nc: int, on_floor: bool = True, largest_mu: float = 1.0
) -> Problem:
    """Return the impact of a moving body: b = Wᵀu."""
    W, M_inv = body(rng, nc, on_floor)
    u = rng.standard_normal(6)
    u[2] -= 1.5 * on_floor
    return contacts(W.T @ M_inv @ W, W.T @ u, rng.uniform(0.05, largest_mu, nc))


def tower(rng: np.random.Generator, bodies: int, feet: int = 4, largest_mu: float = 1.0) -> Problem:
    """Return bodies stacked on the floor, each on `feet` contacts: impact of a falling tower."""
    columns = []
    for k in range(bodies):
        for _ in range(feet):
            place = rng.uniform(-1.0, 1.0, 2)
            for axis in np.eye(3)[[2, 0, 1]]:
                w = np.zeros(6 * bodies)
                w[6 * k : 6 * k + 6] = [*axis, *np.cross([*place, -0.5], axis)]
                if k > 0:
                    w[6 * k - 6 : 6 * k] = [*-axis, *np.cross([*place, 0.5], -axis)]
                columns.append(w)
    W = np.array(columns).T
    M_inv = np.tile([1.0, 1.0, 1.0, 3.0, 3.0, 3.0], bodies) * np.repeat(
        rng.uniform(0.5, 2.0, bodies), 6
    )
    u = 0.3 * rng.standard_normal(6 * bodies)
    u[2::6] -= 1.0
    mu = rng.uniform(0.05, largest_mu, bodies * feet)
    return contacts(W.T @ (M_inv[:, None] * W), W.T @ u, mu)
