"""The report card of a metric."""
