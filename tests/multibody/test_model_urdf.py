"""Robots read from URDF."""

import re
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import joints
from tests.geometry.mesh_zoo import box_mesh

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
    # The shoulder rotates about y; at zero the upper arm is along x.
    along = np.array([np.cos(0.3), 0, -np.sin(0.3)])
    across = np.array([-np.sin(0.3), 0, -np.cos(0.3)])
    q = arm.initial_state.q
    lower = np.array([0, 0, 0.5]) + 0.65 * along
    assert arm.position("lower", 0.0, q) == pytest.approx(lower)
    assert arm.position("tool", 0.0, q) == pytest.approx(lower + 0.1 * along + 0.02 * across)
    # About the y axis of the shoulder, the rotated inertia of the upper arm is ixx.
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
    with pytest.raises(ValueError, match="joint 'slide': must not mimic another joint"):
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
    with pytest.warns(nsmb.ModelWarning, match="limits of joints .* shoulder, slide. Add") as noted:
        nsmb.Model.from_urdf(path)
    assert len(noted) == 1
    assert noted[0].filename == __file__
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    path.write_text(ARM.replace('<link name="tool"/>', f'<link name="tool">{ball}</link>'), "utf-8")
    with (
        pytest.warns(nsmb.ModelWarning, match="collision shapes of links are omitted: tool"),
        pytest.warns(nsmb.ModelWarning, match="limits"),
    ):
        nsmb.Model.from_urdf(path)


FAULTS = {
    "no XML": (
        ("</robot>", ""),
        r"path: '.*arm\.urdf', line \d+: no XML \(.*robot",
    ),
    "another file": (
        (ARM, "<html><body/></html>"),
        r"path: '.*arm\.urdf': expected the element <robot>, got <html>",
    ),
    "robot without name": (
        ('<robot name="arm">', "<robot>"),
        r"<robot>: expected the attribute 'n",
    ),
    "link without name": (
        ('<link name="tool"/>', "<link/>"),
        r"line 17: <link>.*: expected the attribute 'name', got none",
    ),
    "name given twice": (
        ('<link name="tool"/>', '<link name="base"/>'),
        r"<link> 'base': must have a unique name, got 'base' again",
    ),
    "joint without type": ((' type="fixed"', ""), r"<joint> 'grip': expected the attribute 'type'"),
    "joint without child": (
        ('<parent link="lower"/><child link="tool"/>', '<parent link="lower"/>'),
        r"line 30: <joint> 'grip': expected a child <child>, got none",
    ),
    "parent without link": (
        ('<parent link="lower"/>', "<parent/>"),
        r"<parent> of <joint> 'grip': expected the attribute 'link', got none",
    ),
    "joint at a link that is none": (
        ('<child link="tool"/>', '<child link="zz"/>'),
        r"<child> of <joint> 'grip': link: expected one of the links, got 'zz'",
    ),
    "origin with two numbers": (
        ('xyz="0.02 0 0.1"', 'xyz="0.02 0"'),
        r"<origin> of <joint> 'grip': xyz: expected 3 numbers, got '0\.02 0'",
    ),
    "axis without direction": (
        ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>'),
        r"<axis> of <joint> 'shoulder': xyz: expected a direction, got '0 0 0'",
    ),
    "mass that is none": (
        ('<mass value="1.5"/>', '<mass value="heavy"/>'),
        r"<mass> of <inertial>.*: value: expected a number, got 'heavy'",
    ),
    "inertia without an entry": (
        (' iyy="0.03"', ""),
        r"<inertia> of <inertial>.*: expected the attribute 'iyy', got none",
    ),
    "entities": (
        ('<?xml version="1.0"?>', '<!DOCTYPE r [<!ENTITY a "b">]>'),
        r"expected no DOCTYPE",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_place(name: str, path: Path) -> None:
    (old, new), message = FAULTS[name]
    assert old in ARM
    path.write_text(ARM.replace(old, new), "utf-8")
    with pytest.raises(ValueError, match=message):
        nsmb.Model.from_urdf(path)


@LIMITS
def test_elements_of_other_tools_do_no_harm(path: Path) -> None:
    path.write_text(ARM.replace("</robot>", "<gazebo:plugin a='1'/></robot>"), "utf-8")
    assert nsmb.Model.from_urdf(path).build().nq == 2


def test_missing_file_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        nsmb.Model.from_urdf(tmp_path / "none.urdf")


def damaged(rng: np.random.Generator) -> str:
    """Return the arm without a part, with other characters, truncated or doubled."""
    kind = rng.integers(5)
    if kind < 2:
        parts = list(re.finditer(r' \w+="[^"]*"' if kind == 0 else r"<\w+ [^<]*/>", ARM))
        part = parts[rng.integers(len(parts))]
        return ARM[: part.start()] + ARM[part.end() :]
    first, last = sorted(rng.integers(len(ARM), size=2))
    if kind == 2:
        return ARM[:first] + chr(rng.integers(32, 127)) + ARM[first + 1 :]
    if kind == 3:
        return ARM[:first]
    return ARM[:last] + ARM[first:]


@pytest.mark.filterwarnings("ignore::nsmb.ModelWarning")
def test_damaged_files_are_refused_or_read(path: Path) -> None:
    rng = np.random.default_rng(3)
    refused = 0
    for _ in range(300):
        path.write_text(damaged(rng), "utf-8")
        try:
            nsmb.Model.from_urdf(path).build()
        except ValueError:
            refused += 1
    assert 100 < refused < 300


def test_limits_of_joints_are_stops_with_the_law_that_is_given(path: Path) -> None:
    law = nsmb.ContactLaw(e_N=0.25)
    arm = nsmb.Model.from_urdf(path, gravity=(0, 0, 0), stops=law).build(
        {"slide": 0.5}, {"slide": 1.0}
    )
    assert arm.contact_names == (
        "limit of shoulder.lower",
        "limit of shoulder.upper",
        "limit of slide.lower",
        "limit of slide.upper",
    )
    sol = nsmb.simulate(arm, 4.0)
    assert sol.events.t == pytest.approx([0.5, 4.5][:1], abs=1e-9)
    assert sol.events[0].contacts == ("limit of slide.upper",)
    assert sol.u[-1] == pytest.approx([0.0, -0.25], abs=1e-9)
    assert nsmb.simulate(arm, 5.0).events.t == pytest.approx([0.5, 4.5], abs=1e-9)


def test_limits_that_leave_no_room_are_named(path: Path) -> None:
    path.write_text(ARM.replace('lower="0" upper="1"', 'lower="1" upper="1"'), "utf-8")
    with pytest.raises(ValueError, match=r"joint 'slide': limit: .*got 1.0 and 1.0; stops=None"):
        nsmb.Model.from_urdf(path, stops=nsmb.ContactLaw())


def test_collision_shapes_become_shapes(tmp_path: Path) -> None:
    """A tool with a ball, a rotated can and a block; a mesh is omitted and named."""
    parts = """
      <collision name="ball"><geometry><sphere radius="0.1"/></geometry></collision>
      <collision><origin xyz="0 0 0.5" rpy="1.5707963267948966 0 0"/>
        <geometry><cylinder radius="0.02" length="0.3"/></geometry></collision>
      <collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
      <collision><geometry><mesh filename="tool.stl"/></geometry></collision>"""
    file = tmp_path / "robot.urdf"
    file.write_text(
        f'<robot name="one"><link name="tool"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
        f'izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{parts}</link></robot>'
    )
    with pytest.warns(nsmb.ModelWarning, match="collision meshes of links are omitted: tool"):
        m = nsmb.Model.from_urdf(file, shapes=True)
    found = {record.name: record for record in m._records.shapes.values()}
    assert found["ball"].shape == nsmb.geometry.Sphere(0.1)
    can = found["collision 1"]
    assert can.shape == nsmb.geometry.Cylinder(0.02, 0.3)
    np.testing.assert_allclose(can.place.frame.r, (0.0, 0.0, 0.5))
    np.testing.assert_allclose(np.asarray(can.place.frame.A)[:, 2], (0.0, -1.0, 0.0), atol=1e-15)
    np.testing.assert_array_equal(found["collision 2"].shape.size, (0.1, 0.2, 0.3))


def test_collision_meshes_become_meshes(tmp_path: Path) -> None:
    """Meshes scaled, mirrored, from a folder beside the file and by the name of a package."""
    meshio = pytest.importorskip("meshio")
    vertices, faces = box_mesh((1.0, 2.0, 3.0), 1)
    (tmp_path / "parts").mkdir()
    meshio.Mesh(vertices, [("triangle", faces)]).write(tmp_path / "parts" / "block.obj")
    (tmp_path / "parts" / "bad.obj").write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")
    meshes = (
        '<mesh filename="parts/block.obj" scale="0.1 0.1 -0.2"/>',
        '<mesh filename="package://one_robot/parts/block.obj"/>',
        '<mesh filename="parts/bad.obj"/>',
    )
    parts = "".join(f"<collision><geometry>{m}</geometry></collision>" for m in meshes)
    file = tmp_path / "robot.urdf"
    file.write_text(f'<robot name="one"><link name="tool">{parts}</link></robot>')
    with pytest.warns(nsmb.ModelWarning, match="'collision 2' of 'tool': .*triangle 0 with its"):
        m = nsmb.Model.from_urdf(file, shapes=True)
    found = {record.name: record.shape for record in m._records.shapes.values()}
    assert list(found) == ["collision 0", "collision 1"]
    assert found["collision 0"].volume == pytest.approx(6.0 * 0.002, rel=1e-12)
    assert found["collision 1"].volume == pytest.approx(6.0, rel=1e-12)
