"""A check of the balance of `Solution.energy`."""

from __future__ import annotations

import numpy as np

from nsmb.solution.checks.book import Book
from nsmb.solution.energy import EnergyBalance

__all__ = ["check_energy"]


def check_energy(book: Book, balance: EnergyBalance, part: float) -> None:
    """Check that the residual is small relative to the energy turned over; skip it if NaN."""
    if not np.isfinite(balance.residual).all():
        return
    # Contacts at rest may lose the work of the velocity of rest.
    little = book.rest * book.largest_force * float(balance.t[-1] - balance.t[0])
    allowed = part * balance.turnover + little
    book.rules["energy balance"] = int(balance.t.size)
    for row in np.flatnonzero(~(np.abs(balance.residual) <= allowed)):
        missing = abs(float(balance.residual[row]))
        book.add(
            "energy balance", int(row), float(balance.t[row]), "", missing, float(allowed[row])
        )
