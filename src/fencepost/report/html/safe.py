"""Other people's text made harmless to look at: no sign of it can act on the page."""

from __future__ import annotations

import json
import re
from typing import Any

# Control characters, halves of surrogate pairs, signs that are none, and those that turn the
# direction of what follows. Joiners and marks that scripts need for their letters stay.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\ufffe\uffff]"
)
_SPACES = re.compile(r"[\t\r\n\u2028\u2029]+")


def safe(text: object) -> str:
    """Return the text on one line; a dot stands where a sign would act instead of being read.

    >>> safe("a\\u202eb\\x00\\nc")
    'a·b· c'
    """
    return _HARMFUL.sub("·", _SPACES.sub(" ", str(text)))


def script_json(data: Any) -> str:
    """JSON that may stand inside a script element, whatever texts it holds.

    >>> script_json(["</script>"])
    '["\\\\u003c/script\\\\u003e"]'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
