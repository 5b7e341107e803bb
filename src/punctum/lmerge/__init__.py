"""Logical Merge: replicas of a temporal stream in, one stream out that is compatible with all of them."""
