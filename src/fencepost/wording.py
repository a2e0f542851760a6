"""Small pieces of sentences: counts with their nouns, lists of names, and what is not installed."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def plural(count: int, noun: str, several: str | None = None) -> str:
    """Return the count with its noun: "1 text", "3 texts", or a noun with a plural of its own.

    >>> plural(1, "text"), plural(3, "text"), plural(2, "boundary", "boundaries")
    ('1 text', '3 texts', '2 boundaries')
    """
    return f"{count} {noun if count == 1 else several or noun + 's'}"


def listed(names: Sequence[object], most: int = 3, last: str = ", ") -> str:
    """Return the names with commas; beyond ``most`` of them, how many more there are.

    >>> listed(["a", "b", "c", "d"]), listed(["a", "b", "c"], last=" and ")
    ('a, b, c and 1 more', 'a, b and c')
    """
    shown = [str(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return ", ".join(shown[:-1]) + (last if len(shown) > 1 else "") + "".join(shown[-1:])


def first_double(names: Iterable[str]) -> str | None:
    """Return the first name that was there before; None where all differ.

    >>> first_double(["anna", "ben", "anna"])
    'anna'
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def said_fingerprints(reference: str, own: str, systems: Mapping[str, str]) -> str:
    """Return the names and fingerprints of data; a system may be called as the reference is."""
    read = dict.fromkeys([(reference, own), *systems.items()])
    return ", ".join(f"{name} {fingerprint}" for name, fingerprint in read)


def clip(text: str, width: int) -> str:
    """Return the text, shortened with an ellipsis where it is wider than ``width`` characters."""
    return text if len(text) <= width else text[: max(1, width - 1)].rstrip() + "…"


# Packages whose extra has another name, and the one that is installed under another.
_EXTRAS = {
    "pyarrow": "arrow",
    "narwhals": "arrow",
    "distributed": "dask",
    "pyspark": "spark",
    "fsspec": "dask",
    "sacrebleu": "mt",
    "sentencepiece": "spm",
    "matplotlib": "plot",
    "shtab": "shell",
}
_FORMATS = ("yaml", "defusedxml", "pylangacq", "zstandard")


def needs(package: str, what: str = "this") -> Any:
    """Import a package of one of the extras, or raise ImportError that says how to get it."""
    name = package.partition(".")[0]
    try:
        return importlib.import_module(package)
    except ImportError:
        shown = {"yaml": "pyyaml"}.get(name, name)
        extra = "formats" if name in _FORMATS else _EXTRAS.get(name, name)
        raise ImportError(
            f"{what} needs {shown}, which is not installed: pip install 'fencepost[{extra}]'"
        ) from None


def number_of_digits(number: float) -> str:
    """Return a number with as many digits as it takes to read it back.

    >>> number_of_digits(0.5), number_of_digits(1.0), number_of_digits(0.123456789)
    ('0.5', '1', '0.123456789')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
