"""What a token costs: the route's own prices, else litellm's table."""

from __future__ import annotations

from functools import lru_cache

from sqale_assets.llm.backend import load_litellm
from sqale_assets.llm.routing import Target

#: parameters of a route that set its prices; never sent to the provider
PRICES = ("input_cost_per_token", "output_cost_per_token")


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
    return sum(
        load_litellm().cost_per_token(  # knows of tiers and of what the provider's own cache takes off
            model=target.model,
            prompt_tokens=tokens_in,
            completion_tokens=tokens_out,
            cache_read_input_tokens=tokens_cached,
        )
    )
