"""How tables are filled, in small parts: `plan` sizes, `rules` constraints, `values` types, `keys` and `links`
repair, `quality` finds degenerate data. The stage itself is `stages.population`."""
