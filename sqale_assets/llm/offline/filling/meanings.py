"""What a column means, told from its name and kind: the first pattern that fits. Names in seven languages.

A pattern is matched against the column's words joined by blanks ("created at", "unit price").
"""

from __future__ import annotations

import re
from functools import lru_cache

_TEXT = ("text", "enum")
_NUMBER = ("integer", "decimal", "real")
_TIME = ("date", "datetime")
_MOMENT = (*_TIME, "text", "integer", "decimal")

#: (meaning, kinds it may have or () for any, pattern). Order decides.
_PATTERNS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("flag", ("text",), r"^(is|has|can|allow|enable|should|bypass)\b|\b(enabled|active|yn|yes no|indicator)$|^use (at|yn)$"),
    ("flag", ("integer",), r"^(is|has|can|should|allow|enable)\b|\b(flag|enabled|active|deleted|visible|hidden|disabled|locked|approved|verified|default|mandatory|required|published|public|confirmed|featured|valid|blocked|success|sticky|yn|bool)$"),
    # moments
    ("date.created", _TIME, r"\b(creat\w*|inserted|added|registered|registration|regist|regdate|joined|signup|posted|published|logged|crdate|posting|recorded|uploaded|imported|tweeted|masuk)\b"),
    ("date.birth", _MOMENT, r"(\b(birth ?(date|day|dt|year)?|dob|nacimiento|naissance|nascimento|bday)$|\b(date of birth|geburtsdatum|tgl lahir|tanggal lahir|fecha nac\w*|year of birth)\b)"),
    ("date.updated", _TIME, r"\b(updat\w*|updt|modif\w*|changed|edited|last|mtime|refreshed|synced|seen|activity)\b"),
    ("date.deleted", _TIME, r"\b(delet\w*|removed|archived|cancel\w*|revoked|deactivated|disabled|blocked|locked)\b"),
    ("date.hired", _TIME, r"\b(hire\w*|employed|employment|joining|onboard\w*|contratacao|contratacion)\b"),
    ("date.end", _TIME, r"\b(end\w*|finish\w*|until|to|fin|close\w*|complet\w*|check ?out|checkout|return\w*|kembali|resolved|departure|stop\w*|ended|settlement|settled|arriv\w*|delivered|delivery|graduat\w*|termination|release\w*)\b"),
    ("date.expiry", _TIME, r"\b(expir\w*|due|valid (to|until|thru)|deadline|maturity|vencimiento|echeance|renewal|next)\b"),
    ("date.start", _TIME, r"\b(start\w*|begin\w*|from|since|effective|open\w*|check ?in|checkin|order\w*|purchas\w*|sale|sold|transaction|payment|paid|invoice\w*|issue\w*|event|booking|visit\w*|trade\w*|inicio|debut|pinjam|shipped|ship|sent|received|date|time|tgl|tanggal|fecha|data|datum|day|when|on|at|scheduled|planned|approved)\b"),
    ("date.start", _TIME, r""),
    ("date.text", ("text",), r"(^|\b)(date|fecha|datum|tanggal|tgl|dt)(\b|$)(?! (format|type|zone|scheme|accuracy|id))"),
    ("date.text", ("text",), r"(^|\b)(start|end|created|updated|posted|post|expir\w*) ?(date|time|at|on|dt)$"),
    ("time.start", ("time",), r"\b(start|begin|from|open\w*|jam mulai|check in)\b"),
    ("time.end", ("time",), r"\b(end|finish|to|until|clos\w*|check out)\b"),
    ("time.any", ("time",), r""),
    ("date.epoch", ("integer",), r"\b((creat|updat|modif|delet)\w*( (at|on|time|date))?|timestamp|unix ?time|epoch|(start|end|expiry|login|last|fired?|sched|next fire|prev fire) ?time|\w+ (at|ts))$"),
    # identity
    ("id.uuid", ("uuid",), r""),
    ("id.uuid", _TEXT, r"\b(uuid|guid)\b"),
    ("hash", _TEXT, r"\b(password|passwd|pwd|pass|senha|contrase\w*|kata sandi|hash|salt|checksum|md5|sha\d*|digest|signature)\b"),
    ("token", _TEXT, r"\b(token|secret|session|nonce|api key|apikey|remember|access key|openid|verification|csrf|cookie|fingerprint|unionid)\b"),
    ("email", _TEXT, r"\b(e ?mails?|mail|correo|courriel)\b(?! (subject|body|template|type|content|title))"),
    ("username", _TEXT, r"\b(user ?name|usr ?name|login|log in|nick ?name|nick|screen name|handle|uname|alias|logon|userid|user id|account name|twitter|instagram|facebook|github|skype|identifiant|usuario|lover)$"),
    ("speciality", _TEXT, r"\b(special(i?ty|i[sz]ation)|especialidad|specialite|poli|clinical area)( ?name)?$"),
    ("period", _TEXT, r"\b(period|month|fiscal period|year month|billing period|quarter)$"),
    ("name.stage", _TEXT, r"\b(stage name|band name|artist name|pen name)$"),
    ("name.first", _TEXT, r"\b(first ?name|fname|given ?name|forename|vorname|prenom|nombres?|primer nombre|firstname|first|christian name)$"),
    ("name.last", _TEXT, r"\b(last ?name|lname|sur ?name|family ?name|nachname|apellidos?|sobrenome|cognome|lastname|last|achternaam|nom famille)$"),
    ("name.middle", _TEXT, r"\b(middle ?name|mname|middle|middle initial|maiden name)$"),
    ("name.person", _TEXT, r"\b((full|real|display|contact|customer|client|employee|patient|student|author|teacher|doctor|manager|owner|driver|person|member|guest|recipient|sender|instructor|parent|father|mother|guardian|spouse|emergency contact|beneficiary|applicant|candidate|user|artist|player|coach|agent|salesperson|supervisor|leader|holder|cardholder|consignee|nurse|buyer|seller|requester|reporter|assignee|reviewer|approver|speaker|director|actor|staff|technician|tenant|visitor|signatory|payee|payer) ?(full )?name)$"),
    ("name.person", _TEXT, r"^(author|sender|recipient|contact person|contact|instructor|teacher|professor|speaker|director|manager|supervisor|owner|coach|referee|guardian|full name|fullname|nama (lengkap|siswa|pasien|guru|dokter|pelanggan|anggota|karyawan|pegawai)|leader|assignee|created by|updated by|modified by|createdby|modifiedby|lastmodifiedby|entered by|approved by|reviewed by|assigned to|performed by|requested by|inserted by|deleted by|uploaded by|submitted by|posted by|pic|person|signed by|reported by|received by|modifier|operator|editor|translator|illustrator|photographer|driver|pilot|witness|nickname)$"),
    ("phone", (*_TEXT, "integer"), r"(?!.*\bid$)\b(phone|tel|telp|telepon|telefono|telefone|telefon|telephone|mobile|cell|fax|mbtlnum|telno|phone ?(number|no)|gsm|handy|no hp|hp|whatsapp|celular|contact (number|no|num))\b"),
    ("gender", _TEXT, r"\b(gender|sex|sexe|jenis kelamin|geschlecht|genero|sexo)\b"),
    ("title.person", _TEXT, r"\b(salutation|honorific|name prefix|prefix name|courtesy)\b"),
    ("job", _TEXT, r"\b(job ?title|job|occupation|profession|position( title| name)?|designation|jabatan|cargo|puesto|pekerjaan|employment title)$"),
    ("company", _TEXT, r"\b((company|organi[sz]ation|org|firm|business|vendor|supplier|employer|manufacturer|publisher|bank|agency|carrier|partner|provider|counterparty|issuer|insurer|insurance|brand|sponsor|institution|entreprise|empresa|perusahaan|societe|firma|shipper|dealer|studio|airline|operator) ?(name)?|manufacturer|maker|nama perusahaan)$"),
    # places and machines
    ("ip", _TEXT, r"\b(ip( ?(address|addr|v4))?|host ip|remote addr|client addr)\b"),
    ("address.street", _TEXT, r"\b(street( address| name)?|address ?(line ?)?1?|addr|adr|adres|adress|strasse|straat|rue|calle|direccion|alamat|endereco|indirizzo|residence|address line|home address|shipping address|billing address|mailing address|adresse|domicilio|dizhi|lieu|road)$"),
    ("address.second", _TEXT, r"\b(address ?(line ?)?[23]|addr ?2|apartment|apt|suite|complement|complemento|unit number)$"),
    ("address.country_code", _TEXT, r"\b(country ?code|country iso|iso ?(code ?)?[23]?|country cd|nation code|countrycode)$"),
    ("address.country", _TEXT, r"\b(country( name| of \w+)?|nation|nationality|pais|pays|land|negara|citizenship|nacionalidad|issuerdomicile|domicile)$"),
    ("address.state", _TEXT, r"\b(state ?(name|province)?|province|region|county|estado|provinsi|provincia|bundesland|territory|district|kecamatan|kelurahan|neighbou?rhood|bairro|departement|prefecture|borough)$"),
    ("address.city", _TEXT, r"\b(city ?(name)?|town|ville|ciudad|cidade|kota|stadt|ort|citta|municipality|birth ?place|place of birth|tempat lahir|locality|village|hometown|place|lugar|lieu de naissance|origin|destination|departure|arrival|woonplaats|location|venue|headquarters)$"),
    ("address.zip", (*_TEXT, "integer"), r"\b(zip( ?code)?|postal( ?code)?|post ?code|plz|kode pos|codigo postal|code postal|cep|cap)$"),
    ("geo.lat", (*_NUMBER, "text"), r"\b(lat|latitude|latitud)$"),
    ("geo.lon", (*_NUMBER, "text"), r"\b(lon|lng|long|longitude|longitud)$"),
    # machines
    ("host", _TEXT, r"\b(host( ?name)?|server( name)?|instance name|node|machine)$"),
    ("domain", _TEXT, r"\b(domain( name)?|subdomain|fqdn)$"),
    ("useragent", _TEXT, r"\b(user agent|useragent|agent string)$"),
    ("url.image", _TEXT, r"\b(image|img|photo|avatar|picture|pic|logo|thumbnail|thumb|icon|banner|cover|foto|gambar|headimgurl|flier|poster|screenshot|portrait|image url|photo url)( ?(url|path|link|uri|src|file|name))?$"),
    ("url.page", _TEXT, r"\b(url|uri|link|website|web ?site|homepage|web|href|permalink|site|redirect|callback|webhook|endpoint|video|youtube|linkedin|blog)( ?(url|link))?$"),
    ("file.name", _TEXT, r"\b(file ?name|filename|original name|attachment|document name|file)$"),
    ("file.path", _TEXT, r"\b(path|directory|folder|dir|filepath|route|location path|storage)$"),
    ("file.mime", _TEXT, r"\b(mime( ?type)?|content type|media type|file type|filetype)$"),
    ("file.extension", _TEXT, r"\b(extension|ext|file format)$"),
    ("format", _TEXT, r"\bformat$"),
    ("formfactor", _TEXT, r"\b(dosage form|form)$"),
    ("mac", _TEXT, r"\bmac( ?addr\w*)?$"),
    ("cron", _TEXT, r"\b(cron\w*( expression)?|schedule expression)$"),
    ("class", _TEXT, r"\b(class ?name|job class|bean|handler|component class|function name|method name|procedure name|migration|entity class|javaclass|delegate)\b"),
    ("value", _TEXT, r"\b(values?|valor|valeur|wert|val|setting value|option value)$"),
    ("json", ("json",), r""),
    ("json", _TEXT, r"\b(json|payload|metadata|settings|config|configuration|params?|parameters|properties|options|extra|attributes|additional data|data|context|details json|meta|preferences|prop)$"),
    ("expression", _TEXT, r"\b(expression|sql|query|script|formula|condition|filter|rule|regex|pattern|criteria|code text)$"),
    ("css", _TEXT, r"\b(css|style|class css|theme)$"),
    ("version", _TEXT, r"\b(version|release|revision|build)( ?(number|no|name))?$"),
    # codes
    ("code.currency", _TEXT, r"\b(currency( ?code)?|ccy|devise|moneda|mata uang|iso currency)$"),
    ("code.language", _TEXT, r"\b(language( ?code)?|lang|idioma|langue|bahasa|sprache)$"),
    ("code.locale", _TEXT, r"\b(locale|culture|lc)$"),
    ("code.timezone", _TEXT, r"\b(time ?zone|timezone|tz|zone)$"),
    ("code.isbn", _TEXT, r"\bisbn\w*$"),
    ("code.barcode", (*_TEXT, "integer"), r"\b(barcode|bar code|ean\w*|upc|gtin)$"),
    ("code.iban", _TEXT, r"\b(iban|bank account|account (number|no)|accountno|rekening|no rekening)$"),
    ("code.card", _TEXT, r"\b(card (number|no)|credit card|cardnumber|pan)$"),
    ("code.national", _TEXT, r"\b(ssn|nik|national id|passport\w*( no| number)?|tax (id|number)|vat (id|no|number)|siret|siren|cnpj|cpf|dni|nif|npwp|ihidnum|license (no|number)|licence (no|number)|nip|nis|nisn|identity (no|number)|id ?card|rut|curp|rfc)$"),
    ("code.plate", _TEXT, r"\b((license |licence |number )?plate( ?(no|number))?|registration( (no|number))?|vin|plat nomor|immatriculation)$"),
    ("code.colour", _TEXT, r"\b(colou?r ?(code|hex)|hex)$"),
    ("colour", _TEXT, r"\b(colou?r|warna|couleur|farbe)( name)?$"),
    ("code", _TEXT, r"\b(code|cd|sku|kode|codigo|number|no|num|nr|nomor|numero|ref|reference|reference ?(no|number)|serial( ?(no|number))?|invoice|batch|lot|tracking( ?(no|number))?|identifier|symbol|abbreviation|abbr|acronym|short ?name|mnemonic|ticker|key|external id|externalid|label code|ident|scheme|sn|uid|cid|sid|oid|rid|gtin|isin|cusip|sedol|figi)$"),
    ("slug", _TEXT, r"\b(slug|url key|permalink|handle url)$"),
    # closed vocabularies
    ("status", (*_TEXT, "integer"), r"\b(status|statut|sttus|condition|phase|situation|estado civil|keadaan)( ?(name|code|id|flag))?$|\bstage$"),
    ("state", _TEXT, r"\b(state|estado)$"),
    ("marital", _TEXT, r"\b(marital( status)?|civil status)$"),
    ("blood", _TEXT, r"\bblood( ?(type|group))?$"),
    ("priority", _TEXT, r"\b(priority|urgency|importance)$"),
    ("severity", _TEXT, r"\b(severity|impact)$"),
    ("difficulty", _TEXT, r"\bdifficulty( level)?$"),
    ("loglevel", _TEXT, r"\b(log level|loglevel)$"),
    ("httpmethod", _TEXT, r"\b(http method|request method|verb)$"),
    ("paymentmethod", _TEXT, r"\b(payment ?(method|mode|type)|pay ?(type|method)|tender)$"),
    ("shippingmethod", _TEXT, r"\b(ship\w* ?(method|mode|via)|delivery ?(method|type|mode))$"),
    ("weekday", _TEXT, r"\b(day ?(of ?week|name)?|week ?day|hari|dia|jour)$"),
    ("month", _TEXT, r"\b(month( name)?|bulan|mes|mois)$"),
    ("season", _TEXT, r"\bseason$"),
    ("frequency", _TEXT, r"\b(frequency|interval|recurrence|period(icity)?|cycle|billing cycle|sampling frequency)$"),
    ("direction", _TEXT, r"\b(direction|in out|flow)$"),
    ("side", _TEXT, r"\b(side|buy sell)$"),
    ("relationship", _TEXT, r"\b(relation(ship)?|kinship|hubungan)( type)?$"),
    ("religion", _TEXT, r"\b(religion|agama)$"),
    ("education", _TEXT, r"\b(education( level)?|degree|pendidikan|qualification)$"),
    ("transmission", _TEXT, r"\btransmission$"),
    ("fuel", _TEXT, r"\bfuel( type)?$"),
    ("platform", _TEXT, r"\b(platform|device type|channel)$"),
    ("os", _TEXT, r"\b(os|operating system|os version)$"),
    ("browser", _TEXT, r"\bbrowser$"),
    ("source", _TEXT, r"\b(source|referrer|referer|origin source|lead source|medium)$"),
    ("optiontype", _TEXT, r"\b(option type|put call|call put)$"),
    ("exercise", _TEXT, r"\b(exercise( type| style)?|option exercise type)$"),
    ("daycount", _TEXT, r"\b(day ?count( convention)?)$"),
    ("bdc", _TEXT, r"\b(business ?day ?convention)$"),
    ("role", _TEXT, r"\b(role|roles|rol|user role|access level|permission level)$"),
    ("action", _TEXT, r"\b(action|operation|event type|activity type|permission|privilege|event name|method)$"),
    ("type", _TEXT, r"\b(type|types|kind|tipo|jenis|tipe|art|mode|typ|sort of|variant)( ?(name|code))?$"),
    ("category", _TEXT, r"\b(category|categories|categorie|categoria|kategori|classification|class|segment|genre|sector|section|industry|department|departament|division|tag|tags|topic|subject area|field|area|kelas|bagian|family)$"),
    ("level", _TEXT, r"\b(level|tier|rank|proficiency)$"),
    ("grade", _TEXT, r"\b(grade|mark letter|letter grade)$"),
    ("unit", _TEXT, r"\b(unit|uom|unit of measure|satuan|measure|unitname)$"),
    ("size", _TEXT, r"\b(size|ukuran|taille|dimension)$"),
    # long text
    ("text.question", _TEXT, r"\b(question|pertanyaan|pregunta|frage)( ?text)?$"),
    ("text.answer", _TEXT, r"\b(answer|response|reply|jawaban|respuesta|option text|choice)( ?text)?$"),
    ("text.reason", _TEXT, r"\b(reason|cause|justification|alasan|motif|motivo)$"),
    ("text.bio", _TEXT, r"\b(bio|biography|about|about me|profile|self description|introduction|intro|signature text)$"),
    ("text.subject", _TEXT, r"\b(subject|headline|topic title|email subject|betreff|objet)$"),
    ("text.body", _TEXT, r"\b(body|content|contents|text|article|html|story|isi|contenu|post text|full text|markdown|message body|letter)$"),
    ("text.message", _TEXT, r"\b(message|msg|notification|alert|sms|pesan|mensaje|tweet|chat|error( message)?|log|log message|output|result text|exception|stack trace)$"),
    ("text.comment", _TEXT, r"\b(comments?|notes?|remarks?|review|feedback|memo|keterangan|observations?|commentaire|comentarios?|bemerkung|catatan|annotation|hint|internal note|statement|opinion|testimonial|cnt|rm)$"),
    ("text.description", _TEXT, r"\b(desc|descr|description|descripcion|descricao|deskripsi|beschreibung|summary|details?|overview|abstract|synopsis|explanation|info|information|caption|excerpt|instructions?|requirements?|ingredients|objective|scope|purpose|terms|specification|syllabus|agenda|transcript|methodology|short description|long description|placeholder|help text|alt( text)?|tooltip)$"),
    ("name", _TEXT, r"\b(names?|title|titel|titre|judul|nombre|nome|nama|naam|nom|nm|label|designation|libelle|bezeichnung|display|caption|display name|term|word|heading|denomination|titulo|keyword|value name)$"),
    # numbers
    ("number.year", (*_NUMBER, "text"), r"\b(year|tahun|jahr|ano|annee|anio|yr)$"),
    ("number.month", ("integer",), r"\b(month|bulan|mes|mois|monat)$"),
    ("number.day", ("integer",), r"\b(day of month|day|hari|jour|dia)$"),
    ("number.age", (*_NUMBER, "text"), r"\b(age|umur|edad|alter|idade|usia)$"),
    ("number.rating", _NUMBER, r"\b(rating|stars?|review score|satisfaction|rate stars)$"),
    ("money.unit", _NUMBER, r"\b(nightly|hourly|daily|weekly|monthly|base|day|room|hour|standard) rate$|\b((unit|sale|selling|list|retail|regular|buy|purchase|cost|base|original|net|item|sell|strike|issuance) ?(price|cost)|price( per \w+)?|cost( per \w+| price)?|harga|prix|precio|preco|preis|prezzo|fee|charge|fare|rent|tarif|tariff|strike|wholesale|retail)$"),
    ("number.percent", _NUMBER, r"\b(percent\w*|pct|ratio|share|probability|confidence|accuracy|progress|completion|discount (rate|percent\w*)|tax rate|vat( rate)?|commission( rate)?|coupon ?rate|interest( rate)?|rate|margin|yield|gearing|weight factor|factor|spread|fixed rate|variance)$"),
    ("number.quantity", _NUMBER, r"\b(quantity|qty|quantite|cantidad|jumlah|menge|amount ordered|units|pieces|items?|copies|seats|tickets|guests|passengers|pax|participants|persons|adults|children|rooms?|bedrooms|bathrooms|floors|doors|servings|portions|credits|credit hours)$"),
    ("money.tax", _NUMBER, r"\b(tax( amount| total)?|vat amount|gst|iva|ppn)$"),
    ("money.discount", _NUMBER, r"\b(discount( amount)?|rebate|reduction|diskon)$"),
    ("money.shipping", _NUMBER, r"\b(shipping( cost| fee)?|freight|delivery (fee|cost)|postage)$"),
    ("money.subtotal", _NUMBER, r"\b(sub ?total|net amount|total taxable|amount before tax)$"),
    ("money.line", _NUMBER, r"\b(line ?total|line amount|extended price|total price|item total)$"),
    ("money.total", _NUMBER, r"\b((grand |order |invoice |total )?(total|amount|amt|sum|value)( due| paid| amount| price| cost| payable)?|montant|importe|monto|betrag|valor|nilai total|total|payment|price total|bayar)$"),
    ("money.large", _NUMBER, r"\b(salary|wage|gaji|salario|income|budget|revenue|sales|turnover|balance|credit( limit)?|limit|loan|deposit|principal|notional\w*|capital|funding|goal|target|pledged|worth|payroll|earnings?|minimumamount|minimumincrement|totalamountissued|paramount|redemptionvalue|net worth|cash|nav|invested|bonus|expense|debt|cap)( amount)?$"),
    ("number.stock", _NUMBER, r"\b(stock|on hand|inventory|in stock|units in stock|available|stok|remaining|reorder level|capacity|max\w*|limit|size|min\w*|threshold|quota)$"),
    ("number.count", _NUMBER, r"\b(\w+ ?count|count|cnt|num \w+|number of \w+|views?|hits|clicks|likes?|followers|downloads|visits|impressions|shares|votes|points|attempts|retries|total \w+|upvotes|posts|comments|replies|plays|members|tries|times)$"),
    ("number.duration", _NUMBER, r"\b(duration|length|minutes|mins|hours|seconds|secs|time|elapsed|runtime|timeout|delay|ms|milliseconds|days|weeks|months|hours worked|overtime|lead time|execution time|response time|prep time|cook time)$"),
    ("number.weight", _NUMBER, r"\b(weight|mass|kg|berat|gewicht|poids|peso)$"),
    ("number.height", _NUMBER, r"\b(height|tall|tinggi|altura|hauteur|width|depth|breadth|length|radius|diameter|thickness|x|y|z|left|top|right|bottom)$"),
    ("number.distance", _NUMBER, r"\b(distance|km|miles|mileage|kilometers|odometer|range)$"),
    ("number.temperature", _NUMBER, r"\b(temperature|temp|suhu|celsius)$"),
    ("number.score", _NUMBER, r"\b(score|marks?|points|result|grade|gpa|nilai|nota|note|evaluation|average|avg|mean|level|rank|spam \w+ level)$"),
    ("number.position", ("integer",), r"\b(position|sort|sort ?order|order|ordinal|sequence|seq|rank|display order|index|priority|line ?(no|number)|line|row|number|no|num|nr|urutan|step|slot|sort no|weight order|depth|lft|rgt|page|chapter|floor|level)$"),
    ("number.bytes", _NUMBER, r"\b(file ?size|size|bytes|length bytes|content length|filesize|memory|disk)$"),
    ("number.version", ("integer",), r"\b(version|revision|lock version|optlock|iteration|build)$"),
    ("number.port", ("integer",), r"\bport$"),
    ("number.reference", ("integer",), r"\b(id|ids|fk|ref|by|user|uid|cid|sid|mid|tid|rid|pid|gid|parent|owner|author|creator|accountid|userid|parentid)$"),
)  # fmt: skip
#: Of text columns, only those that say so are dates.
_DATED = re.compile(r"\b(date|time|on|at|when|datum|fecha|since|check ?in|start\w*)\b")
_COMPILED = tuple((meaning, kinds, re.compile(pattern)) for meaning, kinds, pattern in _PATTERNS)


@lru_cache(maxsize=65536)
def meaning_of(words: tuple[str, ...], kind: str) -> str:
    """The meaning of a column; "" where no pattern fits."""
    text = " ".join(word for word in words if not word.isdigit()) or " ".join(words)
    found = _first(text, kind)
    if not found and kind == "text":  # numbers and dates that are kept as text
        for other in ("datetime", "decimal"):
            found = _first(text, other)
            if found and (other == "decimal" or found != "date.start" or _DATED.search(text)):
                return found
        return ""
    return found


def _first(text: str, kind: str) -> str:
    return next((m for m, kinds, pattern in _COMPILED if (not kinds or kind in kinds) and pattern.search(text)), "")
