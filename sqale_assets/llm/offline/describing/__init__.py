"""How the offline model reads a schema, weighs its words and words a description."""
