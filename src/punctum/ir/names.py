"""Names that are not taken."""


def fresh(name: str, taken: list[str]) -> str:
    """A name that none of the others has."""
    free, i = name, 2
    while free.lower() in taken:
        free, i = f"{name}_{i}", i + 1
    taken.append(free.lower())
    return free
