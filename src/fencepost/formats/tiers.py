"""Tiers of intervals with times, as annotation tools keep them: who a tier is, what its units are.

TextGrid and ELAN files come here; their own files only read the tiers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from fencepost.formats.built import built_from_words, join_parts
from fencepost.formats.intervals import (
    SLACK,
    Scale,
    Stretch,
    Types,
    add_types,
    check_levels,
    cut_at,
    grid,
    grid_scale,
    said_units,
    segment,
    types_of_points,
    types_of_segments,
    word_scale,
)
from fencepost.formats.options import FormatError, Reading
from fencepost.formats.turns import ignored, word_filter
from fencepost.model.corpus import Corpus, Key
from fencepost.model.segmentation import Segmentation
from fencepost.wording import first_double, listed, plural


@dataclass(frozen=True)
class Tier:
    """Intervals in the order of time, or points."""

    name: str
    stretches: tuple[Stretch, ...]
    points: bool = False
    # Praat fills the time between segments with intervals that have no label; ELAN has nothing.
    unlabelled: Literal["gaps", "segments"] = "gaps"
    parent: str | None = None  # the tier that this one says more about

    @property
    def segments(self) -> list[Stretch]:
        """The intervals with a label; all of them where none has one, or where all are segments."""
        if self.unlabelled == "segments":
            return list(self.stretches)
        labelled = [s for s in self.stretches if s.label.strip()]
        return labelled or list(self.stretches)


def corpus_of_tiers(tiers: Sequence[Tier], first: float, last: float, reading: Reading) -> Corpus:
    """One text: a segmentation for each tier that is a coder's or a speaker's."""
    names = [tier.name for tier in tiers]
    twice = first_double(names)
    if twice is not None:
        raise FormatError(f"{reading.name}: two tiers are called {twice!r}; rename one of them")
    if reading.units is None or reading.units in ("words", "chars"):
        raise FormatError(
            f"{reading.name} has times, and a segmentation counts units: --units words:TIER (the "
            "intervals of a tier), --units seconds:0.1 (a grid) or --units text (the words of the "
            f"labels); the tiers are {_quoted(names)}"
        )
    chosen, used, dropped = _chosen(tiers, reading)
    # A grid of time has no words that could be left out.
    used |= said_units(reading) | (ignored(reading) if grid(reading) is None else {})
    typed = check_levels(reading)
    found: dict[Key, tuple[Segmentation, list[str] | None]] = {}
    types: dict[Key, Types] = {}
    for (speaker, coder), tier in chosen.items():
        where = f"{reading.name}, tier {tier.name}"
        key = Key(reading.stem, speaker, coder)
        if reading.units == "text":
            if typed:
                raise FormatError(
                    f"{where}: --units text takes labels as words, so they are no boundary types; "
                    "remove --levels, or count --units words:TIER or seconds:0.1"
                )
            found[key] = _by_labels(tier, reading, where)
            continue
        _check_times(tier, first, last)
        scale, words = _scale(tiers, speaker, first, last, reading)
        if tier.points:
            found[key] = cut_at(tier.stretches, scale, reading), words
            types[key] = types_of_points(tier.stretches, scale, reading)
            continue
        _check_words(tier, scale, reading)
        seg, rules = segment(
            tier.segments, scale.units, reading, where, scale.place,
            gap_hint=partial(_hint_about_tiers, tier=tier, reading=reading),
        )  # fmt: skip
        found[key] = seg, words
        used |= rules
        if typed:
            types[key] = types_of_segments(seg, tier.segments, reading, scale.place)
    if typed:
        used["levels"] = "kinds"
        made = add_types({key: (found[key][0], own) for key, own in types.items()})
        found = {key: (made[key], words) for key, (_, words) in found.items()}
    unit = "unit" if grid(reading) else "word"
    read = dict.fromkeys(tier.name for tier in chosen.values())
    words = reading.units.removeprefix("words:")
    left = tuple(name for name in names if name not in read and name != words)
    # Annotators that a pattern finds in the names of tiers are not these names.
    left += tuple(sorted(dropped - {*left, *(key.coder for key in found)}))
    shape = plural(len(read), "tier")  # names of tiers may be those of people
    field = reading.field if reading.field in read else None
    if field is None and {key.coder for key in found} == set(read):
        shape = "one tier per annotator; {annotators}"
    return built_from_words(
        found, reading, unit, choices=used, field=field, ignored=left, shape=shape
    )


def _hint_about_tiers(start: int, end: int, tier: Tier, reading: Reading) -> str | None:
    """Return the ways out of a gap in a tier that may be no annotator's, such as one of words."""
    rule, out = _rule(reading)
    if not rule or reading.coders:
        return None
    ignored = ", ".join(filter(None, [out.strip(), tier.name]))
    return (
        "--gaps segment (a segment of their own) or --gaps join (part of the segment before); "
        f"or ignore this tier: --tiers '{rule} except {ignored}'"
    )


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def _chosen(
    tiers: Sequence[Tier], reading: Reading
) -> tuple[dict[tuple[str, str], Tier], dict[str, str], set[str]]:
    """The tiers that hold segmentations, by speaker and coder, and the rule that was needed.

    A tier without intervals is one that nobody annotated: it is missing, not a text without cuts.
    Last come the annotators whose tiers nobody asked for, or that were to be ignored.
    """
    rest, dropped = _asked_for(_beside_the_words(tiers, reading), reading)
    if reading.field is not None:
        named = [tier for tier in rest if tier.name == reading.field]
        if not named and "{coder}" not in (reading.tiers or ""):  # which a pattern may name
            there = _quoted([tier.name for tier in rest])
            raise FormatError(f"{reading.name}: no tier {reading.field!r}; there are {there}")
        rest = named or rest
    filled = [tier for tier in rest if tier.stretches or tier.points]
    if not filled:
        raise FormatError(
            f"{reading.name}: no tier with segments"
            + (f": there is nothing in {_quoted([tier.name for tier in rest])}" if rest else "")
        )
    if reading.tiers is not None:
        _refuse_comments(filled, reading)
    several = len(filled) < len(rest) and reading.tiers is not None
    return _by_name(filled, reading), {"empty": "missing"} if several else {}, dropped


def _asked_for(tiers: Sequence[Tier], reading: Reading) -> tuple[list[Tier], set[str]]:
    """Return the tiers that --coders and --without keep, and the annotators of the others.

    They are dropped before their segments are checked: what is wrong with a tier that is ignored
    is nobody's concern, and needs no rule in the signature.
    """
    rule, _ = _rule(reading)
    form = as_regex(rule) if "{coder}" in rule else None
    coders: dict[str, str | None] = {}
    for tier in tiers:
        match = form.fullmatch(tier.name) if form else None
        coders[tier.name] = match["coder"] if match else tier.name if rule == "coders" else None
    there = list(dict.fromkeys(coder for coder in coders.values() if coder is not None))
    for coder in reading.coders if there else ():
        if coder not in there:
            raise FormatError(
                f"{reading.name}: no annotator {coder!r}; the annotators are {', '.join(there)}"
            )
    out = {
        tier.name
        for tier in tiers
        if {tier.name, coders[tier.name]} & set(reading.without)
        or (reading.coders and coders[tier.name] in set(there) - set(reading.coders))
    }
    kept = [tier for tier in tiers if tier.name not in out]
    if tiers and not kept:
        raise FormatError(f"{reading.name}: no annotator is left without {listed(sorted(out))}")
    return kept, {coder for name in out if (coder := coders[name]) is not None}


def _refuse_comments(tiers: Sequence[Tier], reading: Reading) -> None:
    """A gloss or translation of a coder's annotations is no coder, and repeats their cuts."""
    names = {tier.name for tier in tiers}
    more = [tier for tier in tiers if tier.parent in names]
    if more:
        out = ", ".join(tier.name for tier in more)
        raise FormatError(
            f"{reading.name}: the tier {more[0].name!r} depends on {more[0].parent!r}, which is "
            f"read too. Ignore one of them, such as --tiers '{reading.tiers} except {out}'"
        )


def _beside_the_words(tiers: Sequence[Tier], reading: Reading) -> list[Tier]:
    """Without the tiers that hold words, and those that the person leaves out."""
    out = [word.strip() for word in _rule(reading)[1].split(",") if word.strip()]
    for name in out:
        if not any(as_regex(name).fullmatch(tier.name) for tier in tiers):
            raise FormatError(
                f"{reading.name}: no tier {name!r} to ignore; there are "
                f"{_quoted([tier.name for tier in tiers])}"
            )
    words = (reading.units or "").removeprefix("words:")
    forms = [as_regex(name) for name in out + [words] * (words != (reading.units or ""))]
    return [tier for tier in tiers if not any(form.fullmatch(tier.name) for form in forms)]


def _rule(reading: Reading) -> tuple[str, str]:
    """What tiers are, and which are left out: ``coders except phones, notes``."""
    rule, _, names = (reading.tiers or "").partition(" except ")
    return rule.strip(), names


def _by_name(tiers: Sequence[Tier], reading: Reading) -> dict[tuple[str, str], Tier]:
    rule, _ = _rule(reading)
    if rule == "coders":
        return {("", tier.name): tier for tier in tiers}
    if rule == "speakers":
        return {(tier.name, "1"): tier for tier in tiers}
    if rule == "one":
        raise FormatError(f"{reading.name}: --tiers one is for transcripts; name a tier here")
    if rule:
        return _by_pattern(tiers, rule, reading)
    if len(tiers) > 1:
        raise FormatError(
            f"{reading.name} has the tiers {_quoted([tier.name for tier in tiers])}: --tiers "
            "coders if each is a coder's, --tiers speakers if each is a speaker's, --tiers "
            "'{speaker}@{coder}' if their names say both, or --columns ref=NAME (hyp=NAME) for one "
            "of them"
        )
    return {("", "1"): tiers[0]}


def _by_pattern(
    tiers: Sequence[Tier], pattern: str, reading: Reading
) -> dict[tuple[str, str], Tier]:
    form = as_regex(pattern)
    found: dict[tuple[str, str], Tier] = {}
    odd = [tier.name for tier in tiers if not form.fullmatch(tier.name)]
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
        raise FormatError(
            f"{reading.name}: no tier is named like {pattern!r}; there are {_quoted(odd)}"
        )
    if odd:
        raise FormatError(
            f"{reading.name}: {_quoted(odd)} {'are' if odd[1:] else 'is'} not named like "
            f"{pattern!r}; rename, or ignore with --tiers '{pattern} except {', '.join(odd)}'"
        )
    return found


def as_regex(pattern: str) -> re.Pattern[str]:
    """A pattern with names in braces as a regular expression; a name that is repeated is equal."""
    parts = re.split(r"\{([A-Za-z_]\w*)\}", pattern)
    form = ""
    seen: set[str] = set()
    for text, name in zip(parts[::2], [*parts[1::2], ""], strict=True):
        form += re.escape(text)
        if name in seen:
            form += f"(?P={name})"
        elif name:
            form += f"(?P<{name}>{'.+' if name == 'folders' else '[^/]+?'})"
            seen.add(name)
    return re.compile(form)


def _check_times(tier: Tier, first: float, last: float) -> None:
    """Segments have a length, and lie inside the recording."""
    for one in tier.stretches if tier.points else tier.segments:
        if one.start < first - SLACK or one.end > last + SLACK:
            time = f"{one.start:g}" if tier.points else f"{one.start:g} to {one.end:g}"
            raise FormatError(
                f"{one.where}: {time} does not lie inside the recording, which goes from "
                f"{first:g} to {last:g}"
            )
        if one.end == one.start and not tier.points:
            raise FormatError(
                f"{one.where}: the segment starts and ends at {one.start:g}, so it has no length; "
                "give it one, or delete it"
            )


def _check_words(tier: Tier, scale: Scale, reading: Reading) -> None:
    """A pause or a laugh may be a segment without words; most of a coder's segments have some."""
    if scale.step is not None:
        return
    empty = [s for s in tier.segments if scale.place(s.start) == scale.place(s.end)]
    if 2 * len(empty) > len(tier.segments):
        raise FormatError(
            f"{empty[0].where}: no word of --units {reading.units} lies in {len(empty)} of the "
            f"{len(tier.segments)} segments; are they another speaker's? --units "
            "'words:{speaker}-words' takes the words of each speaker's own tier"
        )


def _scale(
    tiers: Sequence[Tier], speaker: str, first: float, last: float, reading: Reading
) -> tuple[Scale, list[str] | None]:
    """The units of a speaker, and the words themselves."""
    step = grid(reading)
    if step is not None:
        return grid_scale(step, first, last, reading.name), None
    wanted = (reading.units or "").removeprefix("words:").replace("{speaker}", speaker)
    by_name: Mapping[str, Tier] = {tier.name: tier for tier in tiers}
    if wanted not in by_name:
        raise FormatError(
            f"{reading.name}: no tier {wanted!r} for the words; there are {_quoted(list(by_name))}"
        )
    keep = word_filter(reading)
    labels = [s for s in by_name[wanted].stretches if s.label.strip()]
    words = [s for s in labels if keep(s.label.strip())]
    if not words:
        raise FormatError(
            f"{reading.name}, tier {wanted}: no interval has a word"
            + (" that --ignore-tokens leaves in" if labels else "")
        )
    words.sort(key=lambda s: (s.start, s.end))
    return word_scale([(s.start, s.end) for s in words]), [s.label.strip() for s in words]


def _by_labels(tier: Tier, reading: Reading, where: str) -> tuple[Segmentation, list[str] | None]:
    if tier.points:
        raise FormatError(f"{where}: points have no words; --units words:TIER or seconds:0.1")
    keep = word_filter(reading)
    ordered = sorted(tier.stretches, key=lambda s: s.start)
    parts = [list(filter(keep, s.label.split())) for s in ordered]
    filled = [part for part in parts if part]
    if not filled:
        raise FormatError(f"{where}: no label has a word")
    return join_parts(filled)
