"""Sets of ranks."""


class IDset:
    """A set of ranks, from its string form."""

    def __init__(self, text):
        self.ids = []
        for part in text.strip("[]").split(","):
            first, _, last = part.partition("-")
            self.ids += range(int(first), int(last or first) + 1)

    def __iter__(self):
        return iter(self.ids)
