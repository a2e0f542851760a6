"""(stand-in until the native columns are merged)"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class TokenColumns:
    texts: Any
    offsets: Any
    ids: Any
    starts: Any
    ends: Any
    inside: Any
    vocabulary: Any
    _t: Any

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, t):
        return self._t[t]

    def words(self, t):
        return [
            self.vocabulary[i] for i in self.ids[self.offsets[t] : self.offsets[t + 1]].tolist()
        ]

    def marks(self):
        return np.array(
            [
                bool(w) and all(unicodedata.category(c)[0] == "P" for c in w)
                for w in self.vocabulary
            ],
            bool,
        )

    def cuts(self):
        return np.concatenate([t.cuts() for t in self._t]) if self._t else np.zeros(0, np.int64)


def columns(make, *sides, where=()):
    voc = {}
    out = []
    for k, texts in enumerate(sides):
        ts = (
            make.many(list(texts), where[k] if k < len(where) else "the text") if len(texts) else []
        )
        ids = np.array([voc.setdefault(w, len(voc)) for t in ts for w in t.words], dtype=np.int32)
        off = np.append(0, np.cumsum([len(t) for t in ts])).astype(np.int64)
        cat = lambda name, dt: np.concatenate([np.empty(0, dt), *(getattr(t, name) for t in ts)])
        out.append(
            (
                texts,
                off,
                ids,
                cat("starts", np.int64),
                cat("ends", np.int64),
                cat("inside", bool),
                ts,
            )
        )
    v = list(voc)
    return [TokenColumns(a, b, c, d, e, f, v, g) for a, b, c, d, e, f, g in out]
