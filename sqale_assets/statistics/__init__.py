"""What a text-to-SQL corpus looks like, in figures whose definitions stand beside them.

`sql`, `questions` and `schemas` measure; `process` counts what was kept and refused; `comparison` sets a corpus
beside others; `charts` draws. Everything takes iterators and holds no more than sums, hashes and counts.
"""
