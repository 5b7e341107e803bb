"""What a checkpoint remembers, and how small files are written whole or not at all."""
