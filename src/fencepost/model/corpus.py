"""Texts with their segmentations by one or more coders, as files hold them."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from fencepost.model.checks import SegmentationError
from fencepost.model.given import items_of, refuse_table, rows
from fencepost.model.pairs import merge_vocabularies
from fencepost.model.segmentation import Segmentation, as_segmentation


class Key(NamedTuple):
    """Whose segmentation of which stream of which text; stream "" is a text with only one."""

    text: str
    stream: str
    coder: str


@dataclass(frozen=True)
class Corpus:
    """Segmentations by text, stream and coder.

    Streams are the participants of a conversation: their counts are added before a text gets a
    value. ``tokens`` holds the words or sentences themselves where they are known, by text and
    stream; ``sources`` says where each segmentation was read; ``reading`` holds choices made
    while reading that change the numbers (``{"flags": "last"}``), for the signature.

    >>> from fencepost import Corpus
    >>> c = Corpus.from_dict({"ch1": {"an1": [5, 5], "an2": [4, 6]}, "ch2": {"an1": [3, 3]}})
    >>> c
    <Corpus of 2 texts, 2 coders, 3 segmentations>
    >>> c["ch1", "an2"]
    Segmentation(units=10, cuts=[4])
    """

    entries: Mapping[Key, Segmentation]
    tokens: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    sources: Mapping[Key, str] = field(default_factory=dict)
    reading: Mapping[str, str] = field(default_factory=dict)
    name: str = "corpus"
    unit: str = "unit"
    column: str | None = None  # the field or column of the file that holds the segmentations
    anonymous: bool = False  # the file gives its one text no name of its own
    numbered: bool = False  # texts have no names: they are called by the numbers of their lines
    notes: tuple[str, ...] = ()  # what a person should know of how files came together

    @classmethod
    def from_dict(cls, given: Mapping[Any, Any], name: str = "corpus") -> Corpus:
        """From ``{text: {coder: Segmentation or masses}}``; texts may be ``(text, stream)``.

        One segmentation instead of the inner dict is coder "1"; a list of several are coders
        "1", "2" and so on.
        """
        refuse_table(given, name)
        if items_of(given) is None:
            raise SegmentationError(f"a corpus is a dict of texts, found {type(given).__name__}")
        return cls.from_given(given, name)

    @classmethod
    def from_given(cls, given: Any, name: str) -> Corpus:
        """From whatever ``fp.score`` takes for one side: a Corpus, a mapping or a list of texts."""
        if isinstance(given, Corpus):
            return given
        entries: dict[Key, Segmentation] = {}
        for text, stream, coder, value in rows(given, name):
            key = Key(text, stream, coder)
            if key in entries:
                raise SegmentationError(f"{_named(key)} is given twice")
            entries[key] = as_segmentation(value, _named(key))
        return cls(entries, name=name)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, key: tuple[str, ...]) -> Segmentation:
        """``corpus[text, coder]`` or ``corpus[text, stream, coder]``."""
        full = Key(*key) if len(key) == 3 else Key(key[0], "", key[1])
        if full not in self.entries:
            raise KeyError(f"{self.name} has no segmentation of {_named(full)}")
        return self.entries[full]

    @property
    def texts(self) -> list[str]:
        """The texts in the order they were given."""
        return list(dict.fromkeys(key.text for key in self.entries))

    @property
    def coders(self) -> list[str]:
        """The coders in the order they are first met."""
        return list(dict.fromkeys(key.coder for key in self.entries))

    @property
    def items(self) -> list[tuple[str, str]]:
        """The (text, stream) pairs in order."""
        return list(dict.fromkeys((key.text, key.stream) for key in self.entries))

    @property
    def kind_names(self) -> tuple[str, ...] | None:
        """The kinds of the task: all that any coder names; None where cuts have no kinds."""
        named = [s.kind_names for s in self.entries.values() if s.kind_names is not None]
        return merge_vocabularies(named) if named else None

    def of(self, coder: str) -> dict[tuple[str, str], Segmentation]:
        """One coder's segmentations by (text, stream)."""
        return {(k.text, k.stream): s for k, s in self.entries.items() if k.coder == coder}

    def title(self, text: str) -> str:
        """A text's own name: none where it is only called as its file is.

        What must not change when a file gets another name (draws, fingerprints) goes by this.
        """
        return "" if self.anonymous else text

    def where(self, texts: Iterable[str]) -> Corpus:
        """Only these texts."""
        wanted = set(texts)
        return replace(self, entries={k: s for k, s in self.entries.items() if k.text in wanted})

    def renamed(self, text: str) -> Corpus:
        """The only text under another name."""
        return replace(
            self,
            entries={key._replace(text=text): seg for key, seg in self.entries.items()},
            tokens={(text, stream): words for (_, stream), words in self.tokens.items()},
            sources={key._replace(text=text): where for key, where in self.sources.items()},
        )

    def rename_coders(self, names: Mapping[tuple[str | None, str], str]) -> Corpus:
        """Coders under other names, by (text, coder), or (None, coder) for all texts.

        Others keep theirs. Names may bring together what one person did under several.
        """
        entries: dict[Key, Segmentation] = {}
        sources: dict[Key, str] = {}
        for key, seg in self.entries.items():
            name = names.get((key.text, key.coder), names.get((None, key.coder), key.coder))
            new = key._replace(coder=name)
            if new in entries:
                raise SegmentationError(f"{_named(new)} would stand for two coders")
            entries[new] = seg
            if key in self.sources:
                sources[new] = self.sources[key]
        return replace(self, entries=entries, sources=sources)

    def anonymized(self, keep: str | None = None) -> Corpus:
        """Coders as "coder A", "coder B", ..., in an order that neither names nor the file decide.

        The order is that of a digest of what each of them did, so a letter says nothing about a
        person that the cuts themselves do not. One of them may ``keep`` its name.
        """
        others = [name for name in self.coders if name != keep]
        done: dict[str, list[bytes]] = {name: [] for name in others}
        for key, seg in self.entries.items():
            if key.coder != keep:
                done[key.coder].append(repr((key.text, key.stream)).encode() + _content(seg))
        digests = {name: hashlib.blake2b(b"\n".join(sorted(own))) for name, own in done.items()}
        order = sorted(others, key=lambda name: digests[name].digest())
        free = (f"coder {_letters(i)}" for i in itertools.count())
        letters: dict[tuple[str | None, str], str] = {
            (None, name): letter
            for name, letter in zip(order, (one for one in free if one != keep), strict=False)
        }
        new = self.rename_coders(letters)
        number = {item: i for i, item in enumerate(new.items)}
        # Texts keep their order; within a text the letters' order says nothing of the file's.
        ordered = sorted(
            new.entries, key=lambda k: (number[k.text, k.stream], len(k.coder), k.coder)
        )
        return replace(new, entries={key: new.entries[key] for key in ordered}, sources={})

    def check_streams(self) -> None:
        """Refuse a coder who annotated a text but not all of its streams."""
        if not any(key.stream for key in self.entries):
            return
        streams: dict[str, dict[str, None]] = {}
        coders: dict[str, dict[str, set[str]]] = {}
        for text, stream, coder in self.entries:
            streams.setdefault(text, {})[stream] = None
            coders.setdefault(text, {}).setdefault(coder, set()).add(stream)
        for text, own in streams.items():
            for coder, done in coders[text].items():
                for stream in own:
                    if stream not in done:
                        raise SegmentationError(
                            f"text {text}: {coder} lacks the stream {stream!r}, which another "
                            "coder has; all streams of a text belong together"
                        )

    def fingerprint(self) -> str:
        """Eight characters that stand for texts and cuts: two people can see if they agree."""
        parts = []
        for key, seg in self.entries.items():
            kinds = [] if seg.kinds is None else [(seg.kind_names or ())[k - 1] for k in seg.kinds]
            start = repr((self.title(key.text), key.stream, seg.units, kinds)).encode()
            parts.append((key.text, key.stream, start + seg.cuts.astype("<i8").tobytes()))
        digest = hashlib.blake2b(digest_size=4)
        for *_, part in sorted(parts):  # whatever the coders are called
            digest.update(part)
        return digest.hexdigest()

    def __repr__(self) -> str:
        counts = (len(self.texts), "text"), (len(self.coders), "coder"), (len(self), "segmentation")
        return "<Corpus of " + ", ".join(f"{n} {what}{'s' * (n != 1)}" for n, what in counts) + ">"


def _content(seg: Segmentation) -> bytes:
    """What was cut, whoever did it."""
    kinds = [] if seg.kinds is None else [(seg.kind_names or ())[k - 1] for k in seg.kinds]
    return repr((seg.units, seg.cuts.tolist(), kinds)).encode()


def _letters(number: int) -> str:
    """A to Z, then AA, AB and so on."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _named(key: Key) -> str:
    stream = f", {key.stream}" if key.stream else ""
    return f"text {key.text}{stream} by coder {key.coder}"
