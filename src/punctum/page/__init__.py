"""The live page: what queries do, as a picture and over time, and the register as an editor."""
