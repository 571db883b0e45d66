"""Asset checks, one module per stage: CHECKS names what is asserted, `evaluate` measures it on one schema.

A check measures on the artefact itself (the SQLite file, the texts), not on what the stage says of it.
"""
