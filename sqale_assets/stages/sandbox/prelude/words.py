"""The words that `fake` makes texts and addresses of."""

import re
import unicodedata


def listed(text):
    return text.split("|")


DOMAINS = listed("example.com|example.org|example.net|mail.example.com|post.example.org")
SUBJECTS = listed("delivery|invoice|schedule|report|contract|booking|request|inventory|survey|plan")
OPENINGS = listed(
    "Please check the {0}|The {0} was moved|Asked about the {0}|Confirmed the {0}|Updated the {0}|"
    "Waiting for the {0}|Sent the {0}|No problems with the {0}|Corrected the {0}|Discussed the {0}"
)
ENDINGS = listed(
    "before the end of the week|after the call on Monday|as agreed with the team|and told the office|"
    "because of a late change|for the second time|without further questions|in time for the audit|"
    "at the customer's request|together with the new colleague"
)
WORDS = listed(
    "harbour|signal|garden|north|silver|bridge|meadow|copper|river|lantern|summit|orchard|canyon|willow|ember|"
    "crystal|falcon|breeze|marble|horizon|maple|cedar|atlas|beacon|comet|delta|echo|fjord|grove|haven|island|"
    "juniper|kestrel|lagoon"
)
LETTERS = [("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("ø", "o"), ("ł", "l"), ("đ", "d")]
SLUGS = {}  # names recur: looking one up is ten times as fast as spelling it
COLOURS = ["red", "blue", "green", "black", "white", "grey", "navy", "olive", "teal", "maroon", "beige", "orange"]


def ascii_slug(text):
    """Lower-case letters and digits of `text` without accents, other characters dropped."""
    slug = text.lower()
    if not slug.isascii():
        for letter, plain in LETTERS:
            slug = slug.replace(letter, plain)
        slug = unicodedata.normalize("NFKD", slug)
    slug = re.sub("[^a-z0-9]", "", slug)
    if len(SLUGS) < 2000:
        SLUGS[text] = slug
    return slug
