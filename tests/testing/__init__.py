"""Tests of what scripts are tested with."""
