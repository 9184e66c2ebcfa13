"""Assertions for test suites of projects that use nsmb.

:func:`assert_valid` checks a run against its own laws, :func:`assert_same_motion` compares two
runs, and :func:`assert_events` compares the events of a run with a list. A failure is an
AssertionError that states the violation, its location and its size, and ends with a script that
repeats the run. :class:`Claims` is a table of claims of a source, each of which is checked.
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
