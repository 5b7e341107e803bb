"""Messages between streams, stages and sinks."""
