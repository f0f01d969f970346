"""Why a workload stops scaling: one kind of sharing a file, what removes it, its control, and how its result reads."""
