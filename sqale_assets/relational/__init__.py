"""Relational schemas: read from any source into one model, walked as a graph, written as SQLite.

    reader        SQL files of any dialect     -> Reading (schema, rows, fidelity report)
    schemapile    SchemaPile's records         -> Reading
    model         the nouns: Schema, Table, Column, ForeignKey
    graph         creation order, components, join paths
    sqlite        the one writer
    report        the fidelity report for people

Reading a SQL file goes `text` (encoding) -> `dialect` -> `statements` (splitting, by `lexical` rules and `kinds`) ->
`nested` (DDL inside blocks) -> `folding` (statement by statement into a draft, over `tokens` that sqlglot makes; rows
by `values`) -> `folding.resolve` (names, `types`, keys, and `expressions` in SQLite's words).
"""
