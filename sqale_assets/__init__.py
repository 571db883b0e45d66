"""sqale-assets: real database schemas in, a published and verified text-to-SQL corpus out."""
