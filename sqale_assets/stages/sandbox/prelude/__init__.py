"""Python offered inside the sandbox, as source text: these modules are read, not imported, by the runner.

They keep to monty's subset of Python (no yield, inheritance, decorators or `del`) and stay ordinary
modules all the same, so that they are linted and tested like the rest.
"""
