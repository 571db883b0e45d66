"""Encodings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.relational.text import decode

RUSSIAN = "INSERT INTO t VALUES ('Москва, улица Ленина, дом 5'); -- Таблица содержит адреса клиентов\n" * 4
CHINESE = (
    "CREATE TABLE `用户` (`姓名` varchar(20) COMMENT '用户的姓名，不能为空', `地址` text COMMENT '收货地址');\n" * 4
)
GERMAN = "INSERT INTO t VALUES ('Größe', 'Straße', 'Übermaß', 'Käse für Jörg');\n" * 4


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "utf-8"),
        (RUSSIAN, "utf-8-sig"),
        (RUSSIAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (RUSSIAN, "cp1251"),
        (CHINESE, "gbk"),
        (GERMAN, "latin-1"),
    ],
)
def test_texts_come_back_from_their_encodings(text, encoding):
    assert decode(text.encode(encoding)).text == text


def test_a_few_torn_characters_leave_it_utf8():
    torn = (RUSSIAN + CHINESE).encode()[:-1] + b"\xe7\n" + RUSSIAN.encode()
    decoded = decode(torn)
    assert decoded.encoding == "utf-8"
    assert "Москва" in decoded.text and "\ufffd" in decoded.text


def test_lines_end_in_line_feeds_and_nuls_go():
    assert decode(b"a\r\nb\rc\x00d\n").text == "a\nb\ncd\n"


@given(st.binary(max_size=400))
def test_any_bytes_decode(data):
    decode(data).text.encode("utf-8", errors="surrogatepass")
