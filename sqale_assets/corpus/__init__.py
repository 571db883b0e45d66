"""The published corpus: records become three parquet data sets, split by cluster and verified by re-execution.

`members` says what of the records is published, `columns` what the data sets look like, `rows` how records become
rows, `publish` writes them, `split` divides them, `verify` reads them back with the authors' own loader.
"""
