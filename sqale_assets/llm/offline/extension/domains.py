"""Which domains a prompt speaks of, judged by the words of its description and of its table names."""

from __future__ import annotations

from collections import Counter

from sqale_assets.llm.offline.extension.concepts import Domain, domains
from sqale_assets.llm.offline.extension.request import Request
from sqale_assets.relational.names import singular, words

#: Domains that score so much of the best one's are mixed with it, or follow it.
_EQUAL_SCORE, _CLOSE_SCORE = 0.8, 0.5
_WORD_CAP = 4
#: Words of the label count so often, and its naming the domain so much besides.
_LABEL_WEIGHT, _NAMED = 3, 3
_ANY_DOMAIN = ("projects", "documents", "crm")


def ranked_domains(request: Request) -> list[list[Domain]]:
    """The domains that the prompt speaks of, likeliest first, equals together; words count by their rarity."""
    known_domains = domains()
    spread = Counter(word for domain in known_domains.values() for word in domain.keywords)
    said: Counter[str] = Counter()
    for text, weight in ((request.label, _LABEL_WEIGHT), (request.description, 1)):
        said.update({singular(word): weight for word in words(text)})
    for table in request.tables:
        said.update({singular(word) for word in table.entity})
    scores = {
        name: sum(min(said[word], _WORD_CAP) / spread[word] for word in domain.keywords) + _NAMED * (name in said)
        for name, domain in known_domains.items()
    }
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    best = scores[ranked[0]]
    if best <= 0:
        return [[known_domains[name]] for name in _ANY_DOMAIN]
    equal = [name for name in ranked if scores[name] >= _EQUAL_SCORE * best][:3]
    close = [name for name in ranked if scores[name] >= _CLOSE_SCORE * best][:4]
    further = [other for name in close for other in known_domains[name].related if other in known_domains]
    later = [name for name in dict.fromkeys((*close, *further)) if name not in equal]
    return [[known_domains[name] for name in equal], *([known_domains[name]] for name in later)]
