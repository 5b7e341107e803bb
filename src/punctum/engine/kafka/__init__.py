"""Topics: what streams and sinks of Kafka share, and how messages are read."""
