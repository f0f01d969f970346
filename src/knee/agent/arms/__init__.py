"""The agent's side of Knee's own arms, one kind of sharing a file."""
