"""How metrics behave: report cards, made-up texts, and the papers recomputed."""
