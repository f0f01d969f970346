"""From reps to numbers that can be believed: pure functions on arrays, no input or output.

The unit of inference is the launch (``docs/statistics.md`` says why): average inside a launch first, on logs,
and infer over launches.
"""
