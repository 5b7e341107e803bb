"""``python -m punctum`` is the command line."""

from punctum.cli import main

main()
