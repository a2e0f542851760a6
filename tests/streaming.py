"""Streams and logs for the tests of files."""

import json
import re

import pytest

from fencepost.formats.options import FormatError
from fencepost.model.documents import ReferenceDocument, ReferenceSet, Segment
from fencepost.streams.documents import StreamError


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
