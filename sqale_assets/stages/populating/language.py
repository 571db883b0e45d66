"""The language a schema is written in, told from its identifiers, comments and rows: text is invented in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqale_assets.relational.model import Row, Schema, Table
from sqale_assets.relational.names import words
from sqale_assets.stages.sandbox.pools import DEFAULT_LOCALE

#: Words of identifiers that are not English too.
_TELLTALES = {
    "es_ES": """
        nombre apellido apellidos direccion fecha correo telefono usuario usuarios contrasena contrasenna cliente
        clientes ciudad producto productos descripcion precio cantidad empleado venta ventas pedido codigo pais persona
        equipo jugador partido jornada sueldo comentario nacionalidad fecha nacimiento factura proveedor pregunta
        respuesta lugar puntuacion provincia
    """,
    "pt_BR": """
        nome sobrenome endereco telefone usuario senha cidade produto descricao preco quantidade pessoa funcionario
        venda pedido codigo permissao bairro rua cpf cnpj paciente medico consulta internacao pergunta resposta
        especialidade nascimento alternativa correta aluno professor fornecedor nota_fiscal salario
    """,
    "fr_FR": """
        nom prenom adresse ville telephone utilisateur utilisateurs motdepasse produit prix quantite commande montant
        devis facture entreprise gerant activite travaux artisan pays naissance
    """,
    "de_DE": """
        vorname nachname strasse plz telefon benutzer passwort kunde kunden produkt preis menge bestellung rechnung
        mitarbeiter beschreibung datum geburtsdatum stadt abteilung
    """,
    "it_IT": """
        cognome indirizzo citta utente utenti prezzo quantita ordine cliente fattura azienda descrizione telefono
    """,
    "nl_NL": """
        naam voornaam achternaam straat woonplaats telefoon gebruiker wachtwoord klant prijs bestelling factuur
    """,
    "id_ID": """
        nama alamat tanggal tgl telepon telp pengguna barang harga jumlah pelanggan kode kategori judul buku siswa guru
        kelas jenis pasien dokter antrian pinjam keterangan lahir anggota transaksi bagian
    """,
    "zh_CN": """
        xingming dizhi shouji yonghu dingdan shangpin
    """,
}
#: The commonest words of running text, by which rows and comments are told apart.
_STOPWORDS = {
    "en_US": "the and of to is for with that this are from was not",
    "es_ES": "el los las una del para por con que es se su como más está",
    "pt_BR": "o os uma do da dos para não com que foi em qual é são ao",
    "fr_FR": "le les une du des pour pas avec que est dans sur au aux qui",
    "de_DE": "der die das und ist nicht für mit von dem ein eine zu auf",
    "it_IT": "il gli una del della per non con che è sono di",
    "nl_NL": "het een en van niet voor met dat zijn op is",
    "id_ID": "yang dan di dengan untuk tidak ini dari pada adalah",
}
_WORDS = {locale: frozenset(text.split()) for locale, text in _TELLTALES.items()}
_STOPS = {locale: frozenset(text.split()) for locale, text in _STOPWORDS.items()}
_HAN = re.compile(r"[\u4e00-\u9fff]")
#: So many different telltale words decide for a language other than English; in a small schema, such a share of all.
_ENOUGH, _FEW, _SHARE = 4, 2, 0.16
#: So many stop words in the rows, so many different ones, and so many times as many as English ones.
_SPOKEN, _DIFFERENT, _CLEARLY = 12, 6, 2
#: So many Chinese characters in the comments and rows.
_WRITTEN = 40


def language_of(schema: Schema, rows: Mapping[str, Sequence[Row]] | None = None) -> str:
    """A Faker locale, `en_US` unless the schema's own tables or their `rows` clearly speak another language."""
    tables = [table for table in schema.tables if table.origin != "added"]
    named = {
        word for table in tables for name in (table.name, *(c.name for c in table.columns)) for word in words(name)
    }
    found = Counter({locale: len(named & telltales) for locale, telltales in _WORDS.items()})
    locale, count = max(found.items(), key=lambda item: (item[1], item[0]))
    if count >= _ENOUGH or (count >= _FEW and count >= _SHARE * len(named)):
        return locale
    return _spoken(_texts(tables, rows or {}))


def _spoken(texts: Iterable[str]) -> str:
    said = " ".join(texts)
    if len(_HAN.findall(said)) >= _WRITTEN:
        return "zh_CN"
    counts = Counter(re.findall(r"[^\W\d_]+", said.lower()))
    heard = {locale: sum(counts[word] for word in stops) for locale, stops in _STOPS.items()}
    locale = max(heard, key=lambda locale: (heard[locale], locale))
    if sum(1 for word in _STOPS[locale] if counts[word]) < _DIFFERENT:  # addresses: Calle del Tilo, ES
        return DEFAULT_LOCALE
    return locale if heard[locale] >= max(_SPOKEN, _CLEARLY * heard[DEFAULT_LOCALE]) else DEFAULT_LOCALE


def _texts(tables: Sequence[Table], rows: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    for table in tables:
        yield from (text for text in (table.comment, *(column.comment for column in table.columns)) if text)
        yield from (value for row in rows.get(table.name, ()) for value in row if isinstance(value, str))
