"""Stands for Flux's Python bindings, as far as watch.py uses them."""


class Flux:
    """A connection to the instance."""
