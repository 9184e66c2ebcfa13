"""Data of a system as a table."""

from __future__ import annotations

import nsmb


def test_a_row_has_value_unit_meaning_and_source_of_its_parameter() -> None:
    toy = nsmb.systems.woodpecker(mu=0.9)
    table = toy.parameter_table
    rows = table.rows()
    assert [row[0] for row in rows] == list(toy.parameters)
    assert len(table) == len(rows)
    book = "Pfeiffer & Glocker, section 14.1"
    assert ("mu", "0.9", "", "friction coefficient of all three contacts", book) in rows
    assert ("m_M", "0.0003", "kg", "mass of the sleeve", book) in rows


def test_choices_are_shown_as_words() -> None:
    rows = {row[0]: row for row in nsmb.systems.spring_damper_wall(law=1).parameter_table.rows()}
    assert rows["law"][1] == "gap_damper"
    assert rows["law"][3].endswith("one of elastic_gap, gap_damper, clipped, relaxing_wall")


def test_text_and_html_hold_every_cell() -> None:
    table = nsmb.systems.bouncing_ball(e_N=0.5).parameter_table
    assert repr(table).startswith("ParameterTable of bouncing_ball: 4 parameters\nparameter  value")
    for row in table.rows():
        for cell in row:
            assert cell in table.to_text()
            assert f">{cell}</td>" in table._repr_html_()


def test_frame_has_numbers_by_name() -> None:
    ball = nsmb.systems.bouncing_ball(H=0.25)
    frame = ball.parameter_table.to_dataframe()
    assert frame["value"].to_dict() == dict(ball.parameters)
    assert list(frame.columns) == ["value", "unit", "meaning", "source"]
    assert frame.loc["H", "unit"] == "m"
    assert nsmb.LinearSystem([[1.0]]).parameter_table.to_dataframe().empty


def test_a_system_without_parameters_has_an_empty_table() -> None:
    assert repr(nsmb.LinearSystem([[1.0]], name="x").parameter_table) == (
        "ParameterTable of x: 0 parameters"
    )
