"""Drafting what to ask: named requests over a picture of the data, by the features that are wanted."""
