"""How much a number can be trusted: resampling of count rows, never of texts."""
