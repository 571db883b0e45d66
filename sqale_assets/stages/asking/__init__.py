"""Parts of the questions stage: what to ask about (subgraph, facts), what for (steering), what passes (gates)."""
