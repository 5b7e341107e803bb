"""Names that are not taken."""


def fresh(name: str, taken: list[str]) -> str:
    """A name that none of the others has."""
    found, i = name, 2
    while found.lower() in taken:
        found, i = f"{name}_{i}", i + 1
    taken.append(found.lower())
    return found
