"""A collection of linear complementarity problems, and a comparison of solvers.

Each problem has properties that are known by construction. A solver is any function of (A, b) that
returns a status and a point. Every answer is checked here, from the data, with NumPy. The command

    python -m tests.complementarity.lcp_collection

prints the table in Markdown.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.complementarity import friction, lcp, mcp

Array = NDArray[np.float64]
Rng = np.random.Generator

ACCEPT = 1e-9


@dataclass(frozen=True, eq=False)
class Problem:
    """y = A x + b, with at most one of a solution and a proof that there is none."""

    family: str
    A: Array
    b: Array
    solvable: bool | None  # None: unknown
    solution: Array | None = None  # planted
    certificate: Array | None = None  # z >= 0, Aᵀz <= 0, bᵀz < 0

    @property
    def n(self) -> int:
        return len(self.b)


@dataclass(frozen=True)
class Answer:
    """An answer: `claim` is True if `x` solves, False if proven unsolvable, None if neither."""

    claim: bool | None
    x: Array


@dataclass(frozen=True)
class Method:
    name: str
    solve: Callable[[Array, Array], Answer]
    largest: int = 200  # larger problems are skipped
    one_unit: bool = False  # measures all rows by one size of b: rows in other units are skipped


def residual(A: Array, b: Array, x: Array) -> float:
    miss = np.abs(np.minimum(x, A @ x + b)).max(initial=0.0)
    return float(miss / max(1.0, np.abs(b).max(initial=0.0)))


def judge(problem: Problem, answer: Answer) -> str:
    """Return ``"solved"``, ``"proven"`` (no solution), ``"open"`` (a failure) or ``"wrong"``."""
    if answer.claim is None:
        return "open"
    if problem.solvable is (not answer.claim):
        return "wrong"
    if not answer.claim:
        return "proven"
    good = (
        np.isfinite(answer.x).all()
        and (answer.x >= 0.0).all()
        and residual(problem.A, problem.b, answer.x) <= ACCEPT
    )
    return "solved" if good else "wrong"


def planted(family: str, A: Array, x: Array, y: Array) -> Problem:
    return Problem(family, A, y - A @ x, True, solution=x)


def complementary(rng: Rng, n: int) -> tuple[Array, Array]:
    v = rng.standard_normal(n) * (rng.random(n) < 0.9)  # occasionally x = y = 0
    return np.maximum(v, 0.0), np.maximum(-v, 0.0)


def p_matrix(rng: Rng, n: int) -> Problem:
    kind = rng.integers(3)
    if kind == 0:  # positive definite, not symmetric
        root, skew = rng.standard_normal((2, n, n))
        A = root @ root.T + 0.1 * np.eye(n) + skew - skew.T
    elif kind == 1:  # dominant diagonal, whose symmetric part is indefinite
        A = rng.standard_normal((n, n)) * (rng.random((n, n)) < 0.5)
        np.fill_diagonal(A, 0.0)
        A += np.diag(1.01 * np.abs(A).sum(axis=1) + 0.1)
    else:  # triangular
        A = np.tril(rng.uniform(-1.0, 1.0, (n, n)), -1) + np.eye(n)
        order = rng.permutation(n)
        A = A[np.ix_(order, order)]
    return planted("P-matrix", A, *complementary(rng, n))


def semidefinite_solvable(rng: Rng, n: int) -> Problem:
    root = rng.standard_normal((n, rng.integers(0, n + 1)))
    A = root @ root.T
    if rng.random() < 0.5:
        skew = rng.standard_normal((n, n))
        A += skew - skew.T
    return planted("semidefinite, solvable", A, *complementary(rng, n))


def semidefinite_unsolvable(rng: Rng, n: int) -> Problem:
    """Return a problem of integers with A z = Aᵀz = 0 and bᵀz < 0, exactly."""
    z = rng.integers(1, 4, n).astype(float)
    pairs = rng.integers(n, size=(2, 2 * n))
    rows = np.zeros((2 * n, n))
    for row, i, j in zip(rows, *pairs, strict=True):
        row[i] += z[j]
        row[j] -= z[i]
    A = rows.T @ rows + rows[:n].T @ rows[n:] - rows[n:].T @ rows[:n]
    b = rng.integers(-3, 4, n).astype(float)
    worst = rng.integers(n)
    b[worst] -= np.ceil(max(0.0, b @ z + 1.0) / z[worst])
    return Problem("semidefinite, unsolvable", A, b, False, certificate=z)


def copositive(rng: Rng, n: int) -> Problem:
    """Return a strictly copositive, mostly indefinite problem: solvable for every b."""
    root = rng.standard_normal((n, rng.integers(0, n + 1)))
    A = root @ root.T + 3.0 * rng.random((n, n)) * (rng.random((n, n)) < 0.5) + 0.1 * np.eye(n)
    return planted("copositive", A, *complementary(rng, n))


def delassus(rng: Rng, contacts: int) -> tuple[Array, Array]:
    """Return (W_N, W_T)ᵀ M⁻¹ (W_N, W_T) of mostly dependent contacts, and friction coefficients."""
    f = int(rng.integers(1, 2 * contacts + 2))
    root = rng.standard_normal((f, f))
    M_inv = 10.0 ** rng.uniform(-1.0, 2.0) * (root @ root.T + 0.1 * np.eye(f))
    W = rng.standard_normal((f, 2 * contacts))
    mu = rng.uniform(0.0, 3.0, contacts) * (rng.random(contacts) < 0.8)
    return W.T @ M_inv @ W, mu


def stick_slip_matrix(G: Array, mu: Array) -> Array:
    """Return (6.35) of contacts that may stick, or (8.87).

    There are five unknowns (N, T⁺, T⁻, z⁺, z⁻) per contact.
    """
    c = len(mu)
    signs = np.zeros((3 * c, 2 * c))
    signs[:c, :c] = signs[c : 2 * c, c:] = np.eye(c)
    signs[2 * c :, c:] = -np.eye(c)
    A = np.zeros((5 * c, 5 * c))
    A[: 3 * c, : 3 * c] = signs @ G @ signs.T
    A[c : 3 * c, 3 * c :] = np.eye(2 * c)
    A[3 * c :, c : 3 * c] = -np.eye(2 * c)
    A[3 * c :, :c] = np.vstack([np.diag(mu), np.diag(mu)])
    return A


def compression(rng: Rng, n: int) -> Problem:
    """Return (8.87) with b = (Wᵀu, 0), which is solvable.

    Theory proves this for any friction and dependent contacts.
    """
    c = max(1, n // 5)
    G, mu = delassus(rng, c)
    A = stick_slip_matrix(G, mu)
    gamma = G @ rng.standard_normal(2 * c) / np.sqrt(np.abs(G).max() + 1e-300)  # in the range of Wᵀ
    b = np.concatenate([gamma[:c], gamma[c:], -gamma[c:], np.zeros(2 * c)])
    return Problem("compression (8.87)", A, b, True)


def acceleration(rng: Rng, n: int) -> Problem:
    """Return (6.35) with a prescribed solution of any states, to which w̄ is fitted."""
    c = max(1, n // 5)
    G, mu = delassus(rng, c)
    mu = np.minimum(mu, 0.5)
    A = stick_slip_matrix(G, mu)
    state = rng.integers(4, size=c)  # open, sticking, slipping forward, slipping backward
    normal = np.where(state == 0, 0.0, rng.uniform(0.1, 2.0, c))
    rate = np.where(state == 0, rng.uniform(0.1, 2.0, c), 0.0)
    slip = np.select([state == 2, state == 3], [1.0, -1.0]) * rng.uniform(0.1, 2.0, c)
    slip[state == 0] = rng.standard_normal(c)[state == 0]
    bound = mu * normal
    force = np.where(state == 1, rng.uniform(-1.0, 1.0, c), -np.sign(slip)) * bound
    # λ_T = T⁺ - T⁻ with T± + (their saturations) = μ λ_N: T⁺ = (bound + λ_T) / 2 and so on, in the
    # form of stick_slip_matrix: rows T⁺, T⁻ contain ±γ̇_T + z±, rows z± contain μ λ_N - T±.
    plus, minus = np.maximum(force, 0.0), np.maximum(-force, 0.0)
    z_plus, z_minus = np.maximum(-slip, 0.0), np.maximum(slip, 0.0)
    x = np.concatenate([normal, plus, minus, z_plus, z_minus])
    gamma = np.concatenate([rate, slip]) - G @ np.concatenate([normal, force])
    b = np.concatenate([gamma[:c], gamma[c:], -gamma[c:], np.zeros(2 * c)])
    return Problem("acceleration (6.35)", A, b, True, solution=x)


def painleve(rng: Rng, n: int) -> Problem:
    """Return sliding rods after Painlevé, one contact each, some with A_ii < 0.

    These are steep rods with large friction: g̈ = A λ + b,
    A = (1 + 3 cos θ (cos θ - μ sin θ)) / m, b = ω² sin θ - g for a half length of 1 m.
    With A < 0 a contact that opens has a second solution, and a pressed contact has none.
    """
    theta, mu = rng.uniform(0.1, 1.5, n), rng.uniform(0.0, 4.0, n)
    diagonal = 1.0 + 3.0 * np.cos(theta) * (np.cos(theta) - mu * np.sin(theta))
    diagonal += 0.01 * np.sign(diagonal)
    b = rng.uniform(0.0, 6.0, n) ** 2 * np.sin(theta) - 9.81
    A = np.diag(diagonal)
    without = (diagonal < 0.0) & (b < 0.0)
    if n > 12 or rng.random() < 0.5:
        b[without] *= -1.0
        without[:] = False
    if without.any():
        z = np.zeros(n)
        z[np.argmax(without)] = 1.0
        return Problem("Painlevé", A, b, False, certificate=z)
    return Problem("Painlevé", A, b, True, solution=np.where(b < 0.0, -b / diagonal, 0.0))


def ties(rng: Rng, n: int) -> Problem:
    """Return small integers with many ties in ratio tests.

    They are arbitrary up to the sizes of enumeration, and semidefinite above.
    """
    x = rng.integers(0, 2, n).astype(float)
    y = rng.integers(0, 2, n) * (1.0 - x)
    if n <= 12 and rng.random() < 0.5:
        return planted("degenerate ties", rng.integers(-1, 2, (n, n)).astype(float), x, y)
    root = rng.integers(-1, 2, (n, rng.integers(1, n + 1))).astype(float)
    return planted("degenerate ties", root @ root.T, x, y)


def scaled(rng: Rng, n: int) -> Problem:
    """Return a problem with units up to 1e8 apart in rows and columns.

    The units are powers of two, which preserve the known properties.
    """
    maker = (p_matrix, semidefinite_solvable, semidefinite_unsolvable, copositive, compression)[
        rng.integers(5)
    ]
    problem = maker(rng, n)
    row, column = 2.0 ** rng.integers(-27, 28, (2, problem.n))
    if rng.random() < 0.5:  # the same for pairs, as in a change of units
        column = 1.0 / row
    A, b = row[:, None] * problem.A * column, row * problem.b
    solution, proof = problem.solution, problem.certificate
    return Problem(
        "units 1e±8 apart",
        A,
        b,
        problem.solvable,
        None if solution is None else solution / column,
        None if proof is None else proof / row,
    )


def unsolvable(rng: Rng, n: int) -> Problem:
    """Return a problem of no particular class, but with Aᵀz < 0 and bᵀz < 0 for some z >= 0."""
    z = np.maximum(rng.standard_normal(n), 0.0)
    z[rng.integers(n)] = 1.0
    A, b = rng.standard_normal((n, n)), rng.standard_normal(n)
    A -= np.outer(z, np.maximum(z @ A, 0.0) + 0.1) / (z @ z)
    b -= z * (max(z @ b, 0.0) + 0.1) / (z @ z)
    return Problem("unsolvable", A, b, False, certificate=z)


def arbitrary(rng: Rng, n: int) -> Problem:
    A = rng.integers(-2, 3, (n, n)).astype(float)
    return Problem("arbitrary", A, rng.integers(-2, 3, n).astype(float), None)


def linear_program(c: Array, G: Array, h: Array, x: Array, v: Array) -> tuple[Array, Array, Array]:
    """Return min cᵀx, G x <= h, x >= 0 with multipliers v as a complementarity problem."""
    m, n = G.shape
    A = np.block([[np.zeros((n, n)), G.T], [-G, np.zeros((m, m))]])
    return A, np.concatenate([c, h]), np.concatenate([x, v])


def cycling_examples() -> list[tuple[Array, Array, Array]]:
    """Return problems on which pivoting without a rule for ties cycles or fails in another way."""
    beale = linear_program(  # Beale, Cycling in the dual simplex algorithm (1955)
        np.array([-0.75, 150.0, -0.02, 6.0]),
        np.array([[0.25, -60.0, -0.04, 9.0], [0.5, -90.0, -0.02, 3.0], [0.0, 0.0, 1.0, 0.0]]),
        np.array([0.0, 0.0, 1.0]),
        np.array([0.04, 0.0, 1.0, 0.0]),
        np.array([0.0, 1.5, 0.05]),
    )
    suurballe = linear_program(  # Marshall, Suurballe, A note on cycling (1969)
        np.array([-0.4, -0.4, 1.8]),
        np.array([[0.6, -6.4, 4.8], [0.2, -1.8, 0.6], [0.4, -1.6, 0.2], [0.0, 1.0, 0.0]]),
        np.array([0.0, 0.0, 0.0, 1.0]),
        np.array([4.0, 1.0, 0.0]),
        np.array([0.0, 0.0, 1.0, 2.0]),
    )
    raw = [  # Kostreva (1979); skew and zero diagonals; the path from (1, 1) ends on a ray
        ([[1, 2, 0], [0, 1, 2], [2, 0, 1]], [-1, -1, -1], [1 / 3, 1 / 3, 1 / 3]),
        ([[10, 0, -2], [2, 0.1, -0.4], [0, 0.2, 0.1]], [10, 1, -1], [0, 10 / 3, 10 / 3]),
        ([[0, 1], [-1, 0]], [-1, 1], [1, 1]),
        ([[0, 1], [2, 0]], [-1, -1], [0.5, 1]),
        ([[1, -1, -2], [2, 2, -2], [1, 0, -1]], [-2, 0, -2], [2, 0, 0]),
        ([[1, 1], [1, 1]], [-1, -1], [1, 0]),
    ]
    murty = [
        (np.tril(2.0 * np.ones((n, n)), -1) + np.eye(n), -np.ones(n), np.eye(n)[0])
        for n in range(2, 11)
    ]
    return [beale, suurballe, *(tuple(np.array(v, float) for v in row) for row in raw), *murty]  # type: ignore[list-item]


def cycling(rng: Rng, count: int) -> Iterator[Problem]:
    """Return each example with several orders of its pairs, which changes the path and the ties."""
    examples = cycling_examples()
    for k in range(count):
        A, b, x = examples[k % len(examples)]
        order = rng.permutation(len(b)) if k >= len(examples) else np.arange(len(b))
        yield Problem("cycling examples", A[np.ix_(order, order)], b[order], True, x[order])


# generator, number of problems, largest n of most of them
FAMILIES: list[tuple[Callable[[Rng, int], Problem], int, int]] = [
    (p_matrix, 250, 40),
    (semidefinite_solvable, 250, 40),
    (semidefinite_unsolvable, 200, 40),
    (copositive, 200, 40),
    (compression, 300, 60),
    (acceleration, 300, 60),
    (painleve, 100, 30),
    (ties, 200, 40),
    (scaled, 250, 40),
    (unsolvable, 150, 40),
    (arbitrary, 100, 12),
]
LARGE = (75, 100, 150, 200)  # also for each family whose usual sizes end above 12


def collection() -> list[Problem]:
    """Return all problems, the same in every run."""
    problems = []
    for k, (make, count, largest) in enumerate(FAMILIES):
        rng = np.random.default_rng([6, 8, k])
        sizes = rng.integers(1, largest + 1, count)
        sizes[: count // 3] = rng.integers(1, 13, count // 3)  # small enough for enumeration
        problems += [make(rng, int(n)) for n in sizes]
        if largest > 12:
            problems += [make(rng, n) for n in LARGE]
    return problems + list(cycling(np.random.default_rng(1955), 85))


def claim_of(result: lcp.LcpResult) -> Answer:
    claims = {"solved": True, "no_solution": False}
    return Answer(claims.get(str(result.status)), result.x)


def by_friction(A: Array, b: Array, method: str) -> Answer:
    """Solve the LCP as a contact problem without friction; its residual is relative to b."""
    problem = friction.FrictionProblem.local(A, b, mu=0.0, dimension=1)
    result = friction.solve(problem, method, storage="dense", tol=1e-10)  # type: ignore[arg-type]
    return Answer(True if result.success else None, np.maximum(result.x, 0.0))


METHODS = [
    Method("mcp", lambda A, b: claim_of(mcp.solve(A, b))),
    Method("newton", lambda A, b: by_friction(A, b, "newton"), one_unit=True),
    Method("projection", lambda A, b: by_friction(A, b, "augmented_lagrangian"), 12, one_unit=True),
    Method("Gauss-Seidel", lambda A, b: by_friction(A, b, "gauss_seidel"), 40, one_unit=True),
    Method("lemke", lambda A, b: claim_of(lcp.solve(A, b, method="lemke"))),
    Method("enumeration", lambda A, b: claim_of(lcp.solve(A, b, method="enumeration")), 12),
    Method("auto", lambda A, b: claim_of(lcp.solve(A, b))),
]
OUTCOMES = ("solved", "proven", "open", "wrong")


def tally(problems: list[Problem], method: Method) -> dict[str, dict[str, int]]:
    """Count the outcomes per family; `asked` are the problems of a supported size."""
    table: dict[str, dict[str, int]] = {}
    for problem in problems:
        row = table.setdefault(problem.family, dict.fromkeys(("asked", *OUTCOMES), 0))
        if problem.n > method.largest:
            continue
        if method.one_unit and problem.family == "units 1e±8 apart":
            continue
        row["asked"] += 1
        row[judge(problem, method.solve(problem.A, problem.b))] += 1
    return table


def markdown(problems: list[Problem], methods: list[Method]) -> str:
    lines = [
        "| family | problems | solvable | " + " | ".join(method.name for method in methods) + " |",
        "| --- | --- | --- | " + " | ".join("---" for _ in methods) + " |",
    ]
    tables = [tally(problems, method) for method in methods]
    for family in tables[0]:
        members = [problem for problem in problems if problem.family == family]
        solvable = sum(problem.solvable is True for problem in members)
        cells = []
        for table in tables:
            row = table[family]
            parts = [f"{row[name]} {name}" for name in OUTCOMES if row[name]]
            cells.append(", ".join(parts) + f" of {row['asked']}")
        lines.append(f"| {family} | {len(members)} | {solvable} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown(collection(), METHODS))
