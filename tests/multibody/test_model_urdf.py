"""Robots read from URDF."""

from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import joints

pytest.importorskip("yourdfpy")
LIMITS = pytest.mark.filterwarnings("ignore:limits of joints:nsmb.ModelWarning")

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0.2" rpy="0 0 1.5707963267948966"/>
      <mass value="1.5"/>
      <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="lower">
    <inertial>
      <mass value="0.5"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.5" rpy="0 1.5707963267948966 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 0.4"/>
    <axis xyz="0 0 1"/>
    <limit lower="0" upper="1" effort="10" velocity="1"/>
  </joint>
  <joint name="grip" type="fixed">
    <parent link="lower"/><child link="tool"/>
    <origin xyz="0.02 0 0.1"/>
  </joint>
</robot>
"""
INERTIA = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "arm.urdf"
    file.write_text(ARM, "utf-8")
    return file


@LIMITS
def test_links_joints_and_inertias(path: Path) -> None:
    m = nsmb.Model.from_urdf(path)
    assert m.name == "arm"
    arm = m.build({"shoulder": 0.3, "slide": 0.25})
    assert arm.coordinates == ("shoulder", "slide")
    # The shoulder turns about y; at zero the upper arm lies along x.
    along = np.array([np.cos(0.3), 0, -np.sin(0.3)])
    across = np.array([-np.sin(0.3), 0, -np.cos(0.3)])
    q = arm.initial_state.q
    lower = np.array([0, 0, 0.5]) + 0.65 * along
    assert arm.position("lower", 0.0, q) == pytest.approx(lower)
    assert arm.position("tool", 0.0, q) == pytest.approx(lower + 0.1 * along + 0.02 * across)
    # About the shoulder's y axis the turned inertia of the upper arm is ixx.
    J = 0.02 + 1.5 * (0.1**2 + 0.2**2) + 0.01 + 0.5 * 0.65**2
    assert arm.mass_matrix(0.0, q) == pytest.approx(np.diag([J, 0.5]))
    center = 0.2 * along + 0.1 * across
    height = 1.5 * (0.5 + center[2]) + 0.5 * lower[2]
    assert arm.potential_energy(0.0, q) == pytest.approx(9.81 * height)


@LIMITS
def test_base_may_float(path: Path) -> None:
    path.write_text(ARM.replace('<link name="base"/>', '<link name="base">' + INERTIA + "</link>"))
    arm = nsmb.Model.from_urdf(path, base=joints.Free(), gravity=(0, 0, 0)).build()
    assert (arm.nq, arm.nu) == (9, 8)


def test_joints_that_are_not_known_are_named(path: Path) -> None:
    path.write_text(ARM.replace('"prismatic"', '"magnetic"'), "utf-8")
    with pytest.raises(ValueError, match=r"joint 'slide': expected revolute, .*got 'magnetic'"):
        nsmb.Model.from_urdf(path)
    mimic = '<mimic joint="shoulder" multiplier="2"/></joint>\n  <joint name="grip"'
    path.write_text(ARM.replace('</joint>\n  <joint name="grip"', mimic), "utf-8")
    with pytest.raises(ValueError, match="joint 'slide': expected one without mimic"):
        nsmb.Model.from_urdf(path)


def with_dynamics(path: Path, kind: str, dynamics: str) -> None:
    text = ARM.replace(
        "</robot>",
        f"""<link name="wheel">{INERTIA}</link>
      <joint name="axle" type="{kind}"><parent link="base"/><child link="wheel"/>
      <axis xyz="0 0 1"/><dynamics {dynamics}/></joint></robot>""",
    )
    path.write_text(text, "utf-8")


@LIMITS
def test_damping_and_friction_of_joints(path: Path) -> None:
    """J φ̈ = -d φ̇ - τ until it stops: φ̇ = (ω + τ/d) exp(-d t/J) - τ/d, with J = 1."""
    with_dynamics(path, "continuous", 'damping="0.5" friction="0.2"')
    arm = nsmb.Model.from_urdf(path, gravity=(0, 0, 0)).build(velocities={"axle": 1.0})
    assert arm.contact_names == ("friction of axle",)
    k = arm.coordinates.index("axle")
    sol = nsmb.simulate(arm, 4.0, rtol=1e-10)
    stop = np.log(1.0 + 0.5 / 0.2) / 0.5
    assert sol.events.kinds == ["stick"]
    assert sol.events.t == pytest.approx([stop], abs=1e-8)
    assert sol.u[-1, k] == pytest.approx(0.0, abs=1e-9)
    # From the initial state to rest: d φ = ω - τ t.
    assert sol.q[-1, k] == pytest.approx((1.0 - 0.2 * stop) / 0.5, abs=1e-8)


@LIMITS
def test_losses_that_are_none(path: Path) -> None:
    for dynamics, got in (('damping="-1"', "'-1'"), ('friction="much"', "'much'")):
        with_dynamics(path, "continuous", dynamics)
        with pytest.raises(ValueError, match=f"joint 'axle': .*expected a number >= 0, got {got}"):
            nsmb.Model.from_urdf(path)
    with_dynamics(path, "floating", 'damping="1"')
    with pytest.raises(
        ValueError, match=r"joint 'axle': damping: .*one coordinate, got 'floating'"
    ):
        nsmb.Model.from_urdf(path)
    with_dynamics(path, "floating", 'damping="0" friction="0"')
    assert "axle.qw" in nsmb.Model.from_urdf(path).build().coordinates


def test_what_is_not_taken_over_is_named(path: Path) -> None:
    with pytest.warns(nsmb.ModelWarning, match="limits of joints .* shoulder, slide; add") as noted:
        nsmb.Model.from_urdf(path)
    assert len(noted) == 1
    assert noted[0].filename == __file__
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    path.write_text(ARM.replace('<link name="tool"/>', f'<link name="tool">{ball}</link>'), "utf-8")
    with (
        pytest.warns(nsmb.ModelWarning, match="collision shapes of links are not .*: tool;"),
        pytest.warns(nsmb.ModelWarning, match="limits"),
    ):
        nsmb.Model.from_urdf(path)
