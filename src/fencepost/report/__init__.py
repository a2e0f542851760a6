"""Tables as text, Markdown, LaTeX, CSV and JSON, and drawings for the terminal."""
