"""The language a schema is written in, told from its identifiers: text and names are invented in it."""

from __future__ import annotations

from collections import Counter

from sqale_assets.relational.model import Schema
from sqale_assets.relational.names import words
from sqale_assets.stages.sandbox.pools import DEFAULT_LOCALE

_TELLTALES = {
    "es_ES": """
        nombre apellido apellidos direccion fecha correo telefono usuario usuarios contrasena cliente
        clientes ciudad producto productos descripcion precio cantidad estado empleado venta ventas pedido
        codigo pais persona equipo grupo
    """,
    "pt_BR": """
        nome sobrenome endereco data email telefone usuario senha cidade produto descricao preco quantidade
        pessoa funcionario venda pedido codigo grupo permissao bairro rua cpf cnpj
    """,
    "fr_FR": """
        nom prenom adresse ville telephone utilisateur utilisateurs motdepasse produit prix quantite
        commande client montant devis facture entreprise gerant activite travaux artisan demande pays
        naissance
    """,
    "de_DE": """
        vorname nachname strasse plz ort telefon benutzer passwort kunde kunden produkt preis menge
        bestellung rechnung mitarbeiter beschreibung datum geburtsdatum stadt abteilung
    """,
    "it_IT": """
        nome cognome indirizzo citta utente utenti prezzo quantita ordine cliente fattura azienda
        descrizione telefono
    """,
    "nl_NL": """
        naam voornaam achternaam straat woonplaats postcode telefoon gebruiker wachtwoord klant prijs
        bestelling factuur
    """,
    "id_ID": """
        nama alamat tanggal tgl telepon telp pengguna barang harga jumlah pelanggan kode kategori judul buku
        siswa guru kelas jenis pasien dokter antrian pinjam keterangan lahir foto nilai anggota transaksi
    """,
    "zh_CN": """
        xingming dizhi shouji yonghu dingdan shangpin
    """,
}
_SETS = {locale: frozenset(text.split()) for locale, text in _TELLTALES.items()}
#: So many different telltale words decide for a language other than English.
_ENOUGH = 4


def language_of(schema: Schema) -> str:
    """A Faker locale, `en_US` unless the identifiers clearly speak another language."""
    seen = {
        word
        for table in schema.tables
        for name in (table.name, *(c.name for c in table.columns))
        for word in words(name)
    }
    found = Counter({locale: len(seen & telltales) for locale, telltales in _SETS.items()})
    locale, count = max(found.items(), key=lambda item: (item[1], item[0]))
    return locale if count >= _ENOUGH else DEFAULT_LOCALE
