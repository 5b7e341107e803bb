"""Everything that imports pyspark: sources, sinks, messages, stages, state and metrics."""
