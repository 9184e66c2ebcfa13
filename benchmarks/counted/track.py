"""The counts as benchmarks of asv, for comparing commits built in the same environment."""

from __future__ import annotations

from .cases import entries
from .measure import measure


class Counts:
    params = entries()
    param_names = ("count",)
    timeout = 60.0
    unit = "per unit of work, or bytes"

    def setup_cache(self) -> dict[str, float]:
        """All at once: the processes start once for all cases."""
        return {name: entry["value"] for name, entry in measure().items()}

    setup_cache.timeout = 3600.0  # type: ignore[attr-defined]

    def track_count(self, counts: dict[str, float], entry: str) -> float:
        return counts[entry]
