"""The report: one self-contained HTML page about a corpus, to be sent to a colleague.

`examples` samples records, `diagram` draws the tables of one, `page` puts everything together. The page loads nothing
from anywhere: charts are inlined as SVG, the script only filters the example records.
"""
