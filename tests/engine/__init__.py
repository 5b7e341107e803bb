"""Tests of the engine: plans, buckets and Spark."""
