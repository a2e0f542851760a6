"""One text, many texts, pairs of texts: what people hold and what kernels read."""
