"""What notes and facts are made of adds up: parts of the texts say what all of them say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencepost.metrics.tally import Tally
from fencepost.model.pairs import Pairs
from strategies import pairs as drawn_pairs
from support import PAIR_METRICS

TELLING = [one for one in PAIR_METRICS.values() if one.recipe().tells and one.sees != "levels"]


@pytest.mark.parametrize("metric", TELLING, ids=lambda one: one.name)
@given(st.lists(drawn_pairs(), min_size=1, max_size=6), st.data())
def test_parts_of_the_texts_say_what_all_of_them_say(metric, pairs, data):
    at = data.draw(st.integers(0, len(pairs)))
    recipe = metric.recipe()
    whole = recipe.tally(Pairs.from_segmentations(*zip(*pairs, strict=True)))
    parts = [
        recipe.tally(Pairs.from_segmentations(*zip(*own, strict=True)))
        for own in (pairs[:at], pairs[at:])
        if own
    ]
    added = Tally()
    for one in parts:
        added = added.plus(one)
    assert added == whole
    assert recipe.notes(added) == recipe.notes(whole)
    assert recipe.facts(added) == recipe.facts(whole)
