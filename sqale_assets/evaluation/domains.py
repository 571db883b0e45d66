"""Which of our domains BIRD has, too: the split behind "inside and outside BIRD's domains" (seed, "Domains").

The paper does not publish its list. Ours: a domain is inside when one of BIRD's train or dev databases is about it; the
database is named as the evidence.
"""

from __future__ import annotations

BIRD: dict[str, str] = {
    "automotive": "cars",
    "banking": "financial",
    "clinical research": "thrombosis_prediction",
    "crowdfunding and charity": "donor",
    "customer relations": "retail_complains",
    "e-commerce": "retail_world",
    "education": "california_schools",
    "film and television": "movie_platform",
    "food service": "restaurant",
    "games": "video_games",
    "geography": "mondial_geo",
    "government": "legislator",
    "healthcare": "synthea",
    "human resources": "human_resources",
    "laboratory science": "toxicology",
    "law": "chicago_crime",
    "library": "books",
    "logistics": "shipping",
    "manufacturing": "works_cycles",
    "music": "music_tracker",
    "news and publishing": "book_publishing_company",
    "online community": "codebase_community",
    "sales and point of sale": "regional_sales",
    "securities trading": "coinmarketcap",
    "social network": "social_media",
    "software development": "software_company",
    "sports": "european_football_2",
    "surveys and polls": "mental_health_survey",
    "transport": "airline",
    "weather and environment": "sales_in_weather",
}


def inside_bird(domain: str | None) -> bool | None:
    """Whether BIRD has the domain; None where it is not known, or a label that says nothing."""
    return None if domain in (None, "general") else domain in BIRD
