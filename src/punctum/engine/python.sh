#!/bin/sh
# The Python of Spark's workers on this machine. Spark puts its own copy of PySpark before the one that is installed: a
# zip without compiled modules, with which a process takes three times as long to start.
PYTHONPATH="${PYTHONPATH#*/pyspark.zip:*-src.zip:}"
export PYTHONPATH
exec "${PUNCTUM_PYTHON:-python3}" "$@"
