"""Programs that load an export with its own library; `test_exports.py` runs each in a Python that has it."""
