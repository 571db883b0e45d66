"""Parts of the questions stage: what to ask about (subgraph, facts), what to ask for (steering), what passes (gates)."""
