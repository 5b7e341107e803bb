"""Kafka: how a broker is spoken to."""
