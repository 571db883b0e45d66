"""Rewriting an English question by rule: `parts` takes it apart, `voices` puts it together again, `typos` spoils it."""
