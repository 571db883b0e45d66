"""Models measured on a corpus as the paper does: corpora, conditions, episodes, scores, figures.

The episode itself is `sqlenv.environment`, the loop is `stages.episodes`: the same that make gold and train.
"""
