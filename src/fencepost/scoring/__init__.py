"""References times systems times metrics: counts, tables and comparisons."""
