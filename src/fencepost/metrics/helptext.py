"""What help() and editors show of a metric: how it is called, and its settings with their types."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

from fencepost.metrics.score import Score
from fencepost.metrics.settings import Param, Settings


class Sides(NamedTuple):
    """What a metric is called on: the names of both sides, their type, and what they are."""

    names: tuple[str, str]
    kind: str
    help: str


SEGMENTATIONS = Sides(("ref", "hyp"), "Segmentable", "segment sizes in order, or a Segmentation")
WORDS = Sides(
    ("references", "hypotheses"),
    "Sequence",
    "for each segment a list of references, and a hypothesis; each is a list of words",
)
TEXTS = WORDS._replace(
    help="for each segment a list of references, and a hypothesis; each is a text"
)


def public_signature(
    types: Mapping[str, Any], defaults: Settings, given: Sides
) -> inspect.Signature:
    """Return ``(ref, hyp, *, settings) -> Score``; ``types`` has the presets' ``like`` too."""
    sides = [
        inspect.Parameter(side, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=given.kind)
        for side in given.names
    ]
    settings = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=kind
        )
        for name, kind in types.items()
    ]
    return inspect.Signature([*sides, *settings], return_annotation=Score)


def public_doc(
    name: str,
    doc: str,
    types: Mapping[str, Any],
    params: Mapping[str, Param],
    defaults: Settings,
    presets: Mapping[str, Settings],
    given: Sides,
) -> str:
    """Return the docstring, followed by the call and one paragraph per setting."""
    settings = ", ".join(f"{key}={defaults.get(key)!r}" for key in types)
    sides = ", ".join(given.names)
    lines = [doc, "", f"{name}({sides}{settings and ', *, '}{settings}) -> Score", ""]
    lines += [f"{sides}: {given.kind}", f"    {given.help}"]
    for key, param in params.items():
        accepts = "" if types[key] is bool else f" ({param.accepts()})"
        lines.append(f"{key}: {_type_name(types[key])} = {defaults[key]!r}")
        lines.append(f"    {param.help}{accepts}")
    if presets:
        lines += ["like: str | None = None", f"    settings as in {' or '.join(presets)}"]
    return "\n".join(lines)


def _type_name(kind: Any) -> str:
    if get_origin(kind) in (Union, UnionType):
        return " | ".join(map(_type_name, get_args(kind)))
    return "None" if kind is type(None) else str(getattr(kind, "__name__", kind))
