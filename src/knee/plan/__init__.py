"""Plans: which cells, in which blocks and order, drawn from one recorded seed."""
