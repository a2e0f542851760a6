"""Who is compared with whom: the only place that knows how texts of two sides meet."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fencepost.model.checks import Ints, SegmentationError
from fencepost.model.corpus import ONLY, Corpus, Item
from fencepost.model.given import holds_texts, items_of
from fencepost.model.pairs import Column, Pairs, merge_vocabularies, relabelled, visible
from fencepost.model.segmentation import Segmentation
from fencepost.model.strings import Strings
from fencepost.options import Missing
from fencepost.wording import listed, plural

NO_BOUNDARIES, RANDOM_BOUNDARIES = "no boundaries", "random boundaries"
HUMAN_CEILING = "human ceiling"  # every annotator against the others; of several references
BASELINES = (HUMAN_CEILING, NO_BOUNDARIES, RANDOM_BOUNDARIES)

Tokens = Mapping[Item, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Join:
    """The texts that are compared, and which row of a system meets each item of the reference.

    An item is a text and stream of ``reference``. ``rows`` has a row of the system's corpus for
    each item, -1 for one that the system lacks and that counts as unsegmented.

    >>> gold = Corpus.from_dict({"a": [5, 5], "b": [3, 4]}, "gold")
    >>> made = join(gold, {"bert": Corpus.from_dict({"b": [4, 3], "a": [5, 5]}, "bert")})
    >>> made.rows["bert"].tolist()
    [1, 0]
    """

    reference: Corpus  # only the texts that are compared
    systems: Mapping[str, Corpus]
    rows: Mapping[str, Ints]
    notes: Sequence[str] = ()

    @property
    def texts(self) -> Strings:
        """The texts that are compared."""
        return self.reference.text_names

    @property
    def coders(self) -> list[str]:
        """The coders of the reference."""
        return self.reference.coders

    def name_of(self, coder: str) -> str:
        """Return a reference's name in tables: the file's, where its only coder has none."""
        unnamed = len(self.reference.coder_names) == 1 and coder == ONLY
        return self.reference.name if unnamed else coder

    def coder_of(self, reference: str) -> str:
        """Return the coder that tables call by this name."""
        return next(coder for coder in self.coders if self.name_of(coder) == reference)

    def reference_rows(self, coder: str) -> Ints:
        """Return the rows of one coder of the reference."""
        if len(self.reference.coder_names) == 1:
            return np.arange(len(self.reference), dtype=np.int64)
        code = self.reference.coder_names.find(coder)
        return np.flatnonzero(self.reference.coder_codes == code)

    def rows_of_others(self, coder: str) -> tuple[Ints, Ints]:
        """Return one coder's rows, once for each other annotator of the text, and their rows."""
        reference, own = self.reference, self.reference_rows(coder)
        row_of = np.full(len(reference.item_rows), -1, dtype=np.int64)
        row_of[reference.item_codes[own]] = own
        met = row_of[reference.item_codes]
        others = np.flatnonzero((met >= 0) & (met != np.arange(len(reference))))
        return met[others], others

    def pairs(self, system: str | None, coder: str, rows: Ints | None = None) -> Pairs:
        """Return one coder's texts beside a system's; None is a system without boundaries.

        ``rows`` are those of the reference, all of the coder's unless they are given.
        """
        own = self.reference_rows(coder) if rows is None else rows
        if system is None:
            hyp, met = self.reference, np.full(len(own), -1, dtype=np.int64)
        else:
            hyp, met = self.systems[system], self.rows[system][self.reference.item_codes[own]]
        return paired(self.reference, own, hyp, met)

    def text_rows(self, text: str, coder: str) -> Ints:
        """Return the rows of one coder's streams of a text, in order."""
        own = self.reference_rows(coder)
        found: Ints = own[self.reference.text_codes[own] == self.reference.text_names.find(text)]
        return found

    def hypothesis(self, system: str, row: int) -> Segmentation:
        """Return what a system has for a row of the reference."""
        met = int(self.rows[system][self.reference.item_codes[row]])
        if met >= 0:
            return self.systems[system].segmentation(met)
        own = self.reference.segmentation(row)
        kinds = None if own.kinds is None else own.kinds[:0]
        return Segmentation._trusted(own.units, own.cuts[:0], kinds, own.kind_names)


def paired(reference: Corpus, rows: Ints, other: Corpus, met: Ints) -> Pairs:
    """Return rows of one corpus beside rows of another; a row of -1 is a text without a cut."""
    typed = _are_typed(reference, rows) | _are_typed(other, met[met >= 0])
    names: tuple[str, ...] | None = None
    sides = [reference.column, other.column]
    if typed == {True}:
        names = merge_vocabularies([reference.vocabulary or (), other.vocabulary or ()])
        sides = [relabelled(one.column, one.vocabulary or (), names) for one in (reference, other)]
    elif reference.vocabulary or other.vocabulary:  # only positions can be compared then
        sides = [_positions(one) for one in (reference, other)]
    return Pairs._trusted(
        sides[0].take(rows),
        with_empty(sides[1]).take(np.where(met < 0, len(other), met)),
        reference.units[rows],
        names,
        RowNames(reference, rows),
        mixed=len(typed) == 2,
    )


def _are_typed(corpus: Corpus, rows: Ints) -> set[bool]:
    """Whether these rows have boundary types: all of them, none, or both."""
    if not len(rows):
        return set()
    if corpus.typed is None:
        return {corpus.vocabulary is not None}
    return set(corpus.typed[rows].tolist())


def _positions(corpus: Corpus) -> Column:
    """The distinct positions alone."""
    if corpus.column.kinds is None:
        return corpus.column
    return visible(corpus.column, corpus.units, "positions")


def with_empty(column: Column) -> Column:
    """Return the column with a row without cuts behind its last."""
    offsets = np.append(column.offsets, column.offsets[-1])
    return Column.own(column.values, offsets, column.kinds, column.weights)


class RowNames(Sequence[str]):
    """What each row is called in messages, written only when one is needed."""

    def __init__(self, corpus: Corpus, rows: Ints) -> None:
        self.corpus, self.rows = corpus, rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        key = self.corpus.key(int(self.rows[index]))
        return item_name((key.text, key.stream))


def named_systems(hyps: Any) -> dict[str, Corpus]:
    """Return the hypotheses by system."""
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
        if len(corpus.coder_names) > 1:
            raise SegmentationError(
                f"{name} has segmentations by {listed(corpus.coders)} and a system has one for "
                "each text; choose one with --columns hyp=NAME (columns={'hyp': NAME}), or give "
                "each as a system of its own"
            )
    return named


def join(reference: Corpus, systems: Mapping[str, Corpus], missing: Missing = "error") -> Join:
    """Pair every text of the reference with every system's, or say what is lacking."""
    if not len(reference):
        raise SegmentationError(f"{reference.name} has no texts")
    reference.check_streams()
    _check_same_units(reference)
    met: dict[str, Ints] = {}
    whose: dict[str, Corpus] = {}
    left_out = np.zeros(len(reference.text_names), dtype=bool)
    extra: list[str] = []
    for name, given in systems.items():
        corpus = whose[name] = _called_alike(reference, given)
        _refuse_numbered(name, corpus, reference)
        _refuse_lines(name, corpus, reference)
        rows, surplus = _meet(reference, corpus)
        if len(surplus) == len(corpus.text_names):  # not one text has a partner
            _refuse_nameless(name, corpus, reference)
            raise SegmentationError(_shares_none(name, corpus, reference))
        lacking = np.flatnonzero(rows < 0)
        if len(lacking) and missing == "error":
            raise SegmentationError(_lacks(name, reference, corpus, lacking))
        if len(surplus) and missing == "error":
            raise SegmentationError(
                f"{name} has {_texts(surplus)} that {reference.name} lacks. "
                "Skip them with --missing skip (missing='skip')"
            )
        if len(surplus):
            extra.append(f"{_texts(surplus)} of {name} ignored: not in {reference.name}")
        absent = reference.text_codes[reference.item_rows[lacking]]
        if missing == "skip":
            left_out[absent] = True
        elif len(absent):
            whole = _texts(reference.text_names.take(np.unique(absent)))
            extra.append(f"{whole} counted as unsegmented: not in {name}")
        met[name] = rows
    if left_out.all():
        raise SegmentationError(f"no text of {reference.name} has a partner in every system")
    kept = reference.take(np.flatnonzero(~left_out[reference.text_codes]))
    items = ~left_out[reference.text_codes[reference.item_rows]]
    met = {name: rows[items] for name, rows in met.items()}
    notes = [*reference.source.notes, *extra]
    if left_out.any():
        gone = reference.text_names.take(np.flatnonzero(left_out))
        notes.append(f"{_texts(gone)} ignored: not in every system")
        idle = [name for name in reference.coder_names if name not in kept.coder_names]
        if idle:
            notes.append(f"no text of {listed(idle)} is left, so they are no reference here")
    for name, corpus in whose.items():
        notes += _check_units(kept, name, corpus, met[name])
    return Join(kept, whose, met, notes)


def _called_alike(reference: Corpus, corpus: Corpus) -> Corpus:
    """Of two files of one text, one gives it no name: they are meant for each other."""
    unnamed = "file" in (corpus.source.naming, reference.source.naming)
    alone = len(corpus.text_names) == 1 == len(reference.text_names)
    return corpus.renamed(reference.text_names[0]) if unnamed and alone else corpus


def _meet(reference: Corpus, corpus: Corpus) -> tuple[Ints, Strings]:
    """The row of the corpus for each item of the reference, or -1; and the texts left over."""
    texts = corpus.text_names.match(reference.text_names)
    surplus = corpus.text_names.take(np.flatnonzero(texts < 0))
    streams = corpus.stream_names.match(reference.stream_names)
    text, stream = texts[corpus.text_codes], streams[corpus.stream_codes]
    rows = np.flatnonzero((text >= 0) & (stream >= 0))
    width = len(reference.stream_names)
    theirs = text[rows] * width + stream[rows]
    first = reference.item_rows
    ours = reference.text_codes[first].astype(np.int64) * width + reference.stream_codes[first]
    if np.array_equal(theirs, ours):  # the same texts in the same order
        return rows, surplus
    met = np.full(len(ours), -1, dtype=np.int64)
    if len(rows):
        order = np.argsort(theirs, kind="stable")
        at = np.minimum(np.searchsorted(theirs[order], ours), len(rows) - 1)
        here = theirs[order][at] == ours
        met[here] = rows[order[at[here]]]
    return met, surplus


def _check_same_units(reference: Corpus) -> None:
    """The number of units of each text and stream, which all references must agree on."""
    if len(reference.coder_names) == 1:
        return
    first = reference.item_rows[reference.item_codes]
    wrong = np.flatnonzero(reference.units != reference.units[first])
    if len(wrong):
        row = int(wrong[0])
        key, other = reference.key(row), reference.key(int(first[row]))
        raise SegmentationError(
            f"{item_name((key.text, key.stream))}: {other.coder} has "
            f"{reference.units[first[row]]} {reference.unit}s and "
            f"{key.coder} {reference.units[row]}; references must have the same units"
        )


def coverage(reference: Corpus) -> list[str]:
    """Return a note on each coder who did not annotate every text."""
    if len(reference.coder_names) == 1:
        return []
    total = len(reference.text_names)
    notes = []
    for code, coder in enumerate(reference.coder_names):
        done = len(np.unique(reference.text_codes[reference.coder_codes == code]))
        if done < total:
            notes.append(f"{coder} has {done} of the {total} texts")
    return notes


def item_name(item: Item) -> str:
    """Return a text, and its stream where it has several."""
    return f"{item[0]}, {item[1]}" if item[1] else item[0]


def _texts(names: Sequence[str]) -> str:
    return f"{plural(len(names), 'text')} ({listed(names)})"


def _lacks(name: str, reference: Corpus, corpus: Corpus, lacking: Ints) -> str:
    rows = reference.item_rows[lacking]
    for row in rows.tolist()[:1000]:
        key = reference.key(row)
        if corpus.text_names.find(key.text) >= 0:
            return f"{key.text}: {name} lacks the speaker {key.stream!r}, whom {reference.name} has"
    codes = np.unique(reference.text_codes[rows])
    return (
        f"{name} lacks {len(codes)} of the {len(reference.text_names)} texts in {reference.name} "
        f"({listed(reference.text_names.take(codes))}). Skip them with --missing skip "
        "(missing='skip'), or count them as unsegmented with --missing whole"
    )


def _shares_none(name: str, corpus: Corpus, reference: Corpus) -> str:
    way = "are they named alike?"
    if reference.source.id_field or corpus.source.id_field:
        way = "--columns text=NAME says which column names them (-i FILE:text=NAME in one file)"
    if {*map(_composed, reference.text_names)} & {*map(_composed, corpus.text_names)}:
        way = "they look alike, but accents are written in two ways: save both files in NFC"
    return (
        f"{name} has none of the {plural(len(reference.text_names), 'text')} of {reference.name} "
        f"({listed(reference.text_names)}), but {listed(corpus.text_names)}; {way}"
    )


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _refuse_nameless(name: str, corpus: Corpus, reference: Corpus) -> None:
    """Say so where one side names its texts and the other does not."""
    alike = reference.name == name  # gold/a.json and sys/a.txt
    sides = {
        f"{'the reference ' * alike}{reference.name}": reference,
        f"{'the system ' * alike}{name}": corpus,
    }
    nameless = [side for side, one in sides.items() if not one.source.is_named]
    if len(nameless) == 1:
        (named,) = set(sides) - set(nameless)
        raise SegmentationError(
            f"{named} names its texts ({listed(sides[named].text_names)}) and {nameless[0]} has no "
            f"names for its {_texts(sides[nameless[0]].text_names)}, so they cannot be paired; "
            + (
                _way_to_names(sides[named], sides[nameless[0]])
                or "give both sides the same ids, or neither"
            )
        )


def _way_to_names(named: Corpus, nameless: Corpus) -> str:
    """Return the option for a column that has the names of the other side, if there is one."""
    known = set(named.text_names)
    for column, names in nameless.source.may_name.items():
        if 2 * len(known & set(names)) > len(names):
            told = f"add :text={column} to the file, as in {nameless.source.file}:text={column}"
            return f"its {column} has the same names; {told}"
    return ""


def _refuse_lines(name: str, corpus: Corpus, reference: Corpus) -> None:
    """Texts that would be matched by line, while columns with the same values have another order.

    Columns of numbers must have the same name on both sides, or all values in common: some numbers
    are the same by chance.
    """
    ours, theirs = reference.source, corpus.source
    for column, names in ours.may_name.items():
        for other, values in theirs.may_name.items():
            shared = len(set(names) & set(values))
            counted = all(value.isdigit() for value in values)
            alike = column == other or not counted or 2 < shared == len(names) == len(values)
            if alike and names != values and 2 * shared > min(len(names), len(values)):
                told = f"text={column}"
                way = f"--columns {told}"
                if column != other:
                    way = f"{ours.file}:{told} -i {theirs.file}:text={other}"
                raise SegmentationError(
                    f"{reference.name} and {name} would be matched by line, but {column} and "
                    f"{other} have the same values in another order: {way} matches by them, "
                    f"--without {column} by line"
                )


def _refuse_numbered(name: str, corpus: Corpus, reference: Corpus) -> None:
    """Numbers of lines that happen to be ids of the other side pair the wrong texts."""
    numbered = [one.source.naming == "numbers" for one in (reference, corpus)]
    named = corpus if numbered[0] else reference
    if numbered[0] == numbered[1] or named.source.naming == "file":
        return
    if named.text_names != Strings.numbers(len(named.text_names)):
        _refuse_nameless(name, corpus, reference)


def _check_units(reference: Corpus, name: str, corpus: Corpus, met: Ints) -> list[str]:
    """Refuse texts of different length, saying where they part; note words that differ."""
    ours = reference.item_rows[met >= 0]
    theirs = met[met >= 0]
    wrong = np.flatnonzero(reference.units[ours] != corpus.units[theirs])
    if len(wrong):
        row, other = int(ours[wrong[0]]), int(theirs[wrong[0]])
        key = reference.key(row)
        counts = int(reference.units[row]), int(corpus.units[other])
        places = read_at(reference, row), read_at(corpus, other)
        item = key.text, key.stream
        raise SegmentationError(_parting(reference, name, corpus, item, counts, places))
    if reference.words is None or corpus.words is None:
        return []
    # Equal lists are mostly written alike, so that bytes tell without decoding.
    own = reference.words.take(reference.item_codes[ours])
    other_words = corpus.words.take(corpus.item_codes[theirs])
    both = (own.sizes > 0) & (other_words.sizes > 0) & (own.hashes != other_words.hashes)
    unlike = [reference.key(int(row))[:2] for row in ours[both]]
    return words_that_differ(
        {item: reference.tokens[item] for item in unlike},
        corpus.tokens,
        (reference.name, name),
        reference.unit,
    )


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
        if share > MAX_OTHER_WORDS and len(a) >= MIN_UNITS:
            raise SegmentationError(
                _other_text(item, share, _first_difference(a, b, unit), names, unit)
            )
        if share and not other_words:
            first, other_words = item, True
    place = _first_difference(*differing[first], unit)
    return [
        f"the words of {_texts(list(dict.fromkeys(text for text, _ in differing)))} differ between "
        f"{names[0]} and {names[1]}, with the same number of {unit}s; "
        f"{item_name(first)}: they {place}"
        + ("; if the words differ, fencepost resegment compares them" if other_words else "")
    ]


# Share of units from which two texts are hardly the same. In a text of fewer units than the second
# number, a handful of other spellings is most of it.
MAX_OTHER_WORDS, MIN_UNITS = 0.5, 5


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
        f"{item_name(item)}: {share:.0%} of the {unit}s in {names[0]} and {names[1]} are different "
        f"words, so this is hardly the same text; they {place}. If the words differ (recognition, "
        "translation), use fencepost resegment; if they are only written differently, remove "
        "them from one side (fencepost convert FILE sizes.json)"
    )


def _parting(
    reference: Corpus,
    name: str,
    corpus: Corpus,
    item: Item,
    units: tuple[int, int],
    places: tuple[str, str],
) -> str:
    unit = reference.unit
    start = (
        f"{item_name(item)}: {reference.name} has {units[0]} {unit}s{places[0]}, "
        f"{name} {units[1]}{places[1]}"
    )
    ours, theirs = reference.tokens.get(item), corpus.tokens.get(item)
    if ours and theirs:
        start += f"; they {_first_difference(ours, theirs, unit)}"
    given = {"probabilities", "threshold"} & corpus.source.choices.keys()
    if given and corpus.source.shape.startswith("one row per {unit}"):
        way = "add" if units[1] < units[0] else "remove"
        return (
            f"{start}. A row is a {unit} with its probability: {way} "
            f"{plural(abs(units[0] - units[1]), 'row')} of {item_name(item)} in "
            f"{corpus.source.file or name}"
        )
    if given:
        instead = " instead of --flags" * ("flags" in corpus.source.choices)
        return (
            f"{start}. A text of {plural(units[0], unit)} takes "
            f"{plural(units[0] - 1, 'probability', 'probabilities')}, one per position (--encoding "
            f"bits{instead}), or {units[0]}, one per {unit} (--flags last or first)"
        )
    return (
        f"{start}. Boundaries can only be compared on the same units; if the words differ "
        "(recognition, translation), use fencepost resegment"
    )


def read_at(corpus: Corpus, row: int) -> str:
    """Return file and line of a row in brackets; nothing for rows that are from no file."""
    return f" ({corpus.where_read(row)})" if corpus.source.file else ""


def _first_difference(ours: Sequence[str], theirs: Sequence[str], unit: str) -> str:
    """Where two texts part, and what stands before."""
    both = enumerate(zip(ours, theirs, strict=False))
    same = next((n for n, (a, b) in both if a != b), min(len(ours), len(theirs)))
    shown = [f'"{w[same]}"' if same < len(w) else "the end" for w in (ours, theirs)]
    before = " ".join(ours[max(0, same - 4) : same])[-40:]
    context = f' (after "{before}")' if before else ""
    return f"part at {unit} {same + 1}: {shown[0]} / {shown[1]}{context}"


def how_read(corpora: Iterable[Corpus]) -> dict[str, str]:
    """Return choices made while reading, for the signature; where sides differ, both are named."""
    fields: dict[str, str] = {}
    for corpus in corpora:
        for key, value in corpus.source.choices.items():
            known = fields.get(key, value)
            fields[key] = value if known == value else f"{known}+{value}"
    return fields
