"""Launches: fresh processes of the target interpreter, and the interpreters and environments they need."""
