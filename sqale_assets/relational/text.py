"""From bytes to text: which encoding a file is in."""

from __future__ import annotations

import codecs
from typing import NamedTuple

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

#: What dumps that are not Unicode are written in; guessing among all of Python's codecs finds exotic ones.
_LEGACY = [
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1254",
    "gb18030",
    "big5",
    "shift_jis",
    "euc_kr",
    "koi8_r",
    "cp1255",
    "cp1256",
]
_SAMPLE = 65_536


class Decoded(NamedTuple):
    """Text with line feeds only and without NULs, and the name of the encoding it was read as."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded:
    """Decode a file. Never fails: bytes that the encoding does not know become U+FFFD."""
    encoding = _encoding(data)
    text = data.decode(encoding, errors="replace")
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", ""), encoding)


def _encoding(data: bytes) -> str:
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name
    if wide := _utf16_without_mark(data):
        return wide
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        pass
    decoded = data.decode("utf-8", errors="replace")
    broken, foreign = decoded.count("\ufffd"), sum(character > "\x7f" for character in decoded[:_SAMPLE])
    if broken * 20 < foreign:  # a few torn characters in a file that is UTF-8 all the same
        return "utf-8"
    return _legacy(data)


def _utf16_without_mark(data: bytes) -> str | None:
    """SQL is mostly ASCII, so that UTF-16 shows as a NUL in every second byte."""
    sample = data[:4096]
    if len(sample) < 8 or sample.count(0) < len(sample) // 3:
        return None
    return "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"


def _legacy(data: bytes) -> str:
    import charset_normalizer  # costs 50 ms, and most files are UTF-8

    lines = (line for line in data.splitlines() if not line.isascii())
    sample = b""
    for line in lines:
        sample += line + b"\n"
        if len(sample) > _SAMPLE:
            break
    best = charset_normalizer.from_bytes(sample, cp_isolation=_LEGACY).best()
    return best.encoding if best is not None else "latin-1"
