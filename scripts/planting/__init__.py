"""What ``scripts/planted`` is made of: workloads whose cause is known, and how often ``knee why`` finds it."""
