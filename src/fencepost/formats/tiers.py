"""Tiers of intervals with times, as annotation tools keep them: who a tier is, what its units are.

TextGrid and ELAN files come here; their own files only read the tiers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fencepost.corpus import Corpus, Key
from fencepost.formats.base import FormatError, Reading
from fencepost.formats.intervals import (
    Stretch,
    between_words,
    grid,
    grid_size,
    on_grid,
    said_units,
    segment,
)
from fencepost.segmentation import Segmentation


@dataclass(frozen=True)
class Tier:
    """Intervals in the order of time, or points."""

    name: str
    stretches: tuple[Stretch, ...]
    points: bool = False

    @property
    def segments(self) -> list[Stretch]:
        """The intervals with a label; all of them where none has one."""
        labelled = [s for s in self.stretches if s.label.strip()]
        return labelled or list(self.stretches)


@dataclass(frozen=True)
class _Scale:
    """What the units of a stream are, and where a time lies among them."""

    units: int
    place: Callable[[float], int]
    words: list[str] | None = None


def corpus_of_tiers(tiers: Sequence[Tier], first: float, last: float, reading: Reading) -> Corpus:
    """One text: a segmentation for each tier that is a coder's or a speaker's."""
    names = [tier.name for tier in tiers]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FormatError(f"{reading.name}: two tiers are called {twice!r}; rename one of them")
    if reading.units is None or reading.units in ("words", "chars"):
        raise FormatError(
            f"{reading.name} has times, and a segmentation counts units: --units words:TIER (the "
            "intervals of a tier), --units seconds:0.1 (a grid) or --units text (the words of the "
            f"labels); the tiers are {_listed(names)}"
        )
    chosen = _chosen(tiers, reading)
    entries: dict[Key, Segmentation] = {}
    tokens: dict[tuple[str, str], list[str]] = {}
    used: dict[str, str] = said_units(reading)
    for (speaker, coder), tier in chosen.items():
        where = f"{reading.name}, tier {tier.name}"
        key = Key(reading.stem, speaker, coder)
        if reading.units == "text":
            entries[key], words = _by_labels(tier, where)
            tokens.setdefault((reading.stem, speaker), words)
            continue
        scale = _scale(tiers, speaker, first, last, reading)
        entries[key], rules = _segmented(tier, scale, reading, where)
        used |= rules
        if scale.words is not None:
            tokens.setdefault((reading.stem, speaker), scale.words)
    return Corpus(
        entries,
        tokens=tokens,
        sources=dict.fromkeys(entries, reading.name),
        reading=used,
        name=reading.stem,
        unit="unit" if grid(reading) else "word",
        column=reading.field,
        anonymous=True,
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def _chosen(tiers: Sequence[Tier], reading: Reading) -> dict[tuple[str, str], Tier]:
    """The tiers that hold segmentations, by speaker and coder."""
    words = _words_pattern(reading)
    rest = [tier for tier in tiers if words is None or not words.fullmatch(tier.name)]
    names = _listed([tier.name for tier in rest])
    if reading.field is not None:
        rest = [tier for tier in rest if tier.name == reading.field]
        if not rest:
            raise FormatError(f"{reading.name}: no tier {reading.field!r}; there are {names}")
    if not rest:
        raise FormatError(f"{reading.name}: no tier with segments beside the words")
    if reading.tiers is None:
        if len(rest) > 1:
            raise FormatError(
                f"{reading.name} has the tiers {names}: --tiers coders if each is a coder's, "
                "--tiers speakers if each is a speaker's, --tiers '{speaker}@{coder}' if their "
                "names say both, or --ref-field (--hyp-field) for one of them"
            )
        return {("", "1"): rest[0]}
    if reading.tiers == "coders":
        return {("", tier.name): tier for tier in rest}
    if reading.tiers == "speakers":
        return {(tier.name, "1"): tier for tier in rest}
    if reading.tiers == "one":
        raise FormatError(f"{reading.name}: --tiers one is for transcripts; name a tier here")
    return _by_pattern(rest, reading.tiers, names, reading)


def _by_pattern(
    tiers: Sequence[Tier], pattern: str, names: str, reading: Reading
) -> dict[tuple[str, str], Tier]:
    form = as_regex(pattern)
    found: dict[tuple[str, str], Tier] = {}
    for tier in tiers:
        match = form.fullmatch(tier.name)
        if not match:
            continue
        parts = match.groupdict()
        who = parts.get("speaker") or "", parts.get("coder") or "1"
        if who in found:
            raise FormatError(
                f"{reading.name}: the tiers {found[who].name!r} and {tier.name!r} are the same "
                f"under --tiers {pattern!r}"
            )
        found[who] = tier
    if not found:
        raise FormatError(f"{reading.name}: no tier is named like {pattern!r}; there are {names}")
    return found


def as_regex(pattern: str) -> re.Pattern[str]:
    """A pattern with names in braces as a regular expression."""
    parts = re.split(r"\{(\w+)\}", pattern)
    return re.compile(
        "".join(
            f"(?P<{part}>{'.+' if part == 'folders' else '[^/]+?'})"
            if number % 2
            else re.escape(part)
            for number, part in enumerate(parts)
        )
    )


def _words_pattern(reading: Reading) -> re.Pattern[str] | None:
    name = (reading.units or "").removeprefix("words:")
    return as_regex(name) if name != reading.units else None


def _scale(
    tiers: Sequence[Tier], speaker: str, first: float, last: float, reading: Reading
) -> _Scale:
    step = grid(reading)
    if step is not None:
        return _Scale(grid_size(step, first, last, reading.name), on_grid(step, first))
    wanted = (reading.units or "").removeprefix("words:").replace("{speaker}", speaker)
    by_name: Mapping[str, Tier] = {tier.name: tier for tier in tiers}
    if wanted not in by_name:
        raise FormatError(
            f"{reading.name}: no tier {wanted!r} for the words; there are {_listed(list(by_name))}"
        )
    words = [s for s in by_name[wanted].stretches if s.label.strip()]
    if not words:
        raise FormatError(f"{reading.name}, tier {wanted}: no interval has a word")
    words.sort(key=lambda s: (s.start, s.end))
    place = between_words([(s.start, s.end) for s in words])
    return _Scale(len(words), place, [s.label.strip() for s in words])


def _segmented(
    tier: Tier, scale: _Scale, reading: Reading, where: str
) -> tuple[Segmentation, dict[str, str]]:
    if not tier.points:
        if not tier.stretches:
            raise FormatError(f"{where}: no intervals")
        return segment(tier.segments, scale.units, reading, where, scale.place)
    cuts: dict[int, Stretch] = {}
    for point in tier.stretches:
        place = scale.place(point.start)
        if not 0 < place < scale.units:
            continue  # the ends of the text are no boundaries
        if place in cuts:
            raise FormatError(
                f"{point.where}: the points at {cuts[place].start:g} and {point.start:g} are the "
                f"same place in units of --units {reading.units}"
            )
        cuts[place] = point
    return Segmentation(scale.units, sorted(cuts)), {}


def _by_labels(tier: Tier, where: str) -> tuple[Segmentation, list[str]]:
    if tier.points:
        raise FormatError(f"{where}: points have no words; --units words:TIER or seconds:0.1")
    parts = [s.label.split() for s in sorted(tier.stretches, key=lambda s: s.start)]
    sizes = [len(part) for part in parts if part]
    if not sizes:
        raise FormatError(f"{where}: no label has a word")
    return Segmentation.from_masses(sizes), [word for part in parts for word in part]
