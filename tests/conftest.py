"""Random input is the same in every run, and slow machines are welcome."""

import os

from hypothesis import settings

# Output is as wide as COLUMNS says, and tests say themselves how wide that is.
os.environ.pop("COLUMNS", None)

# Programs that tests start import the same package, whatever folder they run in.
if "PYTHONPATH" in os.environ:
    paths = os.environ["PYTHONPATH"].split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, filter(None, paths)))

# No seed can be forgotten this way: examples follow from the test alone.
settings.register_profile(
    "everyday", derandomize=True, deadline=None, database=None, max_examples=100
)
settings.register_profile("quick", settings.get_profile("everyday"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("everyday"), max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "everyday"))
