"""Drop-ins for other tools: their names, arguments, numbers and exceptions, our kernels."""
