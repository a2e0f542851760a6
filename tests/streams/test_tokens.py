"""Tokens of streams: nothing is lost, places are right, and words are compared as they should."""

import io
import re
import sys
import unicodedata
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from fencepost import _core
from fencepost.model.checks import FencepostError
from fencepost.model.words import number
from fencepost.streams.characters import bits_of, count_letters
from fencepost.streams.tokens import (
    NAMES,
    SACREBLEU,
    TokenError,
    comparable,
    find_again,
    tokenizer,
)
from oracle import tokens as oracle

# Texts of many scripts, with marks, joiners, controls and all kinds of spaces among them.
ALPHABET = (
    "abZß'’-‐_.,!?()«»“”„¿%$0123 \t\n\u00a0\u2003\u3000"
    "ée\u0301अनुहिंдИ한국עברית\u200f\u200d\u200c\u00ad\u200b\x00"
    "这是。，々〇ひらカター・ｶﾞﾊﾟ\u3099ภาษาไทยมี์ລາວខ្មែរမြန်မာ👩👧\U0001f3fd\ufe0f𠀋½ﬁＡ…"
)
texts = st.text(ALPHABET, max_size=40) | st.text(max_size=20)
# And what rules could stumble over: runs of one sign, joiners and marks where none belong, every
# kind of no-break space, controls, and halves of surrogate pairs.
ODD = (
    "aé'’＇-‐‑__..\u200d\u200d\u0301\ufe0f\u20e3\u2060\ufeff\u202f\u2007\u00a0\x1c\x85\u2028\n \r"
    '「」『（)(]¿¡«»‹„“"⼈⺀﹏゙゚ﾞﾟー\u0e31\u0eb1\u17d2\u1039\uaa7b\ua9e5🇩🇪🏴\U000e0067\U000e007f\U000e0100'
    "\ud83d\udc00\U0001b000\U00031350\U0003fffe\U0010fffd½²Ⅷ٣߀\u0378İſﬃ\u1e9e㍿ﷺ"
)
odd_texts = (
    st.text(ODD, max_size=30)
    | st.text(ODD + ALPHABET, max_size=40)
    | st.text(st.characters(), max_size=20)
    | st.text(st.characters(max_codepoint=0xFF), max_size=20)
)


def unseen(character):
    return character.isspace() or unicodedata.category(character) in ("Cc", "Cf")


# Laws of all tokenizers.


@pytest.mark.parametrize("name", NAMES)
@given(texts)
def test_places_increase_and_nothing_is_left_out(name, text):
    tokens = tokenizer(name, case="keep").find(text)
    flat = [place for span in tokens for place in span]
    assert flat == sorted(flat)
    assert all(start < end for start, end in tokens)
    covered = np.zeros(len(text), dtype=bool)
    for start, end in tokens:
        covered[start:end] = True
    left_out = [c for c, inside in zip(text, covered, strict=True) if not inside]
    assert all(map(unseen if name != "whitespace" else str.isspace, left_out))
    assert not any(c.isspace() for c, inside in zip(text, covered, strict=True) if inside)


@pytest.mark.parametrize("name", ["words", "characters"])
@pytest.mark.parametrize("punctuation", ["keep", "remove"])
@given(st.lists(texts, min_size=1, max_size=5))
def test_many_texts_are_as_one_by_one(name, punctuation, many):
    reader = tokenizer(name, punctuation=punctuation)
    together = reader.many(many)
    for text, read in zip(many, together, strict=True):
        alone = reader.tokens(text)
        assert read.text == text
        assert read.words == alone.words
        assert read.spans == alone.spans
        assert read.inside.tolist() == alone.inside.tolist()
    # Words of texts put together are the words of each.
    assert reader.tokens("\n".join(many)).words == [w for read in together for w in read.words]


@pytest.mark.parametrize("punctuation", ["keep", "remove"])
@given(texts, st.data())
def test_pieces_keep_the_text(punctuation, text, data):
    tokens = tokenizer(punctuation=punctuation).tokens(text)
    inner = data.draw(st.lists(st.integers(0, len(tokens)), max_size=4).map(sorted))
    boundaries = [0, *inner, len(tokens)]
    pieces = tokens.pieces(boundaries)
    assert len(pieces) == len(boundaries) - 1
    assert "".join("".join(pieces).split()) == "".join(text.split())
    places = tokens.cuts()
    assert (np.diff(places) >= 0).all()
    # A boundary cuts between the tokens on its two sides.
    assert (places[:-1] <= tokens.starts).all()
    assert (places[1:] >= tokens.ends).all()


@given(texts)
def test_words_of_words_are_words(text):
    words = tokenizer(case="keep").tokens(text).words
    spaced = [word for word in words if not re.search(r"[\s\u200b-\u200f]", word)]
    for word in spaced:
        if unicodedata.is_normalized("NFKC", word) and not unicodedata.combining(word[0]):
            again = tokenizer(case="keep").tokens(word)
            assert "".join(again.words) == word


@pytest.mark.parametrize("name", [*NAMES, "13a", "zh", "intl", "char", str.split])
def test_empty_texts(name):
    reader = tokenizer(name)
    for text in ("", " ", "\n\t\u3000"):
        tokens = reader.tokens(text)
        assert (len(tokens), tokens.words, tokens.spans) == (0, [], [])
        assert tokens.pieces([0, 0, 0]) == ["", ""]
    assert reader.many([]) == []
    assert [len(tokens) for tokens in reader.many(["", "a b", ""])] == [
        0,
        2,
        0,
    ]


# The native scanner finds what the regular expressions find.


SETTINGS = [(case, marks) for case in ("fold", "keep") for marks in ("keep", "remove")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("case", "punctuation"), SETTINGS)
@given(st.lists(odd_texts, max_size=6), st.lists(odd_texts, max_size=3))
def test_columns_are_the_tokens_of_each_text(name, case, punctuation, first, second):
    reader = replace(tokenizer(name, case=case, punctuation=punctuation), guarded=False)
    sides = reader.columns(first, second)
    words = []
    for texts, side in zip([first, second], sides, strict=True):
        expected = [oracle.read(name, text, case, punctuation) for text in texts]
        words += [read.words for read in expected]
        assert len(side) == len(texts)
        assert side.cuts().tolist() == [place for read in expected for place in read.cuts]
        for t, (text, read) in enumerate(zip(texts, expected, strict=True)):
            one = side[t]
            assert (one.text, one.words, one.spans) == (text, read.words, read.spans)
            assert one.inside.tolist() == read.inside
            assert one.cuts().tolist() == read.cuts
            assert side.words(t) == one.words
    # Numbers come by first appearance, side after side.
    columns = number(words)
    size = len({word for own in words for word in own})
    together = [one for side in sides for one in side.ids.tolist()]
    assert together == [one for column in columns for one in column.tolist()]
    assert all(side.vocabulary is sides[0].vocabulary for side in sides)
    assert len(sides[0].vocabulary) == size


@pytest.mark.slow
@pytest.mark.parametrize("rule", [*NAMES, "spaced words"])
def test_every_character_is_as_in_the_regular_expressions(rule):
    # Alone, between letters, after a sign and a joiner, and with marks.
    for around in ("{0} ", "a{0}b ", ".\u200d{0}{0} ", "这{0}\u0301{0} "):
        for page in range(0, 0x110000, 0x1000):
            text = "".join(around.format(chr(code)) for code in range(page, page + 0x1000))
            _, starts, ends = _core.split_texts((text,), bits_of((text,)), rule)
            found = list(zip(starts.tolist(), ends.tolist(), strict=True))
            assert found == oracle.split(rule, text), (around, hex(page))


@given(odd_texts)
def test_letters_of_scripts_are_counted(text):
    assert count_letters(text) == oracle.count_letters(text)


@given(st.lists(odd_texts, max_size=4))
def test_marks_are_tokens_of_punctuation_only(many):
    (read,) = tokenizer("characters").columns(many)
    kinds = [{unicodedata.category(c)[0] for c in form} for form in read.vocabulary]
    assert read.marks().tolist() == [kind == {"P"} for kind in kinds]


def test_marks_are_not_symbols():
    (read,) = tokenizer("whitespace").columns(["... ?! a. $ + % — «»"])
    marks = [form for form, mark in zip(read.vocabulary, read.marks(), strict=True) if mark]
    assert marks == ["...", "?!", "%", "—", "«»"]


def test_columns_of_other_tokenizers():
    for given_tokenizer in ("13a", "intl", str.split):
        reader = tokenizer(given_tokenizer, punctuation="remove")
        hyp, none, ref = reader.columns(["The cat, sat."], [], ["", "a Cat ... sat", "THE"])
        alone = [reader.tokens(text) for text in ("The cat, sat.", "", "a Cat ... sat", "THE")]
        for one, expected in zip([hyp[0], *(ref[t] for t in range(3))], alone, strict=True):
            assert (one.words, one.spans) == (expected.words, expected.spans)
            assert one.inside.tolist() == expected.inside.tolist()
        assert (len(none), none.offsets.tolist(), none.cuts().tolist()) == (0, [0], [])
        assert hyp.ids.tolist() == [0, 1, 2]
        assert ref.ids.tolist() == [3, 1, 2, 0]
        assert ref.offsets.tolist() == [0, 0, 3, 4]


def test_columns_name_the_side_in_errors():
    reader = tokenizer(lambda text: text.lower().split())
    with pytest.raises(TokenError, match=r"^ref\.txt: text 2: token 1"):
        reader.columns(["a"], ["", "The cat"], where=["hyp.txt", "ref.txt"])
    with pytest.raises(TokenError, match=r"^ref\.txt, text 2: a text is a str, found 3"):
        tokenizer().columns(["a"], ["b", 3], where=["hyp.txt", "ref.txt"])
    with pytest.raises(TokenError, match=r"^ref\.txt is 100% Han characters"):
        tokenizer("whitespace").columns(["a"], ["这是第一句话今天"], where=["hyp.txt", "ref.txt"])
    read = tokenizer().columns(["a b", "c"])[0]
    assert read[-1].words == ["c"]
    with pytest.raises(IndexError):
        read[2]


@pytest.mark.parametrize("name", [*NAMES, "13a", "intl", "zh", "char", "none", str.split])
@pytest.mark.parametrize("space", ["\u00a0", "\u2007", "\u202f"])
def test_a_no_break_space_is_a_space(name, space):
    reader = tokenizer(name)
    text = "« Oui » 10 km"
    expected, found = reader.tokens(text), reader.tokens(text.replace(" ", space))
    assert (found.words, found.spans) == (expected.words, expected.spans)
    assert found.pieces([0, len(found)]) == [text.replace(" ", space)]
    assert reader.tokens(f"{space}a{space}").pieces([0, 1]) == ["a"]


@pytest.mark.parametrize("joiner", ["\u2060", "\ufeff"])
def test_joiners_without_width_are_no_spaces(joiner):
    assert len(tokenizer("whitespace").tokens(f"a{joiner}b")) == 1
    assert tokenizer("characters").tokens(f"a{joiner}b").words == ["a", "b"]


# What a word is.


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't stop; it’s rock-n-roll!", "Don't|stop|;|it’s|rock-n-roll|!"),
        ("'tis the dogs' well--known -x- 1914-18", "'|tis|the|dogs|'|well|--|known|-|x|-|1914-18"),
        ("3.14 1,000 50% $5 user_name", "3|.|14|1|,|000|50|%|$|5|user|_|name"),
        ("what?! no... (yes)", "what|?|!|no|...|(|yes|)"),
        ("e\u0301te\u0301 naïve हिन्दी", "été|naïve|हिन्दी"),
        ("一只iPhone用3天。", "一|只|iPhone|用|3|天|。"),
        ("カタカナ、ひらがなー", "カ|タ|カ|ナ|、|ひ|ら|が|な|ー"),
        ("ｶﾞﾊﾟｱ か\u3099", "ガ|パ|ア|が"),
        ("ภาษาไทย ๒๕๖๘ มี", "ภ|า|ษ|า|ไ|ท|ย|๒๕๖๘|มี"),
        ("ລາວ ខ្មែរ မြန်မာ", "ລ|າ|ວ|ខ្|មែ|រ|မြ|န်|မာ"),
        ("한국어 텍스트", "한국어|텍스트"),
        ("می\u200cخواهم co\u00adop \u200fשלום\u200f", "می\u200cخواهم|coop|שלום"),
        ("👩\u200d👩\u200d👧 ok ❤\ufe0f", "👩\u200d👩\u200d👧|ok|❤\ufe0f"),
        ("a</s>b", "a|<|/|s|>|b"),
        ("a\x00b \ufeffc", "a|b|c"),
        ("々〇𠀋", "々|〇|𠀋"),
    ],
)
def test_words(text, words):
    expected = [unicodedata.normalize("NFKC", word) for word in words.split("|")]
    assert tokenizer(case="keep").tokens(text).words == expected


def test_whitespace_and_characters():
    text = "Hello,\u00a0world\u3000e\u0301s 这"
    assert tokenizer("whitespace").tokens(text).words == ["hello,", "world", "és", "这"]
    read = tokenizer("characters").tokens("don't 这是 e\u0301s")
    assert read.words == ["d", "o", "n", "'", "t", "这", "是", "é", "s"]
    assert read.inside.tolist() == [False, True, True, True, True, False, False, False, True]


def test_places_are_those_of_the_text_itself():
    text = "  ＦＵＬＬ  Straße… ﬁn"
    read = tokenizer().tokens(text)
    assert read.words == ["full", "strasse", "...", "fin"]
    assert [text[a:b] for a, b in read.spans] == ["ＦＵＬＬ", "Straße", "…", "ﬁn"]
    assert read.pieces([0, 2, 4]) == ["ＦＵＬＬ  Straße", "… ﬁn"]


# Comparison.


def test_case_is_folded_as_unicode_says():
    assert comparable("STRASSE") == comparable("straße") == "strasse"
    assert comparable("ΣΊΣΥΦΟΣ") == comparable("σίσυφος")
    assert comparable("ДА") == "да"
    assert comparable("Straße", case="keep") == "Straße"


@given(st.text(max_size=10))
def test_comparable_is_final(token):
    for case in ("fold", "keep"):
        for punctuation in ("keep", "remove"):
            once = comparable(token, case, punctuation)
            assert comparable(once, case, punctuation) == once


def test_punctuation_removed_stays_in_the_text():
    reader = tokenizer(punctuation="remove")
    text = 'Dijo: ¿Qué? « Oui » „foo“ bar (baz) "qux" end... — ok, 50%.'
    read = reader.tokens(text)
    assert read.words == ["dijo", "qué", "oui", "foo", "bar", "baz", "qux", "end", "ok", "50"]
    assert read.pieces(range(len(read) + 1)) == [
        "Dijo:", "¿Qué?", "« Oui »", "„foo“", "bar", "(baz)", '"qux"', "end... —", "ok,", "50%.",
    ]  # fmt: skip
    assert reader.tokens("说：“你好。”他").pieces([0, 1, 3, 4]) == ["说：", "“你好。”", "他"]


def test_punctuation_is_removed_from_the_ends_of_other_tokens_too():
    read = tokenizer("whitespace", punctuation="remove").tokens("«Well, don't...» — 3.5!")
    assert read.words == ["well", "don't", "3.5"]
    assert read.spans == [(0, 6), (7, 16), (19, 23)]
    assert len(tokenizer(punctuation="remove").tokens("?! ...")) == 0
    assert tokenizer(punctuation="remove").tokens("?! ...").pieces([0, 0, 0]) == ["?! ...", ""]


def test_fields_of_a_signature():
    assert tokenizer().fields == {"tok": "words", "case": "fold", "punct": "keep", "norm": "nfkc"}
    own = tokenizer("13a", case="keep", punctuation="remove").fields
    assert list(own.values()) == ["13a", "keep", "remove", "nfkc"]


# Scripts without spaces.


def test_text_without_spaces_is_refused_where_spaces_are_needed():
    chinese = "这是第一句话。这是第二个句子 今天天气很好 GDP"
    with pytest.raises(
        TokenError,
        match=r"^hyp\.txt is 82% Han characters with almost no spaces, so whitespace finds 3 "
        r"words\. Use --tokenizer words\.$",
    ):
        tokenizer("whitespace").tokens(chinese, "hyp.txt")
    japanese = "これは最初の文です今日はいい天気です"
    with pytest.raises(TokenError, match=r"is 100% Han and Kana characters .* finds 1 word"):
        tokenizer("whitespace").tokens(japanese)
    with pytest.raises(TokenError, match="Thai characters"):
        tokenizer("whitespace").tokens("ภาษาไทยง่ายนิดเดียวครับผม")
    for name in ("13a", "intl", "none"):
        with pytest.raises(TokenError, match=f"so {name} finds"):
            tokenizer(name).tokens(chinese)
    for name in ("words", "characters", "zh", "char"):
        assert len(tokenizer(name).tokens(chinese)) > 20


def test_text_that_was_divided_into_words_is_welcome():
    whitespace = tokenizer("whitespace")
    assert len(whitespace.tokens("这 是 第一 句 话")) == 5
    assert len(whitespace.tokens("ภาษา ไทย ง่าย นิดเดียว")) == 4
    assert len(whitespace.tokens("안녕하세요 세계")) == 2
    assert (
        len(whitespace.tokens("The word 这是第一句话这是 stands in an English sentence here")) == 9
    )


# Other tokenizers.


@pytest.mark.parametrize("name", ["13a", "intl", "zh", "char", "none"])
@given(st.lists(st.text("ab'-.,&;<\"é这。 12", max_size=20), min_size=1, max_size=4))
def test_sacrebleu_s_tokens_have_places(name, lines):
    import sacrebleu

    split = sacrebleu.BLEU(tokenize=name).tokenizer
    reader = tokenizer(name, case="keep")
    found = [token for line in lines for token in split(line).split()]
    text = "\n".join(lines)
    assert [text[a:b] for a, b in reader.find(text)] == found
    assert set(SACREBLEU) == set(sacrebleu.BLEU.TOKENIZERS)


def test_13a_reads_entities():
    text = "He said &quot;x &amp; y&quot; &lt;b&gt; & c"
    read = tokenizer("13a").tokens(text)
    assert [text[a:b] for a, b in read.spans] == [
        "He", "said", "&quot;", "x", "&amp;", "y", "&quot;", "&lt;", "b", "&gt;", "&", "c",
    ]  # fmt: skip


def test_a_boundary_never_falls_inside_a_word():
    read = tokenizer("intl").tokens("don't do-it, now")
    assert read.words == ["don", "'", "t", "do", "-", "it", ",", "now"]
    assert read.inside.tolist() == [False, True, True, False, True, True, False, False]
    halves = tokenizer(lambda text: [text[i : i + 2] for i in range(0, len(text), 2)])
    assert halves.tokens("abcdef").inside.tolist() == [False, True, True]
    assert not tokenizer().tokens("don't do-it, now").inside.any()


def test_a_function_as_tokenizer():
    def letters(text):
        return re.findall(r"\w+", text)

    reader = tokenizer(letters)
    assert reader.fields["tok"] == "letters"
    read = reader.tokens("(The) cat's  mat!")
    assert read.words == ["the", "cat", "s", "mat"]
    assert read.spans == [(1, 4), (6, 9), (10, 11), (13, 16)]
    assert tokenizer(reader) is reader
    assert tokenizer(lambda text: iter(["", *text.split(), ""])).tokens("a b").words == ["a", "b"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t: t.lower().split(), r'token 1 of .* is "the", but the text goes on with "The'),
        (lambda t: [t.split()[0], *t.split()[2:]], r'on with "cat sat" \(character 4\)'),
        (lambda t: t.split()[1:], r'token 1 .* is "cat", but the text goes on with "The cat sat"'),
        (lambda t: t.split()[:-1], r'end before "sat" \(character 8\)'),
        (lambda t: [*t.split(), "x"], r'token 4 .* is "x", but the text goes on with "" '),
        (lambda t: t, "must return a list of str, found 'The cat sat'"),
        (lambda t: None, "must return a list of str, found None"),
        (lambda t: [1], "token 1 of .* is 1, not a str"),
    ],
)
def test_tokens_that_are_not_in_the_text(function, message):
    with pytest.raises(TokenError, match=rf"^ref\.txt: .*{message}"):
        tokenizer(function).tokens("The cat sat", "ref.txt")


def test_the_text_and_the_line_are_named():
    with pytest.raises(TokenError, match=r"^ref\.txt: text 2: token 1"):
        tokenizer(lambda text: text.lower().split()).many(["", "The cat"], "ref.txt")
    with pytest.raises(TokenError, match=r"^hyp\.txt: line 2: token 2 of the tokenizer 13a"):
        tokenizer("13a").tokens("one\na <skipped> b", "hyp.txt")


def test_what_is_no_tokenizer_is_refused():
    with pytest.raises(TokenError, match='no tokenizer "word"; there are words, whitespace'):
        tokenizer("word")
    with pytest.raises(TokenError, match=r"a tokenizer is a name, the path .* found 3"):
        tokenizer(3)
    with pytest.raises(TokenError, match="case must be fold or keep, found 'lower'"):
        tokenizer(case="lower")
    with pytest.raises(TokenError, match="punctuation must be keep or remove, found True"):
        tokenizer(punctuation=True)
    with pytest.raises(TokenError, match="the text, text 2: a text is a str, found None"):
        tokenizer().many(["a", None])
    with pytest.raises(TokenError, match="expected a list of texts, found one text 'a b'"):
        tokenizer().many("a b")
    assert issubclass(TokenError, FencepostError)


def test_what_is_not_installed_is_said(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ImportError, match=r"13a needs sacrebleu.*pip install 'fencepost\[mt\]'"):
        tokenizer("13a")
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ImportError, match=r"pip install 'fencepost\[spm\]'"):
        tokenizer(tmp_path / "some.model")


# SentencePiece.


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small model, trained on the spot."""
    lines = [
        "the cat sat on the mat",
        "a cat sat down",
        "this is the first sentence",
        "这是第一句话",
    ]
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines * 20),
        model_writer=written,
        vocab_size=45,
        character_coverage=1.0,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    path = tmp_path_factory.mktemp("spm") / "small.model"
    path.write_bytes(written.getvalue())
    return path


def test_a_sentencepiece_model(model):
    reader = tokenizer(model)
    assert re.fullmatch(r"spm-[0-9a-f]{8}", reader.name)
    assert tokenizer(str(model)).name == reader.name
    text = "The  cat, sat… 这是ＯＫ"
    read = reader.tokens(text)
    assert "".join(read.words) == "thecat,sat...这是ok"
    assert "".join(text[a:b] for a, b in read.spans) == "".join(text.split())
    # Boundaries fall between words, before punctuation and before Han characters only.
    starts = read.starts[~read.inside].tolist()
    assert {text[start] for start in starts} <= {"T", "c", ",", "s", "…", "这", "是", "Ｏ"}


@pytest.mark.parametrize("space", ["\u00a0", "\u2007", "\u202f"])
def test_a_no_break_space_is_a_space_to_a_model(model, space):
    reader = tokenizer(model)
    assert reader.find(f"the{space}cat") == reader.find("the cat")


@given(text=texts)
def test_pieces_of_a_model_have_places(model, text):
    spans = tokenizer(model).find(text)
    assert all(a < b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(TokenError, match="no SentencePiece model"):
        tokenizer(tmp_path / "none.model")
    (tmp_path / "bad.model").write_bytes(b"no model")
    with pytest.raises(TokenError, match="is not a SentencePiece model"):
        tokenizer(tmp_path / "bad.model")


# Places found again, and numbers for words.


@given(st.lists(st.text("ab,", min_size=1, max_size=3), max_size=8), st.data())
def test_tokens_are_found_where_they_were_put(tokens, data):
    text, places = "", []
    for token in tokens:
        text += data.draw(st.sampled_from(["", " ", "  ", "\n"]))
        places.append((len(text), len(text) + len(token)))
        text += token
    assert find_again(text, tokens, "mine") == places


@given(st.lists(st.lists(st.text("abc", max_size=2), max_size=6), max_size=5))
def test_the_same_word_has_the_same_number(lists):
    columns = number(lists)
    assert all(column.dtype == np.int32 for column in columns)
    pairs = {
        (word, one)
        for words, column in zip(lists, columns, strict=True)
        for word, one in zip(words, column.tolist(), strict=True)
    }
    assert len(pairs) == len({word for words in lists for word in words})
    assert {one for _, one in pairs} == set(range(len(pairs)))
