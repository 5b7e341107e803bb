"""Everything that imports pyspark: sources, sinks, packing, stages, state and metrics."""
