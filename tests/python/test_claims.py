"""Claims of a source and their verdicts."""

from __future__ import annotations

import re

import numpy as np
import pytest

from nsmb.testing import Claims


def test_numbers_hold_within_their_tolerance_and_show_how_far_they_are() -> None:
    claims = Claims("a book, (1.1)")
    claims.holds("period", 0.5, 0.5 + 3e-7, unit="s", atol=1e-6)
    claims.holds("speeds", [1.0, -2.0], np.array([1.01, -2.02]), rtol=0.0101, unit="m/s")
    claims.holds("losses", 0.0, [1e-16, 0.0], atol=1e-15, source="conservation")
    first, second, third = claims.rows
    assert (first.said, first.computed, first.holds) == ("0.5 s", "0.5 s", True)
    error = float(re.fullmatch(r"holds, to (\S+) s", first.verdict)[1])  # type: ignore[index]
    assert 3e-7 <= error <= 5e-7
    assert second.computed == "1.01, -2.02 m/s"
    assert (third.source, second.source) == ("conservation", "a book, (1.1)")


def test_a_claim_that_does_not_hold_is_refused_as_true() -> None:
    claims = Claims("a book")
    with pytest.raises(AssertionError, match=r"period: expected 0\.5 s, computed 0\.6 s"):
        claims.holds("period", 0.5, 0.6, unit="s", rtol=0.1)
    with pytest.raises(AssertionError, match="shapes"):
        claims.holds("shapes", [1.0, 2.0], [1.0], atol=10.0)
    with pytest.raises(AssertionError):
        claims.holds("unknown", 1.0, np.nan, atol=1.0)
    with pytest.raises(AssertionError, match="expected yes, computed no"):
        claims.holds("it turns round", True, np.bool_(False))
    assert len(claims) == 0


def test_a_claim_that_holds_is_refused_as_false() -> None:
    claims = Claims("a book")
    claims.fails("period", 0.111, 0.146, unit="s", rtol=0.02, because="friction is higher there")
    assert claims.rows[0].verdict == "does not hold, because friction is higher there"
    assert not claims.rows[0].holds
    with pytest.raises(AssertionError, match=r"period: expected to differ from 0\.1 s"):
        claims.fails("period", 0.1, 0.1001, unit="s", rtol=0.01, because="of nothing")
    assert len(claims) == 1


def test_words_lists_and_truths_are_compared_as_they_are() -> None:
    claims = Claims("a book")
    claims.holds("kinds", ["impact", "stick"], ["impact", "stick"])
    claims.holds("state", "open", "open")
    claims.holds("comes back", True, True)
    claims.holds("count", 3, 3)
    assert [row.computed for row in claims.rows] == ["impact, stick", "open", "yes", "3"]
    assert {row.verdict for row in claims.rows} == {"holds"}
    with pytest.raises(AssertionError):
        claims.holds("kinds", ["impact"], ["impact", "stick"])


def test_long_arrays_are_shown_by_their_ends_and_compared_as_wholes() -> None:
    claims = Claims("a book")
    claims.holds("times", np.arange(9.0), np.arange(9.0), unit="s")
    assert claims.rows[0].said == "0, 1, 2, 3, 4, …, 8 s"
    other = np.arange(9.0)
    other[7] = 0.0
    with pytest.raises(AssertionError):
        claims.holds("times", np.arange(9.0), other, unit="s")


@pytest.mark.parametrize("error", [1e-3, 1.04e-3, 2.5e-9, 9.6e-7, 0.99, 1.0, 37.0])
def test_deviations_are_never_shown_smaller_than_they_are(error: float) -> None:
    claims = Claims("a book")
    claims.holds("number", 0.0, error, atol=2.0 * error)
    said = float(claims.rows[0].verdict.split()[-1])
    assert error <= said <= 2.0 * error


def test_tables_say_how_many_hold() -> None:
    claims = Claims("a book")
    assert repr(claims) == "Claims of a book: 0 of 0 hold"
    claims.holds("first <1>", 1.0, 1.0)
    claims.fails("second", 2.0, 1.0, because="it is one")
    assert repr(claims).startswith("Claims of a book: 1 of 2 hold\n")
    assert "1 of 2 claims hold" in claims._repr_html_()
    assert "first &lt;1&gt;" in claims._repr_html_()
