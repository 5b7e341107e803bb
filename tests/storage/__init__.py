"""Places of files, on this machine and in stores, and the server that their tests start."""
