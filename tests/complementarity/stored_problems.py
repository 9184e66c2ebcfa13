"""Random contact problems in the layouts of stored files."""

import numpy as np
import scipy.sparse

from nsmb.complementarity.fclib import StoredData


def global_problem(
    rng: np.random.Generator, dimension: int, contacts: int, free: int = 0
) -> StoredData:
    """Return bodies with a sparse mass matrix; each contact acts on two of them."""
    n, m = 6 * (contacts + 2), dimension * contacts + free
    coupling = scipy.sparse.random_array((n, n), density=1.5 / n, rng=rng, format="csc")
    M = (coupling @ coupling.T + scipy.sparse.diags_array(rng.uniform(1.0, 2.0, n))).tocsc()
    H = scipy.sparse.lil_array((n, m))
    for column in range(m):
        rows = rng.choice(n, size=min(n, 7), replace=False)
        H[rows, column] = rng.standard_normal(rows.size)
    return StoredData(
        dimension,
        mu=rng.uniform(0.0, 1.0, contacts),
        mu_R=rng.uniform(0.0, 0.1, contacts) if dimension == 5 else None,
        M=M,
        H=H.tocsc(),
        f=rng.standard_normal(n),
        w=rng.standard_normal(m),
        free=free,
    )


def local_problem(
    rng: np.random.Generator, dimension: int, contacts: int, free: int = 0
) -> StoredData:
    """Return the same without velocities: W, singular or not."""
    whole = global_problem(rng, dimension, contacts, free)
    assert whole.M is not None
    assert whole.H is not None
    W = (whole.H.T @ scipy.sparse.diags_array(1.0 / whole.M.diagonal()) @ whole.H).tocsc()
    W = (W + W.T) / 2  # symmetric to the last bit
    return StoredData(dimension, mu=whole.mu, mu_R=whole.mu_R, W=W, w=whole.w, free=free)
