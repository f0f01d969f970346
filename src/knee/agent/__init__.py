"""The agent: runs inside the target interpreter, standard library only, CPython 3.9 to 3.15.

It is dumb on purpose. Knee sends one command after the other (``start``, ``open`` a pool, one ``rep``, ``close``);
the agent carries it out and answers with one JSON line. Every choice (which cell next, how many calls, when to
stop) is the plan's, in Knee's own process, where it can be recorded and tested.
"""
