"""A stage that runs in a bucket."""
