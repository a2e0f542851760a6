"""Everything that changes a number, in one line of text."""

from __future__ import annotations

from collections.abc import Mapping

from fencepost import _core

VERSION: str = _core.version


class Signature(str):
    """Everything that changes a number, in one line: ``windowdiff|k:5|pad:none|fencepost:0.1.0``.

    >>> s = Signature.build("windowdiff", {"k": "5", "pad": "none"})
    >>> s.metric, s.fields["k"]
    ('windowdiff', '5')
    """

    __slots__ = ()

    @classmethod
    def build(cls, metric: str, fields: Mapping[str, str]) -> Signature:
        """Join a metric's name and its settings; the version comes last."""
        safe = {key: value.replace("%", "%25").replace("|", "%7C") for key, value in fields.items()}
        parts = [metric, *(f"{key}:{value}" for key, value in safe.items())]
        return cls("|".join([*parts, f"fencepost:{VERSION}"]))

    @property
    def metric(self) -> str:
        """The name in front."""
        return self.split("|", 1)[0]

    @property
    def fields(self) -> dict[str, str]:
        """The settings as they are written, the version included."""
        pairs = (part.partition(":") for part in self.split("|")[1:])
        return {key: v.replace("%7C", "|").replace("%25", "%") for key, _, v in pairs}
