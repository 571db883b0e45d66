"""Faults of a long build, each with real processes: what is killed, full, down, corrupt or wrong about the time.

After each: nothing is lost, no record is there twice, no finished work is done again, and the calls paid for twice
are at most those that were in flight. Slow ones are marked `slow`: `make test-faults` runs them all.
"""
