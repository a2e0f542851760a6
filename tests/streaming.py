"""Streams and logs for the tests of files."""

import json
import re

import numpy as np
import pytest

from fencepost.formats.options import FormatError
from fencepost.model.checks import offsets_of
from fencepost.model.documents import ReferenceDocument, ReferenceSet, Segment
from fencepost.model.words import end_to_end, number
from fencepost.streams.alignment import Streams
from fencepost.streams.documents import StreamError


def laid_out(documents, breaks=None, forbidden=None, marks=None):
    """Lay out (hypothesis, segments) pairs; each segment is a list of references.

    ``breaks`` and ``forbidden`` list positions, document by document; ``marks`` are words.
    """
    hyps = [hyp for hyp, _ in documents]
    segments = [own for _, several in documents for own in several]
    texts = [*hyps, *(reference for own in segments for reference in own)]
    columns = number(texts)
    known = dict.fromkeys(word for text in texts for word in text)
    return Streams(
        *end_to_end(columns[: len(hyps)]),
        *end_to_end(columns[len(hyps) :]),
        offsets_of([len(own) for own in segments]),
        offsets_of([len(several) for _, several in documents]),
        *(None if own is None else _flags(own, hyps) for own in (breaks, forbidden)),
        None if marks is None else np.array([word in marks for word in known], dtype=np.uint8),
    )


def _flags(positions, hyps):
    sides = zip(positions, hyps, strict=True)
    return np.array([i in own for own, hyp in sides for i in range(len(hyp) + 1)], dtype=np.uint8)


def references_of(found):
    return [segment.references for segment in found.segments]


def texts(found):
    return {stream.id: stream.text for stream in found}


def delayed(stream):
    return [(stream.text[w.first : w.last], w.delay, w.elapsed) for w in stream.words]


def refuses(sentence, error=(FormatError, StreamError)):
    """The whole sentence, word for word."""
    return pytest.raises(error, match=f"^{re.escape(sentence)}$")


def refs(*ids):
    return ReferenceSet(tuple(ReferenceDocument(one, (Segment(("x",)),)) for one in ids), "ref.txt")


def instance(**fields):
    return json.dumps(fields) + "\n"


def step(new, old=(), time=2.0, computation=0.5, client=7):
    return instance(
        id=client,
        total_audio_processed=time,
        computation_time=computation,
        generated_tokens=list(new),
        deleted_tokens=list(old),
    )


HEADER = instance(model_loading_time=5.9) + instance(id=7, metadata={"wav_name": "d/ted_1.wav"})
