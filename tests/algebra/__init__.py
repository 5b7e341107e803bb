"""Tests of the algebra."""
