"""Controlled English about a database: one grammar that a writer renders and an agent parses.

A question's meaning (`meaning`) has two forms with the same shape: *named*, where tables, columns and
keys are identifiers of a schema, and *worded*, where they are phrases. `rules` holds the grammar
between worded meanings and text, run in both directions by `grammar`; `lexicon` holds the phrases of a
schema; `wording` and `reading` lead from named to worded and back; `sql` writes a named meaning as SQL.
"""
