"""Reference from docstrings.

The directive ``api`` takes a module and some of its names::

    ```{api} nsmb
    Solution
    join
    ```

and gives a table of them and an entry for each, with all members of classes. Without names it has
all of the module; ``:from: nsmb.systems.gears`` keeps those that are defined there.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from enum import Enum
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective, SphinxRole

from nsmb.system.builder import Builder
from nsmb_docs.names import (
    DOORS,
    evaluations,
    foreign_bases,
    imported,
    name_of,
    public,
    text_of_data,
)

ATTRIBUTE = re.compile(r"^(\s*)\.\. attribute:: (.+)$")
TYPE = re.compile(r"^(\s+):type: (.+)$")


def own_attributes(cls: type) -> list[str]:
    """Names in the section Attributes of the docstring of a class."""
    doc = inspect.getdoc(cls) if cls.__doc__ else ""
    section = re.search(r"^Attributes\n-+\n(.*?)(?=^\w[^\n]*\n-+$|\Z)", doc or "", re.M | re.S)
    names: list[str] = []
    for line in section[1].splitlines() if section else ():
        if line and not line.startswith(" "):
            names += line.partition(" : ")[0].split(", ")
    return names


def special_members(cls: type) -> list[str]:
    """What users do with an object without naming it, where a docstring of nsmb says so."""
    wanted = ("__call__", "__getitem__", "__len__", "__iter__", "__enter__")
    return [
        name
        for name in wanted
        for base in cls.__mro__[:-1]
        if name in vars(base) and base.__module__.startswith("nsmb") and vars(base)[name].__doc__
    ]


def class_options(cls: type) -> list[str]:
    bases = sorted({base.__name__ for base in foreign_bases(cls)})
    attributes = own_attributes(cls)
    special = special_members(cls)
    return [
        "   :members:",
        "   :undoc-members:",
        *(["   :show-inheritance:"] if any(map(is_shown_base, cls.__bases__)) else []),
        f"   :inherited-members: {', '.join(bases)}",
        *([f"   :exclude-members: {', '.join(attributes)}"] if attributes else []),
        *([f"   :special-members: {', '.join(dict.fromkeys(special))}"] if special else []),
    ]


def entry(name: str, value: Any) -> list[str]:
    if inspect.isclass(value):
        return [f".. autoclass:: {name}", *class_options(value), ""]
    if isinstance(value, Builder):
        lines = [f".. autofunction:: {name}", ""]
        for inner, found in evaluations(name, value).items():
            # The title of an evaluation has the name of its builder.
            home, _, shown = name.rpartition(".")
            title = inner.replace(f"{name}.", f"{home}::{shown}.")
            lines += entry(title, found)
        return lines
    if inspect.isroutine(value):
        return [f".. autofunction:: {name}", ""]
    return [f".. py:data:: {name}", "", *(f"   {line}" for line in text_of_data(name, value)), ""]


def module_lines(module: str) -> list[str]:
    """A module as something to link to; names behind it are written with their module anyway."""
    return [f".. py:module:: {module}", "", ".. py:currentmodule:: None", ""]


class Api(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"from": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        module = self.arguments[0]
        names = [line.strip() for line in self.content if line.strip()]
        lines = [] if names or "from" in self.options else module_lines(module)
        if not names:
            names = sorted(n.rpartition(".")[2] for n in public() if n.rpartition(".")[0] == module)
            home = self.options.get("from", "")
            names = [n for n in names if self.is_first(module, n) and self.is_from(module, n, home)]
        full = [f"{module}.{name}" for name in names]
        lines += [".. autosummary::", "   :nosignatures:", "", *(f"   ~{n}" for n in full), ""]
        for name in full:
            lines += entry(name, imported(name))
        text = ["```{eval-rst}", *lines, "```"]
        container = nodes.Element()
        self.state.nested_parse(StringList(text, self.get_source_info()[0]), 0, container)
        return container.children

    @staticmethod
    def is_first(module: str, name: str) -> bool:
        return name_of(imported(f"{module}.{name}")) in ("", f"{module}.{name}")

    @staticmethod
    def is_from(module: str, name: str, home: str) -> bool:
        found = imported(f"{module}.{name}")
        return not home or getattr(found, "__module__", "").startswith(home)


class NameRole(SphinxRole):
    """What stands between single backticks in a docstring: code, and a link if it is a name."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        code = nodes.literal(self.rawtext, self.text, classes=["code"])
        if not re.fullmatch(r"[A-Za-z_][\w.]*", self.text):
            return [code], []
        context = {key: self.env.ref_context.get(f"py:{key}") for key in ("module", "class")}
        reference = pending_xref(
            self.rawtext, code, refdomain="", reftype="nsmb", reftarget=self.text,
            refdoc=self.env.docname, refwarn=False, **{f"py:{k}": v for k, v in context.items()},
        )  # fmt: skip
        return [reference], []


def candidates(target: str, module: str | None, cls: str | None, written: bool) -> list[str]:
    """Full names that a short one may mean, the nearest first."""
    found = [target]
    if cls:
        found.append(f"{module}.{cls}.{target}")
    if written or "." in target or target[0].isupper():  # other words may name arguments
        found.append(f"{module}.{target}")
        head, _, rest = target.partition(".")
        for name in public():
            if name.rpartition(".")[2] == head:
                found.append(f"{name}.{rest}" if rest else name)
    return found


def public_name(target: str) -> str:
    """The public name of what is defined in an inner module; empty if there is none."""
    try:
        return name_of(imported(target))
    except (ImportError, AttributeError, ValueError):
        return ""


OTHERS = {*sys.stdlib_module_names, "matplotlib", "numpy", "pandas", "scipy", "sympy", "xarray"}
REFERENCES = {"nsmb", "class", "obj", "func", "meth", "attr", "exc", "data", "mod"}


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element
) -> nodes.Node | None:
    """Links to public names from wherever they are meant.

    Text remain: names of other packages, whose sites are not asked when this one is built, and
    inner names in signatures. Roles that somebody has written must lead somewhere.
    """
    if node.get("refdomain") not in ("", "py") or node.get("reftype") not in REFERENCES:
        return None
    target = node["reftarget"].lstrip(".~")
    written = "refexplicit" in node and target.partition(".")[0] not in OTHERS
    names = candidates(target, node.get("py:module"), node.get("py:class"), written)
    if target.startswith("nsmb."):
        names.append(public_name(target))
    objects = env.domains.python_domain.objects
    for name in names:
        if name in objects:
            place, here = objects[name], node.get("refdoc", env.docname)
            return make_reference(app, here, place.docname, place.node_id, content)
    return None if written else content


def one_document(app: Sphinx, doctree: nodes.document) -> None:
    """Parts parsed by themselves keep their own document, and with it all that is known of the
    site: each kept page would hold all others."""
    for node in doctree.findall():
        node.document = doctree


def name_fully(app: Sphinx, doctree: nodes.document) -> None:
    """Short names in signatures mean those of their module, else those of the first door."""
    for node in doctree.findall(pending_xref):
        target = node.get("reftarget", "")
        if node.get("refdomain") == "py" and "refspecific" in node and "." not in target:
            for door in (node.get("py:module"), *DOORS):
                if f"{door}.{target}" in public():
                    node["reftarget"] = f"{door}.{target}"
                    break


def make_reference(
    app: Sphinx, here: str, docname: str, anchor: str, content: nodes.Element
) -> nodes.reference:
    uri = app.builder.get_relative_uri(here, docname) + f"#{anchor}"
    return nodes.reference("", "", content, internal=True, refuri=uri)


def tidy_attributes(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """``q, u`` of a section Attributes become two names; types stand before what they are of."""
    start, tidied = None, []
    for line in lines:
        match, kind = ATTRIBUTE.match(line), TYPE.match(line)
        if match:
            first, *others = match[2].split(", ")
            tidied.append(f"{match[1]}.. attribute:: {first}")
            tidied += [f"{match[1]}               {other}" for other in others]
            start = len(tidied) + 1  # behind an empty line
        elif kind and start is not None:
            tidied.insert(start, "")
            tidied.insert(start, f"{kind[1]}*{kind[2]}*")
            start = None
        else:
            tidied.append(line)
    lines[:] = tidied


COLON = "\ue000"  # of a private area of Unicode


def hide_colon(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """In the first line of an attribute's text napoleon would take what precedes it for a type."""
    if what in ("attribute", "property", "data") and lines:
        lines[0] = lines[0].replace(":", COLON)


def show_colon(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [line.replace(COLON, ":") for line in lines]


def link_types(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Classes in types, which stand in asterisks, become links."""
    classes = {n.rpartition(".")[2] for n, value in public().items() if inspect.isclass(value)}

    def linked(match: re.Match[str]) -> str:
        words = re.split(r"\b([A-Z]\w+)\b", match[1])
        if not classes.intersection(words[1::2]):
            return match[0]
        return "".join(f"`{word}`" if word in classes else word for word in words)

    for index, line in enumerate(lines):
        lines[index] = re.sub(r"(?<!\*)\*([^*`]+)\*(?!\*)", linked, line)


def escape_bars(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Bars are those of absolute values in docstrings, never of substitutions."""
    in_doctest = False
    for index, line in enumerate(lines):
        in_doctest = line.lstrip().startswith(">>>") or (in_doctest and bool(line.strip()))
        if "|" in line and not in_doctest:
            spans = re.split(r"(``.*?``|`[^`]*`)", line)  # code at odd places
            spans[::2] = [span.replace("|", r"\|") for span in spans[::2]]
            lines[index] = "".join(spans)


def documented_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str, returns: str
) -> tuple[str, str | None] | None:
    """None for classes whose objects come from functions: nobody is to call them."""
    if what != "class" or dataclasses.is_dataclass(obj) or not signature:
        return None
    docs = f"{obj.__doc__}{obj.__init__.__doc__}"
    return None if re.search(r"\n +Parameters\n +---", docs) else ("", None)


def is_shown_base(base: Any) -> bool:
    if not inspect.isclass(base):  # Generic[T]
        return False
    return bool(name_of(base)) or issubclass(base, (BaseException, Enum))


def public_bases(app: Sphinx, name: str, obj: Any, options: Any, bases: list[Any]) -> None:
    bases[:] = [base for base in bases if is_shown_base(base)]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("api", Api)
    app.add_role("name", NameRole())
    app.connect("doctree-read", one_document)
    app.connect("doctree-read", name_fully)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-process-docstring", tidy_attributes, priority=600)  # after napoleon
    app.connect("autodoc-process-docstring", hide_colon, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", show_colon, priority=600)
    app.connect("autodoc-process-docstring", link_types, priority=600)
    app.connect("autodoc-process-docstring", escape_bars, priority=600)
    app.connect("autodoc-process-bases", public_bases)
    app.connect("autodoc-process-signature", documented_signature)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
