"""Times fencepost beside the tools people use today, on the same input, and prints the ratios."""
