"""Outputs of other tools that are wrong, each with the version that was run."""

from fencepost.study.findings.base import Finding

SEGEVAL = "segeval 2.0.11"
NLTK = "NLTK 3.10.4"
SEGSIMFLEX = "segsimflex 0.1.3 (R)"

FINDINGS = (
    Finding(
        "segeval-greedy-b",
        SEGEVAL,
        "Above n_t = 2, B pairs the nearest boundaries first, and can miss the cheapest pairing.",
        "segeval.boundary_similarity; below the optimum in 96, 361 and 723 of 1,500 random pairs "
        "at n_t 3, 5 and 8",
        "Two near misses (B = .333), not one and two full misses (B = .222).",
        """
        >>> import segeval
        >>> import fencepost as fp
        >>> a, b = [1, 3, 4], [3, 3, 2]
        >>> round(float(segeval.boundary_similarity(a, b, n_t=3)), 3)
        0.222
        >>> round(float(fp.boundary_similarity(a, b, n_t=3)), 3)
        0.333
        """,
        needs=("segeval",),
    ),
    Finding(
        "segeval-precision-recall",
        SEGEVAL,
        "The confusion matrix credits a near miss with its error instead of what is right, and "
        "exchanges missing and extra boundaries.",
        "segeval.boundary_confusion_matrix, from which precision, recall and F are computed",
        "At n_t = 5 a boundary one unit off is wrong by .2, so .8 of it is right.",
        """
        >>> import segeval
        >>> import fencepost as fp
        >>> near = segeval.boundary_confusion_matrix([5, 5], [6, 4], n_t=5)
        >>> float(near[1][1]), fp.b_precision([5, 5], [6, 4], n_t=5).value
        (0.2, 0.8)
        >>> hypothesis, reference = [6, 4], [10]  # one extra boundary
        >>> extra = segeval.boundary_confusion_matrix(hypothesis, reference)
        >>> extra[1][None], extra[None][1]  # predicted but not true, true but not predicted
        (0, 1)
        >>> counts = fp.b_precision(reference, hypothesis).counts
        >>> counts["extra"], counts["missing"]
        (1, 0)
        """,
        needs=("segeval",),
    ),
    Finding(
        "segeval-s-types",
        SEGEVAL,
        "With t boundary types, S is divided by t * t * (N - 1) instead of t * (N - 1).",
        "segeval.segmentation_similarity with boundary sets; equation 4 of Fournier & Inkpen "
        "(2012) has t * mass - t",
        "Two types and 6 units have 10 potential boundaries, not 20.",
        """
        >>> import segeval
        >>> import fencepost as fp
        >>> sets = [(frozenset(), frozenset(), {kind}, frozenset(), frozenset()) for kind in (1, 2)]
        >>> form = {"boundary_format": segeval.BoundaryFormat.sets, "boundary_types": {1, 2}}
        >>> segeval.segmentation_similarity(*sets, return_parts=True, **form)[1]
        20
        >>> ours = [fp.Segmentation(6, [3], [kind], ("1", "2")) for kind in (1, 2)]
        >>> fp.segmentation_similarity(*ours).counts["places"]
        10
        """,
        needs=("segeval",),
    ),
    Finding(
        "segeval-substitution",
        SEGEVAL,
        "B prices a substitution by the types of the two texts, not by the types of the task.",
        "segeval.boundary_similarity with boundary_types {1, 2, 3} and texts that have 2 and 3",
        "One of three steps costs 1/3, so B = .667; segeval has .500.",
        """
        >>> import segeval
        >>> import fencepost as fp
        >>> form = {"boundary_format": segeval.BoundaryFormat.sets, "boundary_types": {1, 2, 3}}
        >>> sets = [({kind}, frozenset()) for kind in (2, 3)]
        >>> round(float(segeval.boundary_similarity(*sets, **form)), 3)
        0.5
        >>> ours = [fp.Segmentation(3, [1], [kind], ("1", "2", "3")) for kind in (2, 3)]
        >>> round(float(fp.boundary_similarity(*ours)), 3)
        0.667
        """,
        needs=("segeval",),
    ),
    Finding(
        "nltk-default-k",
        NLTK,
        "The default k is half of positions per boundary, not half of the mean segment: it is "
        "twice as wide where a text has one boundary.",
        "nltk.metrics.pk; Pevzner & Hearst (2002) and segeval take half the mean segment",
        "20 units with one boundary in the middle have segments of 10 units, so k is 5.",
        """
        >>> from nltk.metrics.segmentation import pk
        >>> import fencepost as fp
        >>> reference, hypothesis = [10, 10], [14, 6]
        >>> marks = [fp.Segmentation.from_masses(sizes).bits for sizes in (reference, hypothesis)]
        >>> pk(*marks) == pk(*marks, k=10), round(pk(*marks), 3)
        (True, 0.4)
        >>> fp.pk(reference, hypothesis) == fp.pk(reference, hypothesis, k=5)
        True
        >>> round(float(fp.pk(reference, hypothesis)), 3)
        0.533
        """,
        needs=("nltk",),
    ),
    Finding(
        "nltk-silent-zero",
        NLTK,
        "Lists of numbers give 0.0, a perfect score, without a word; so does a reference with so "
        "many boundaries that k rounds to 0.",
        "nltk.metrics.pk and windowdiff compare with the string '1'",
        "The first two differ in two of two windows; all positions of the last pair differ.",
        """
        >>> from nltk.metrics.segmentation import pk, windowdiff
        >>> import fencepost as fp
        >>> windowdiff([0, 1, 0, 0], [1, 0, 0, 1], 2), pk([5, 5, 1, 3], [5, 4, 1, 4], k=2)
        (0.0, 0.0)
        >>> windowdiff("0100", "1001", 2) > 0
        True
        >>> pk("1111", "0000")
        0.0
        >>> fp.pk([1, 1, 1, 1, 1], [5]).value
        1.0
        """,
        needs=("nltk",),
    ),
    Finding(
        "nltk-nist-references",
        NLTK,
        "NIST with several references differs from mteval-v13a: 3.3710 instead of 5.0379.",
        "nltk.translate.nist_score on its own example; 5.0379 and 2.1139 are what mteval-v13a.pl "
        "prints (NLTK pull request 3901)",
        "An n-gram weighs by its counts over all references; fencepost has mteval's numbers.",
        """
        >>> from nltk.translate.nist_score import sentence_nist
        >>> import fencepost as fp
        >>> references = [line.split() for line in (
        ...     "It is a guide to action that ensures that the military will forever heed Party "
        ...     "commands",
        ...     "It is the guiding principle which guarantees the military forces always being "
        ...     "under the command of the Party",
        ...     "It is the practical guide for the army always to heed the directions of the party",
        ... )]
        >>> first = ("It is a guide to action which ensures that the military always obeys the "
        ...     "commands of the party").split()
        >>> second = ("It is to insure the troops forever hearing the activity guidebook that "
        ...     "party direct").split()
        >>> for words in (first, second):
        ...     theirs, ours = sentence_nist(references, words), fp.nist([references], [words])
        ...     print(f"{theirs:.4f} {float(ours):.4f}")
        3.3710 5.0379
        1.4619 2.1139
        """,
        needs=("nltk",),
    ),
    Finding(
        "mwersegmenter-row-0",
        "the RWTH tool mwerSegmenter, and mweralign 1.4.1",
        "Leading segments without words are charged: 4.2% of 6,000 random small cases are one edit "
        "above the optimum.",
        "references `a b` and `c d`, hypothesis `c d`: 3 edits (75%); the tests run mweralign on "
        "random words and compare every boundary",
        "The optimum is 2 edits (50%): an empty first segment.",
        """
        >>> import fencepost as fp
        >>> for like in (None, "mwersegmenter"):
        ...     found = fp.resegment(["a b", "c d"], "c d", like=like)
        ...     print([str(segment) for segment in found.segments], found.distance)
        ['', 'c d'] 2
        ['c', 'd'] 3
        >>> import mweralign
        >>> [line.strip() for line in mweralign.align_texts("a b\\nc d", "c d").splitlines()]
        ['c', 'd']
        """,
        needs=("mweralign",),
    ),
    Finding(
        "omnisteval-dropped-words",
        "OmniSTEval 0.1.10",
        "Words before the first aligned word vanish where a reference starts with punctuation.",
        "omnisteval.alignment: a word cannot go to a punctuation mark, and there is no segment "
        "before it",
        "Every word of the hypothesis belongs to a segment: words out are words in.",
        """
        >>> from omnisteval.alignment import Word, align_sequences, process_alignment
        >>> import fencepost as fp
        >>> references, hypothesis = ["- hello world", "c d"], "well hello world c d"
        >>> words = [
        ...     Word(word, seq_id=i) for i, line in enumerate(references) for word in line.split()
        ... ]
        >>> aligned = align_sequences(words, [Word(one) for one in hypothesis.split()], False)
        >>> [word.text for word in process_alignment(*aligned, False)]
        ['hello', 'world', 'c', 'd']
        >>> [str(segment) for segment in fp.resegment(references, hypothesis).segments]
        ['well hello world', 'c d']
        """,
        needs=("omnisteval",),
    ),
    Finding(
        "segsimflex-optimum",
        SEGSIMFLEX,
        "The cost of S_f is not always the least: in 1.9% of 3,000 random pairs it is above the "
        "optimum, and never below it.",
        "measured with the identity matrix. Its recursion, Algorithm 1 of Lai et al. (2023), moves "
        "the first boundary only. fencepost rebuilds it from the paper, and gets the package's "
        "numbers of five texts",
        "A dynamic program over both lists of boundaries finds the least cost.",
        """
        >>> import fencepost as fp
        >>> from fencepost.study.papers.lai2023 import MATRICES, package_counter
        >>> first, second = ".  ", " ?."
        >>> package_counter(MATRICES["identity"]())(first, second)[0]
        2.5
        >>> sides = [fp.Segmentation.from_marks([*map(str.strip, one)]) for one in (first, second)]
        >>> fp.flexible_similarity(*sides).counts["nanocost"] / 10**9
        2.0
        """,
    ),
    Finding(
        "segsimflex-edits",
        SEGSIMFLEX,
        "A boundary that is moved and substituted counts as two edits where nothing else is left; "
        "this changes S_f^B.",
        "a rule inferred from the package's numbers of five texts, all of which it gives",
        "One boundary changed is one edit, wherever it is.",
        """
        >>> import fencepost as fp
        >>> from fencepost.study.papers.lai2023 import MATRICES, package_counter
        >>> count = package_counter(MATRICES["identity"]())
        >>> count(". ", " ?"), count(".    ?", " ?    ")
        ((1.5, 2), (2.5, 2))
        >>> sides = [fp.Segmentation.from_marks([*map(str.strip, one)]) for one in (". ", " ?")]
        >>> fp.flexible_similarity(*sides).counts["edits"]
        1
        """,
    ),
    Finding(
        "segsimflex-last-speaker",
        SEGSIMFLEX,
        "Figure 6 has the matches of the last speaker of each text, counted twice.",
        "Figure 6 of Lai et al. (2023): the authors store 496, 894, 26 and 8 matches",
        "Over all speakers there are 561, 1,068, 30 and 16 matches.",
        """
        >>> from collections import Counter
        >>> from fencepost.study.papers import Run
        >>> from fencepost.study.papers.lai2023 import FILE, STORED, read_texts
        >>> texts = read_texts(Run.usual().file(FILE))
        >>> every, last = Counter(), Counter()
        >>> for name in STORED:
        ...     speakers = texts[name]
        ...     for number, (first, second) in enumerate(speakers.values(), 1):
        ...         same = [a for a, b in zip(first.marks, second.marks) if a == b and a]
        ...         every.update(same)
        ...         last.update(same * (number == len(speakers)))
        >>> [2 * last[kind] for kind in (",", ".", "?", "+")]
        [496, 894, 26, 8]
        >>> [every[kind] for kind in (",", ".", "?", "+")]
        [561, 1068, 30, 16]
        """,
        data="nccu/boundary_strings.csv",
    ),
    Finding(
        "segsimflex-proportions",
        SEGSIMFLEX,
        "Kappa takes the proportions of the last speaker for all speakers.",
        "Figure 5 of Lai et al. (2023): the authors store kappa = .6604 of S_f for text 016",
        "With the proportions over all speakers it is .5931. With the last speaker's "
        "proportions all "
        "five stored kappas of S_f follow within .001.",
        """
        >>> import fencepost as fp
        >>> from fencepost.study.papers import Run
        >>> from fencepost.study.papers.lai2023 import FILE, last_speaker_kappa, read_texts
        >>> speakers = read_texts(Run.usual().file(FILE))["016"]
        >>> round(last_speaker_kappa("016", speakers), 3)
        0.661
        >>> corpus = fp.Corpus.from_dict(
        ...     {("016", who): {"1": one, "2": two} for who, (one, two) in speakers.items()}
        ... )
        >>> rows = fp.agreement(corpus, metric="Sf", chance="bernoulli", exact=True)
        >>> round(rows[0]["value"], 3)
        0.593
        """,
        data="nccu/boundary_strings.csv",
    ),
)
