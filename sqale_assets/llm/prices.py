"""What a token costs: the route's own prices, else litellm's table."""

from __future__ import annotations

import math
from functools import lru_cache

from sqale_assets.llm.backend import load_litellm
from sqale_assets.llm.routing import Target

#: parameters of a route that set its prices; never sent to the provider
PRICES = ("input_cost_per_token", "output_cost_per_token")
#: Up to so many tokens a model's prices are looked for to be flat; tiers mostly begin at 128,000.
FLAT_TO = 100_000


def price(target: Target) -> tuple[float, float] | None:
    """US dollars per (input, output) token; None if unknown.

    From the route's extra parameters `input_cost_per_token` and `output_cost_per_token`, else from
    litellm's own table.
    """
    if target.offline:
        return 0.0, 0.0
    if given := [target.extra.get(name) for name in PRICES if name in target.extra]:
        return float(given[0]), float(given[-1])
    return _listed_price(target.model)


@lru_cache(maxsize=256)
def _listed_price(model: str) -> tuple[float, float] | None:
    try:
        information = load_litellm().get_model_info(model)
    except Exception:  # litellm raises a bare Exception for a model that it does not list
        return None
    return information.get("input_cost_per_token") or 0.0, information.get("output_cost_per_token") or 0.0


def cost(target: Target, tokens_in: int, tokens_out: int, tokens_cached: int) -> float:
    """US dollars of one call; 0 where no price is known."""
    price_in, price_out = price(target) or (0.0, 0.0)
    if target.extra.keys() & PRICES or not price_in + price_out:
        return tokens_in * price_in + tokens_out * price_out
    flat = _flat_prices(target.model)
    if flat is None or tokens_in + tokens_out > FLAT_TO:
        return _listed_cost(target.model, tokens_in, tokens_out, tokens_cached)
    return _flat_cost(flat, tokens_in, tokens_out, tokens_cached)


def _listed_cost(model: str, tokens_in: int, tokens_out: int, tokens_cached: int) -> float:
    """By litellm, which knows of tiers and of what the provider's own cache takes off, and takes 0.2 ms to say."""
    return sum(
        load_litellm().cost_per_token(
            model=model,
            prompt_tokens=tokens_in,
            completion_tokens=tokens_out,
            cache_read_input_tokens=tokens_cached,
        )
    )


def _flat_cost(prices: tuple[float, float, float], tokens_in: int, tokens_out: int, tokens_cached: int) -> float:
    price_in, price_out, price_cached = prices
    return (tokens_in - tokens_cached) * price_in + tokens_out * price_out + tokens_cached * price_cached


@lru_cache(maxsize=256)
def _flat_prices(model: str) -> tuple[float, float, float] | None:
    """Per token in, out and cached, if by litellm's own account these make up a call's cost; else None."""
    calls = ((1000, 0, 0), (1000, 1000, 0), (1000, 0, 1000), (FLAT_TO * 3 // 10, 700, 0), (FLAT_TO, 5000, 20_000))
    only_in, with_out, all_cached, *others = (_listed_cost(model, *call) for call in calls)
    flat = only_in / 1000, (with_out - only_in) / 1000, all_cached / 1000
    fits = (math.isclose(_flat_cost(flat, *call), by) for call, by in zip(calls[3:], others, strict=True))
    return flat if all(fits) else None
