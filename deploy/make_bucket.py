"""Make a bucket on the S3-compatible store that the AWS_* variables name: `python deploy/make_bucket.py NAME`."""

from __future__ import annotations

import sys

import s3fs


def main(name: str) -> None:
    store = s3fs.S3FileSystem()
    if not store.exists(name):
        store.mkdir(name)


if __name__ == "__main__":
    main(*sys.argv[1:])
