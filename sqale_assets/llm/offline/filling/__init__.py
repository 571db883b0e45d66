"""The rules behind `fill_table`: from the prompt's facts to the source text of a Python function.

`facts` reads the prompt, `meanings` tells what columns mean, `vocabulary` has the words, `manner` continues
original rows; `people`, `times`, `numbers`, `names` and `texts` write the expressions, `script` puts them together.
"""
