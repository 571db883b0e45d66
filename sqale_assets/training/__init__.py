"""Training on a corpus with GRPO: environment, reward, selection, curriculum, exports, trainer.

The episode is `sqlenv.environment`, corpora and comparison are `evaluation`'s: a model is trained on exactly what it is
measured with. Nothing here imports torch or TRL but `rollout`, `trainer` and `tiny`, and those only where they run.
"""
