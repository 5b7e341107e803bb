"""Where files are: paths of this machine, and addresses of stores such as s3://bucket/key, with the same methods."""
