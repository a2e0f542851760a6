"""Numbers and sentences of papers that do not hold, or hold only under a reading not printed."""

from fencepost.study.findings.base import Finding

FINDINGS = (
    Finding(
        "fournier2012-chance",
        "Fournier & Inkpen (2012)",
        "Annotators who set boundaries at random reach pi* = .83, though 0 should mean chance.",
        "equations 5, 12 and 13: chance is agreement on boundaries alone, while S also counts "
        "positions without a boundary",
        "Chance must be computed with the same similarity. fencepost simulates it; kappa and alpha "
        "are then 0.",
        """
        >>> import fencepost as fp
        >>> random = fp.simulate.coders(20, units=500, coders=6, rate=0.1)
        >>> rows = fp.agreement(random, intervals=False)
        >>> {row["coefficient"]: round(row["value"], 2) + 0.0 for row in rows}
        {'kappa': 0.0, 'alpha': 0.0, 'pi*': 0.83}
        """,
    ),
    Finding(
        "uniform-chance",
        "chance by shuffled positions",
        "Seven annotators who know nothing of each other, but have realistic segment sizes, get "
        "kappa = .14 under uniform chance.",
        "measured on Hearst's seven annotators of Stargazers (1997): 40 texts, in which each "
        "has the "
        "own sizes in random order",
        "Permute each annotator's own segment sizes (chance=sizes, the default).",
        """
        >>> import json, pathlib
        >>> import fencepost as fp, numpy as np
        >>> path = pathlib.Path(fp.__path__[0], "data", "stargazers.json")
        >>> judges = json.loads(path.read_text(encoding="utf-8"))["stargazers"]
        >>> rng = np.random.default_rng(1)
        >>> texts = {
        ...     str(i): {judge: rng.permutation(sizes).tolist() for judge, sizes in judges.items()}
        ...     for i in range(40)
        ... }
        >>> for chance in ("shuffle", "sizes"):
        ...     kappa = fp.agreement(texts, metric="B", chance=chance, intervals=False)[0]
        ...     print(chance, round(kappa["value"], 2) + 0.0)
        shuffle 0.14
        sizes 0.0
        """,
    ),
    Finding(
        "table-2-counting",
        "Fournier & Inkpen (2012)",
        "The expected agreement in Table 2 counts segments, though the text speaks of boundaries.",
        "Table 2, chapter 1: pi* = .7452 and kappa* = .7463 are printed",
        "Counting boundaries gives .7553 and .7563.",
        """
        >>> import json
        >>> import fencepost as fp
        >>> from fencepost.study.papers import Run
        >>> file = Run.usual().file("moonstone/moonstone_masses.json")
        >>> chapter = {"1": json.loads(file.read_text(encoding="utf-8"))["ch1"]}
        >>> for counting in ("segments", "cuts"):
        ...     rows = fp.agreement(chapter, like="fournier2012", counting=counting)
        ...     print(counting, [round(row["value"], 4) for row in rows[:2]])
        segments [0.7452, 0.7463]
        cuts [0.7553, 0.7563]
        """,
        data="moonstone/moonstone_masses.json",
    ),
    Finding(
        "chapter-20",
        "Fournier & Inkpen (2012)",
        "Chapter 20 of The Moonstone has 21 paragraphs in Table 2 and 20 in the public data.",
        "Table 2, row 20: pi* = .8590 and kappa* = .8591 are printed",
        "One paragraph more in the last segment of all annotators gives the printed row. Of 22 "
        "positions for it, only this one does.",
        """
        >>> import json
        >>> import fencepost as fp
        >>> from fencepost.study.papers import Run
        >>> file = Run.usual().file("moonstone/moonstone_masses.json")
        >>> public = json.loads(file.read_text(encoding="utf-8"))["ch20"]
        >>> longer = {who: [*sizes[:-1], sizes[-1] + 1] for who, sizes in public.items()}
        >>> for chapter in (public, longer):
        ...     rows = fp.agreement({"20": chapter}, like="fournier2012", counting="segments")
        ...     units = {sum(sizes) for sizes in chapter.values()}
        ...     print(units, [round(row["value"], 4) for row in rows[:2]])
        {20} [0.8511, 0.8511]
        {21} [0.859, 0.8591]
        """,
        data="moonstone/moonstone_masses.json",
    ),
    Finding(
        "equation-12",
        "Fournier & Inkpen (2012)",
        "Equation 12 as printed gives an agreement above 1 to annotators who agree fully.",
        "equation 12 weighs texts by their units above the line and by positions below it",
        "Weigh by the same number on both sides.",
        """
        >>> import fencepost as fp
        >>> same = {"text": {"anna": [2, 3], "ben": [2, 3]}}
        >>> for weighting in ("printed", "units", "positions"):
        ...     rows = fp.agreement(same, like="fournier2012", weighting=weighting)
        ...     print(weighting, rows[0]["observed"])
        printed 1.25
        units 1.0
        positions 1.0
        """,
    ),
    Finding(
        "diaz2022-figure-9",
        "Diaz & Ouyang (2022)",
        "Figure 9's A of .58 fits edges counted in both directions, and Figure 10's .60 an edge "
        "that counts once.",
        "Figures 9, 10 and 16; Figure 9 gives no sizes, so all its segments are taken as equal",
        "Counted once, both hypotheses of Figure 9 have A = .50.",
        """
        >>> import fencepost as fp
        >>> reference, h1, h2 = [2] * 6, [2, 2, 8], [4, 4, 4]
        >>> for edges in ("directed", "once"):
        ...     found = [fp.alignment_similarity(reference, h, edges=edges) for h in (h1, h2)]
        ...     print(edges, [round(float(score), 2) for score in found])
        directed [0.58, 0.5]
        once [0.5, 0.5]
        >>> figure_10 = [5, 5, 1, 3], [5, 4, 1, 4]  # .60 is printed
        >>> round(float(fp.alignment_similarity(*figure_10, edges="once")), 2)
        0.6
        >>> round(float(fp.alignment_similarity(*figure_10, edges="directed")), 2)
        0.69
        """,
    ),
    Finding(
        "diaz2022-figure-15",
        "Diaz & Ouyang (2022)",
        "B makes fewer mistakes than WindowDiff in total, but not in every row of Figure 15: with "
        "long segments it makes more.",
        "section 5, vanishing boundaries; of 168 rows up to 20 units, 15 are the other way round",
        "The first such row has 11 units and 2 segments, where k is wider than the reach of B.",
        """
        >>> from fencepost.study.papers.diaz2022 import quantify
        >>> references, windowdiff, b, a = quantify(11)["vanishing"][2]
        >>> references, windowdiff, b, a
        (10, 2, 6, 0)
        """,
    ),
    Finding(
        "pevzner2002-miss",
        "Pevzner & Hearst (2002)",
        "A missing boundary does not always cost Pk the size of the smaller segment beside it.",
        'section 2.3, on segments smaller than k: "the size of the smaller segment"',
        "For segments of A and B units the cost is min(k, A, B, A + B - k) windows, at least 0.",
        """
        >>> import fencepost as fp
        >>> k = 10
        >>> for a, b in ((4, 20), (8, 6), (4, 7), (4, 5)):
        ...     missed = fp.pk([50, a, b, 50], [50, a + b, 50], k=k).counts["disagreeing"]
        ...     print(a, b, missed, max(0, min(k, a, b, a + b - k)))
        4 20 4 4
        8 6 4 4
        4 7 1 1
        4 5 0 0
        """,
    ),
    Finding(
        "type-order",
        "Fournier (2013), B with boundary types",
        "B's price of a substitution depends on the order in which types are numbered; names have "
        "none.",
        "ordinal prices: the difference of two types, divided by the number of types",
        "Declare the order (types, --types). Without one fencepost takes all names as equally far "
        "apart, whatever a file has first.",
        """
        >>> import fencepost as fp
        >>> names = ("comma", "colon", "period")
        >>> first, second = (fp.Segmentation(6, [3], [kind], names) for kind in (1, 2))
        >>> for order in ("comma<colon<period", "comma<period<colon"):
        ...     print(order, round(float(fp.boundary_similarity(first, second, types=order)), 2))
        comma<colon<period 0.67
        comma<period<colon 0.33
        >>> float(fp.boundary_similarity(first, second))
        0.5
        """,
    ),
    Finding(
        "percentile-intervals",
        "bootstrap intervals by percentiles",
        "A 95% percentile interval of a mean over 10 texts holds the truth in .90 of samples.",
        "2,000 samples of 10 normal values, 1,000 resamples (docs/statistics.md has more cases)",
        "fencepost uses the bootstrap-t and Student's t, which cover more than .95 here.",
        """
        >>> import numpy as np
        >>> rng = np.random.default_rng(1)
        >>> samples = rng.normal(size=(2000, 10))  # the true mean is 0
        >>> means = samples[:, rng.integers(10, size=(1000, 10))].mean(axis=2)
        >>> low, high = np.quantile(means, [0.025, 0.975], axis=1)
        >>> round(float(np.mean((low <= 0) & (0 <= high))), 2)
        0.9
        >>> from fencepost.statistics.intervals import intervals
        >>> from fencepost.statistics.resampling import Estimate, ratio
        >>> rows = [np.column_stack([one, np.ones(10)]) for one in samples[:400]]
        >>> found = intervals([Estimate(one, ratio) for one in rows], method="t", count=400)
        >>> sum(one.low <= 0 <= one.high for one in found) / len(found) > 0.95
        True
        """,
    ),
)
