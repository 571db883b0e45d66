"""The store: artefacts, manifests and sources on any fsspec URL. Knows records, never Dagster."""

from sqale_assets.store.manifest import CheckOutcome, FailureNote, Manifest, Rejection, fingerprint
from sqale_assets.store.store import DATABASE, Store, StoreError

__all__ = ["DATABASE", "CheckOutcome", "FailureNote", "Manifest", "Rejection", "Store", "StoreError", "fingerprint"]
