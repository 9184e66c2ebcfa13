"""Assertions for the test suites of those who simulate with nsmb.

:func:`assert_valid` holds a run against the laws it was computed with, :func:`assert_same_motion`
two runs against each other, :func:`assert_events` the log against what must have happened. A
failure is an AssertionError that says what is broken, where and by how much, and ends with a script
that repeats the run. :class:`Claims` is a table of what a source claims, each row checked.
:mod:`nsmb.testing.strategies` has random systems for Hypothesis.
"""

from __future__ import annotations

from nsmb.testing.claims import Claim as Claim
from nsmb.testing.claims import Claims as Claims
from nsmb.testing.comparison import assert_events as assert_events
from nsmb.testing.comparison import assert_same_motion as assert_same_motion
from nsmb.testing.script import script as script
from nsmb.testing.validity import assert_valid as assert_valid

__all__ = ["Claim", "Claims", "assert_events", "assert_same_motion", "assert_valid", "script"]
