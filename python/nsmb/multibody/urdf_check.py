"""Checks of a URDF file before it is read, with the location of every error."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from nsmb.common.extras import import_extra
from nsmb.common.plain_files import read_file

__all__ = ["check_urdf"]

# Undeclared prefixes of other tools are common and harmless.
_HARMLESS = "NS_ERR_UNDEFINED_NAMESPACE"
_NUMBERS = {
    ("origin", "xyz"): 3,
    ("origin", "rpy"): 3,
    ("axis", "xyz"): 3,
    ("mass", "value"): 1,
    **{("inertia", name): 1 for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")},
    **{("limit", name): 1 for name in ("lower", "upper", "effort", "velocity")},
}
"""Number of values of an attribute, if present."""
_NEEDED = {
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "parent": ("link",),
    "child": ("link",),
}
"""Attributes without default."""


def check_urdf(path: str | os.PathLike[str]) -> bytes:
    """Return the content of the file, or raise ValueError with line, element and attribute.

    Missing files and files that cannot be opened raise the corresponding OSError.
    """
    etree = import_extra("lxml.etree", "io")
    content = read_file(path)
    name = os.fspath(path)
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(content, parser)
    except etree.LxmlError as error:
        raise ValueError(f"path: {name!r} is no XML file ({error})") from None
    for fault in parser.error_log:
        if fault.type_name != _HARMLESS:
            raise ValueError(f"path: {name!r}, line {fault.line}: no XML ({fault.message})")
    if root is None:
        raise ValueError(f"path: {name!r} is no XML file (it is empty)")
    if root.getroottree().docinfo.doctype:
        raise ValueError(f"path: {name!r}: expected no DOCTYPE: a robot needs no entities")
    if root.tag != "robot":
        raise ValueError(f"path: {name!r}: expected the element <robot>, got <{root.tag}>")
    _Checker(name, root).check()
    return content


class _Checker:
    def __init__(self, path: str, root: Any) -> None:
        self._path = path
        self._root = root
        self._links: list[str] = []

    def check(self) -> None:
        self._attribute(self._root, "name")
        self._links = [self._attribute(link, "name") for link in self._root.findall("link")]
        joints = self._root.findall("joint")
        for kind, names in (
            ("link", self._links),
            ("joint", [self._attribute(joint, "name") for joint in joints]),
        ):
            for place, own in enumerate(names):
                if own in names[:place]:
                    element = self._root.findall(kind)[place]
                    raise self._fault(element, f"must have a unique name, got {own!r} again")
        for link in self._root.findall("link"):
            for inertial in link.findall("inertial"):
                self._children(inertial, "mass", "inertia")
        for joint in joints:
            self._joint(joint)

    def _joint(self, joint: Any) -> None:
        self._attribute(joint, "type")
        for end in ("parent", "child"):
            if joint.find(end) is None:
                raise self._fault(joint, f"expected a child <{end}>, got none")
        self._children(joint, "parent", "child")
        for end in ("parent", "child"):
            link = joint.find(end).get("link")
            if link not in self._links:
                raise self._fault(joint.find(end), f"link: expected one of the links, got {link!r}")
        axis = joint.find("axis")
        if axis is not None and not np.any(np.array(axis.get("xyz", "1").split(), dtype=float)):
            raise self._fault(axis, f"xyz: expected a direction, got {axis.get('xyz')!r}")

    def _children(self, element: Any, *needed: str) -> None:
        for tag in needed:
            for child in element.findall(tag):
                for attribute in _NEEDED[tag]:
                    self._attribute(child, attribute)
        for child in element:
            for (tag, attribute), count in _NUMBERS.items():
                if child.tag == tag and attribute in child.attrib:
                    self._numbers(child, attribute, count)

    def _numbers(self, element: Any, attribute: str, count: int) -> None:
        text = element.get(attribute)
        wanted = f"{attribute}: expected {'a number' if count == 1 else f'{count} numbers'}"
        try:
            numbers = [float(part) for part in text.split()]
        except ValueError:
            numbers = []
        if len(numbers) != count or not np.isfinite(numbers).all():
            raise self._fault(element, f"{wanted}, got {text!r}")

    def _attribute(self, element: Any, name: str) -> str:
        value = element.get(name)
        if value is None:
            raise self._fault(element, f"expected the attribute {name!r}, got none")
        return str(value)

    def _fault(self, element: Any, what: str) -> ValueError:
        own = element if element.get("name") or element is self._root else element.getparent()
        place = f"<{element.tag}>" if own is element else f"<{element.tag}> of <{own.tag}>"
        name = f" {own.get('name')!r}" if own.get("name") else ""
        return ValueError(f"path: {self._path!r}, line {element.sourceline}: {place}{name}: {what}")
