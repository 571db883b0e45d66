"""Croissant metadata: the release as machines read it (MLCommons Croissant 1.0, JSON-LD)."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from sqale_assets.corpus.card import CITATION, Release
from sqale_assets.corpus.columns import DATASETS, Field
from sqale_assets.corpus.split import SPLITS
from sqale_assets.records import STYLES

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES = {"string": "sc:Text", "int": "sc:Integer", "float": "sc:Float", "bool": "sc:Boolean"}
_STRUCTS = {
    "phrasings": dict.fromkeys(STYLES, "sc:Text"),
    "literals": dict.fromkeys(("literal", "table", "column", "how"), "sc:Text"),
    "verdicts": {"accepted": "sc:Boolean", "category": "sc:Text", "reason": "sc:Text"},
}


def croissant(release: Release, folder: Path, *, version: str, published: str | None = None) -> dict[str, Any]:
    """The metadata of a release whose data sets lie in `folder`; every file is named with its hash.

    `published` is the release's date (ISO); without it the metadata has none.
    """
    figures = release.statistics
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": release.name,
        "description": f"{figures.records:,} text-to-SQL questions over {figures.schemas.schemas:,} databases.",
        "license": release.licence,
        "citeAs": CITATION,
        "version": version,
        **({"datePublished": published} if published else {}),
        "inLanguage": "en",
        "keywords": ["text-to-sql", "sqlite", "synthetic"],
        "distribution": _distribution(release, folder),
        "recordSet": [_record_set(name) for name in release.datasets],
    }


def _distribution(release: Release, folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name, dataset in release.datasets.items():
        found += [
            {
                "@type": "cr:FileObject",
                "@id": f"{name}/{file.path}",
                "name": f"{name}/{file.path}",
                "contentUrl": f"{name}/{file.path}",
                "contentSize": f"{file.bytes} B",
                "encodingFormat": "application/x-parquet",
                "sha256": _sha256(folder / name / file.path),
            }
            for file in dataset.files
        ]
        found.append(
            {
                "@type": "cr:FileSet",
                "@id": f"{name}-files",
                "name": f"{name}-files",
                "encodingFormat": "application/x-parquet",
                "includes": f"{name}/data/*.parquet",
            }
        )
    return found


def _record_set(name: str) -> dict[str, Any]:
    fields = [_split_field(name), *(_field(name, field) for field in DATASETS[name])]
    key = "schema_id" if name == "schemas" else "question_id"
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": {"@id": f"{name}/{key}"},
        "field": fields,
    }


def _split_field(dataset: str) -> dict[str, Any]:
    """Train or test, which only the file's name tells."""
    return {
        "@type": "cr:Field",
        "@id": f"{dataset}/split_of_file",
        "name": f"{dataset}/split_of_file",
        "description": f"{' or '.join(SPLITS)}, from the name of the file",
        "dataType": "sc:Text",
        "source": {
            "fileSet": {"@id": f"{dataset}-files"},
            "extract": {"fileProperty": "filename"},
            "transform": {"regex": r"^(\w+)-.*\.parquet$"},
        },
    }


def _field(dataset: str, field: Field) -> dict[str, Any]:
    kind, repeated = field.kind.removesuffix("[]"), field.kind.endswith("[]")
    made: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{dataset}/{field.name}",
        "name": f"{dataset}/{field.name}",
        "description": field.description,
        "source": {"fileSet": {"@id": f"{dataset}-files"}, "extract": {"column": field.name}},
    }
    if dataset != "schemas" and field.name == "schema_id":
        made["references"] = {"field": {"@id": "schemas/schema_id"}}
    if kind in _TYPES:
        made["dataType"] = _TYPES[kind]
    else:
        repeated = kind != "phrasings"
        made["subField"] = [
            {
                "@type": "cr:Field",
                "@id": f"{dataset}/{field.name}/{name}",
                "name": f"{dataset}/{field.name}/{name}",
                "dataType": data_type,
                "source": {
                    "fileSet": {"@id": f"{dataset}-files"},
                    "extract": {"column": field.name},
                    "transform": {"jsonPath": name},
                },
            }
            for name, data_type in _STRUCTS[kind].items()
        ]
    if repeated:
        made["repeated"] = True
    return made


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
