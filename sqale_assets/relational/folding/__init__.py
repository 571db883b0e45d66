"""Folding: from statements to a draft of the schema, one module per family of statements."""
