"""Who is compared with whom: texts of references and systems, paired by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fencepost.model.checks import SegmentationError
from fencepost.model.corpus import Corpus
from fencepost.model.given import holds_texts, items_of
from fencepost.model.segmentation import Segmentation

NO_BOUNDARIES, RANDOM_PLACES = "no boundaries", "random places"
BASELINES = (NO_BOUNDARIES, RANDOM_PLACES)

Missing = Literal["error", "skip", "whole"]
Item = tuple[str, str]  # text and stream
Tokens = Mapping[Item, Sequence[str]]


@dataclass(frozen=True)
class Plan:
    """The texts to score, the references by coder, and each system's segmentations."""

    texts: list[str]
    references: dict[str, dict[Item, Segmentation]]
    systems: dict[str, dict[Item, Segmentation]]
    corpus: Corpus
    notes: list[str]


def named_systems(hyps: Any) -> dict[str, Corpus]:
    """The hypotheses by system."""
    given = None if isinstance(hyps, Corpus) else items_of(hyps)
    own = {str(name): one for name, one in given or ()}
    if own and all(isinstance(one, Corpus) or holds_texts(one) for one in own.values()):
        named = {name: Corpus.from_given(one, name) for name, one in own.items()}
    else:
        corpus = Corpus.from_given(hyps, "hypothesis")
        named = {corpus.name if isinstance(hyps, Corpus) else "hypothesis": corpus}
    for name, corpus in named.items():
        if name in BASELINES:
            raise SegmentationError(f"a system cannot be named {name!r}: that is a baseline")
        if len(corpus.coders) > 1:
            raise SegmentationError(
                f"{name} has segmentations by {_listed(corpus.coders)} and a system has one for "
                "each text; choose one with --hyp-field (field=), or give each as a system of its "
                "own"
            )
    return named


def make_plan(reference: Corpus, systems: dict[str, Corpus], missing: Missing) -> Plan:
    """Pair every text of the reference with every system's, or say what is lacking."""
    if not reference.texts:
        raise SegmentationError(f"{reference.name} has no texts")
    reference.check_streams()
    units = _units(reference)
    texts = reference.texts
    known = set(texts)
    chosen: dict[str, dict[Item, Segmentation]] = {}
    left_out: dict[str, None] = {}
    extra: list[str] = []
    for name, corpus in systems.items():
        unnamed = corpus.anonymous or reference.anonymous
        if unnamed and len(corpus.texts) == 1 == len(texts):
            # Of two files of one text, one gives it no name: they are meant for each other.
            corpus = systems[name] = corpus.renamed(texts[0])
        _refuse_numbered(name, corpus, reference)
        given = corpus.of(corpus.coders[0]) if corpus.coders else {}
        lacking = [item for item in units if item not in given]
        surplus = list(dict.fromkeys(text for text, _ in given if text not in known))
        if len(surplus) == len(corpus.texts):  # not one text has a partner
            _refuse_nameless(name, corpus, reference)
        if lacking and missing == "error":
            raise SegmentationError(_lacks(name, reference, lacking, given))
        if surplus and missing != "skip":
            raise SegmentationError(
                f"{name} has {_texts(surplus)} that {reference.name} lacks. "
                "Leave them out with --missing skip (missing='skip')"
            )
        if surplus:
            extra.append(f"{_texts(surplus)} of {name} left out: {reference.name} lacks them")
        if missing == "skip":
            left_out.update(dict.fromkeys(text for text, _ in lacking))
        whole = {item: _uncut(units[item], reference) for item in lacking}
        chosen[name] = {**given, **(whole if missing == "whole" else {})}
    kept = [text for text in texts if text not in left_out]
    if not kept:
        raise SegmentationError(f"no text of {reference.name} has a partner in every system")
    references = {coder: reference.of(coder) for coder in reference.coders}
    notes = [*reference.notes, *extra]
    if left_out:
        notes.append(f"{_texts(list(left_out))} left out: not every system has them")
    notes += [
        note
        for name, corpus in systems.items()
        for note in _check_units(reference, units, name, corpus, chosen[name], set(kept))
    ]
    for coder, own in references.items():
        done = len({text for text, _ in own} - set(left_out))
        if done < len(kept):
            notes.append(f"{coder} has {done} of the {len(kept)} texts")
    return Plan(kept, references, chosen, reference.where(kept), notes)


def _units(reference: Corpus) -> dict[Item, int]:
    """The number of units of each text and stream, which all references must agree on."""
    units: dict[Item, int] = {}
    first: dict[Item, str] = {}
    for key, seg in reference.entries.items():
        item = key.text, key.stream
        first.setdefault(item, key.coder)
        if units.setdefault(item, seg.units) != seg.units:
            raise SegmentationError(
                f"{said(item)}: {first[item]} has {units[item]} {reference.unit}s and "
                f"{key.coder} {seg.units}; references must have the same units"
            )
    return units


def _uncut(units: int, reference: Corpus) -> Segmentation:
    names = reference.kind_names
    return Segmentation(units, [], None if names is None else [], names)


def said(item: Item) -> str:
    """A text, and its stream where it has several."""
    return f"{item[0]}, {item[1]}" if item[1] else item[0]


def _listed(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _texts(names: Sequence[str]) -> str:
    return f"{len(names)} text{'s' * (len(names) > 1)} ({_listed(names)})"


def _lacks(
    name: str, reference: Corpus, lacking: Sequence[Item], given: Mapping[Item, Segmentation]
) -> str:
    there = {text for text, _ in given}
    for text, stream in lacking:
        if text in there:
            return f"{text}: {name} lacks the stream {stream!r}, which {reference.name} has"
    texts = list(dict.fromkeys(text for text, _ in lacking))
    return (
        f"{name} lacks {len(texts)} of the {len(reference.texts)} texts in {reference.name} "
        f"({_listed(texts)}). Leave them out with --missing skip (missing='skip'), or count them "
        "as unsegmented with --missing whole"
    )


def _refuse_nameless(name: str, corpus: Corpus, reference: Corpus) -> None:
    """Say so where one side names its texts and the other does not."""
    sides = {reference.name: reference, name: corpus}
    nameless = [side for side, one in sides.items() if _is_nameless(one)]
    if len(sides) == 2 and len(nameless) == 1:
        (named,) = set(sides) - set(nameless)
        raise SegmentationError(
            f"{named} names its texts ({_listed(sides[named].texts)}) and {nameless[0]} has no "
            f"names for its {_texts(sides[nameless[0]].texts)}, so they cannot be paired; give "
            "both sides the same ids, or neither"
        )


def _refuse_numbered(name: str, corpus: Corpus, reference: Corpus) -> None:
    """Numbers of lines that happen to be ids of the other side pair the wrong texts."""
    named = corpus if reference.numbered else reference
    if reference.numbered == corpus.numbered or named.anonymous:
        return
    if named.texts != [str(n) for n in range(1, len(named.texts) + 1)]:
        _refuse_nameless(name, corpus, reference)


def _is_nameless(corpus: Corpus) -> bool:
    """Texts that bear no name of their own are called after the file, or numbered from 1."""
    return corpus.anonymous or corpus.numbered


def _check_units(
    reference: Corpus,
    units: Mapping[Item, int],
    name: str,
    corpus: Corpus,
    given: Mapping[Item, Segmentation],
    kept: set[str],
) -> list[str]:
    """Refuse texts of different length, saying where they part; note words that differ."""
    for item, count in units.items():
        if item[0] in kept and item in given and count != given[item].units:
            raise SegmentationError(
                _parting(reference, name, corpus, item, count, given[item].units)
            )
    ours = {item: words for item, words in reference.tokens.items() if item[0] in kept}
    return words_that_differ(ours, corpus.tokens, (reference.name, name), reference.unit)


def words_that_differ(ours: Tokens, theirs: Tokens, names: tuple[str, str], unit: str) -> list[str]:
    """A note on texts whose words differ; an error where they are hardly the same text.

    Texts of different length are left to those who look at lengths.
    """
    both = {
        item: (list(words), list(theirs[item])) for item, words in ours.items() if item in theirs
    }
    differing = {i: (a, b) for i, (a, b) in both.items() if a != b and len(a) == len(b)}
    if not differing:
        return []
    first, other_words = next(iter(differing)), False
    for item, (a, b) in differing.items():
        share = _share_of_other_words(a, b)
        if share > HALF and len(a) >= FEW:
            raise SegmentationError(
                _other_text(item, share, _first_difference(a, b, unit), names, unit)
            )
        if share and not other_words:
            first, other_words = item, True
    place = _first_difference(*differing[first], unit)
    return [
        f"{_texts(list(dict.fromkeys(text for text, _ in differing)))} read differently in "
        f"{names[0]} and {names[1]}, though they have the same number of {unit}s; "
        f"{said(first)}: they {place}"
        + ("; if the words differ, fencepost resegment compares them" if other_words else "")
    ]


HALF, FEW = 0.5, 5  # in a text of few units, a handful of other spellings is most of it


def _share_of_other_words(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """How many of the units differ by more than case and punctuation; numbers are no words."""
    if all(one.isdigit() for one in ours) or all(one.isdigit() for one in theirs):
        return 0.0
    other = sum(_bare(a) != _bare(b) for a, b in zip(ours, theirs, strict=False) if a != b)
    return other / max(1, len(ours))


def _bare(word: str) -> str:
    return re.sub(r"[\W_]+", "", word).casefold()


def _other_text(item: Item, share: float, place: str, names: tuple[str, str], unit: str) -> str:
    return (
        f"{said(item)}: {share:.0%} of the {unit}s in {names[0]} and {names[1]} are different "
        f"words, so this is hardly the same text; they {place}. If the words differ (recognition, "
        "translation), use fencepost resegment; if they are only written differently, leave them "
        "out of one side (fencepost convert FILE sizes.json)"
    )


def _parting(
    reference: Corpus, name: str, corpus: Corpus, item: Item, ref_units: int, hyp_units: int
) -> str:
    unit = reference.unit
    start = f"{said(item)}: {reference.name} has {ref_units} {unit}s, {name} {hyp_units}"
    ours, theirs = reference.tokens.get(item), corpus.tokens.get(item)
    if ours and theirs:
        start += f"; they {_first_difference(ours, theirs, unit)}"
    return (
        f"{start}. Boundaries can only be compared on the same units; if the words differ "
        "(recognition, translation), use fencepost resegment"
    )


def _first_difference(ours: Sequence[str], theirs: Sequence[str], unit: str) -> str:
    """Where two texts part, and what stands before."""
    same = sum(1 for _ in _common_start(ours, theirs))
    shown = [f'"{w[same]}"' if same < len(w) else "the end" for w in (ours, theirs)]
    before = " ".join(ours[max(0, same - 4) : same])[-40:]
    context = f' (after "{before}")' if before else ""
    return f"part at {unit} {same + 1}: {shown[0]} / {shown[1]}{context}"


def _common_start(a: Sequence[str], b: Sequence[str]) -> Iterable[str]:
    for x, y in zip(a, b, strict=False):
        if x != y:
            return
        yield x


def how_read(reference: Corpus, systems: Mapping[str, Corpus]) -> dict[str, str]:
    """Choices made while reading, for the signature; both sides are named where they differ."""
    fields: dict[str, str] = {}
    for corpus in (reference, *systems.values()):
        for key, value in corpus.reading.items():
            known = fields.get(key, value)
            fields[key] = value if known == value else f"{known}+{value}"
    return fields
