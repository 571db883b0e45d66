"""The words in identifiers, as an English reader says them.

Abbreviations are written out, words that were run together are parted, and it is told which words are English
nouns: only those take a plural here ("anggota" gives "anggota records").
"""

from __future__ import annotations

from functools import lru_cache

from sqale_assets.relational import names

_ABBREVIATIONS = {
    "acct": "account", "addr": "address", "adr": "address", "adress": "address", "amt": "amount", "appt": "appointment",
    "auth": "authorization", "avg": "average", "bal": "balance", "cat": "category", "config":
    "configuration", "coord": "coordinate", "cust": "customer", "dept": "department", "desc": "description", "descr":
    "description", "dest": "destination", "dist": "distance", "dob": "birth date", "doc": "document", "dt": "date",
    "emp": "employee", "evt": "event", "firstname": "first name", "fname": "first name", "freq": "frequency", "img":
    "image", "info": "information", "lang": "language", "lastname": "last name", "lat": "latitude", "lng": "longitude",
    "lname": "last name", "loc": "location", "lon": "longitude", "long": "longitude", "max": "maximum", "mgr":
    "manager", "min": "minimum", "msg": "message", "num": "number", "org": "organization", "pct": "percentage", "pos":
    "position", "prev": "previous", "prod": "product", "proj": "project", "pwd": "password", "qty": "quantity", "ref":
    "reference", "reg": "registration", "req": "request", "seq": "sequence", "spec": "specification", "stat":
    "statistic", "std": "standard", "subj": "subject", "surname": "surname", "tel": "telephone", "temp": "temperature",
    "tot": "total", "trans": "transaction", "txn": "transaction", "val": "value", "vol": "volume", "wt": "weight",
    "yr": "year", "zipcode": "zip code", "birthdate": "birth date", "birthday": "birthday", "lastupdate": "last update",
    "datetime": "time", "timestamp": "time", "usr": "user", "pw": "password", "nr": "number", "prio": "priority",
}  # fmt: skip

#: Nouns that name what schemas are about, and the words that join with them.
_NOUNS_TEXT = """
    absence account accountant action activity actor addition address admin administrator advance
    advertisement advertiser advisor affiliate age agency agenda agent agreement air aircraft airline
    airport album alert alias allergy allocation allowance amenity amount analysis analyst animal
    annotation announcement answer apartment api app applicant application appointment approval area arm
    art artefact article artifact artist artwork assessment asset assignee assignment attachment attempt
    attendance attendee attribute auction audit author authority authorization availability award backer
    backup badge balance ban bank banner base basket batch bay beach bed bee benefit bid bill billing bin
    blob block blog board boat body bond bonus book booking bookmark box branch brand browser budget bug
    building bundle bus business button buyer cache cake calendar call caller campaign campus candidate
    capacity car card care carrier cart case cash catalog catalogue category certificate certification
    chain chair change channel chapter charge chart chat check child choice city claim class
    classification clause client clinic clock club coach code collection college colonist color column
    comment commission committee commodity company compatibility competition competitor complaint
    component condition conference config configuration connection consent consumer contact container
    content contest contract contractor contribution contributor control conversation conversion cost
    counter country county coupon course court coverage cow crawl creator credential credit crew criterion
    crop cup currency custodian customer cycle dam data database dataset date day dealer debt decision
    deck defect definition degree delivery department dependency dependent deposit depot description
    design designer desk destination detail developer device diagnosis dialog dialogue dimension directory
    discount discussion disease dish dispatch display dispute distance distribution distributor district
    division doctor document dog domain donation donor download draft driver drug duration duty ear edge
    edit edition editor egg element email employee employer employment encounter engine enrollment
    enrolment entity entry environment episode equipment error escalation estimate evaluation event
    evidence exam examination exception exchange execution exercise exhibit expense experience experiment
    expert export extension facility factor factory faculty failure family fan farm farmer favorite
    feature fee feed feedback field figure file filter finding fine firm fish fit flag fleet flight floor
    flow folder follow follower food forecast form format forum foundation friend friendship fruit fund
    funding game garage gas gate gateway gene general genre goal grade grant graph group groupe guarantee
    guardian guest guide guild gym habitat harvest hashtag hay health helper hike history holding holiday
    home hospital host hotel hour house household housing hub ice identity image import incident index
    indicator industry information ingredient inspection inspector installation instance institution
    instruction instructor instrument insurance interaction interest interview inventory investment
    investor invitation invite invoice issue item iteration itinerary job journal journey judge keyword
    kind kingdom kit kitchen lab label laboratory land landlord language layer lead league lease leave
    lecture lecturer ledger lender lesson level library licence license like limit line link list listing
    loan locale location lock log login lot machine mail mailbox maintenance maker manager manufacturer
    map mark market match mate material matter meal measure measurement mechanic media medication medicine
    meeting member membership memo menu merchant message meter method metric migration milestone mill
    minute mission model moderator module monitor month mortgage movement movie name nationality network
    newsletter node note notice notification number nurse objective observation occupation offer office
    officer oil operation operator opinion opportunity option order organisation organization origin
    outcome outlet output owner package page painting panel paper paragraph parameter parcel parent part
    participant participation partner partnership party passenger passport password patch path patient
    pattern payment payroll peer penalty performance period permission permit person persona pest pet
    phase phone photo photographer phrase picture pipeline pitch place plan planet plant planting plate
    platform play player playlist plot plugin point policy poll pool population portfolio position post
    poster practice practitioner preference premise premises prescription presentation price priority
    prize problem procedure process processor producer product production professor profile program
    programme project promotion prompt property proposal protocol provider province pub publication
    publisher purchase purpose quality quantity quarter query question queue quiz quota quote race rank
    rate rating reaction reader reading reason receipt receiver recipe recipient recommendation record
    recruiter recruitment referee reference referral refund region registration relation relationship
    release reminder rent rental repair reply report reporter repository request requirement reservation
    reset resident resolution resource response responsibility restaurant result retailer return revenue
    review reviewer revision reward ride right risk role room rota round route routine row rule run runner
    salary sale salesperson sample sandbox scan scenario schedule scheme scholarship school scope score
    screen screening script sea search season seat secret section sector security segment seller semester
    sender sensor sequence series server service session setting settlement share shareholder sheet shelf
    shift ship shipment shipper shipping shoe shop show signal signature site size skill slot snapshot
    source space spaceport spaceship speaker specialist specialty species specification sponsor sport spot
    staff stage stakeholder standard state statement station statistic status step stock stop storage
    store stream street student study style subject submission subscriber subscription supervisor supplier
    supply support survey symbol symptom system table tag target tariff task tax tea teacher team
    technician technology template tenant term territory test text theatre theme thread threshold ticket
    tier time timesheet title todo token tool topic tour tournament toy track trade trainer training
    transaction transfer transition translation transmission transport trap travel treatment trend trial
    trip truck trust tutor tweet type unit university update upload usage user utility vaccination vaccine
    validation value variant variety vehicle vendor venue version video view visit visitor volunteer vote
    voter voucher wallet ward warehouse warning warranty watch weather web website week wine winner wish
    wishlist word work worker workflow workout workshop workspace world year zone
"""
_NOUNS = frozenset(_NOUNS_TEXT.split())
#: Words that are no nouns but stand in names that were run together ("weeklyschedule").
_OTHERS_TEXT = """
    access active add all annual answered approved archived assigned attack auto available average birth
    birthday blue born by cancelled client closed color colour completed contact count created current daily day
    default deleted due email enabled end ended ending expired expiry external failed favourite federal final
    first found free full given green gross head height hidden home id in internal invoice is known last legal
    length local location long main manual max maximum medical mid middle minimum mobile monthly my name net new
    next nick night number of office old on online open opened order original other out paid parent pass payment
    pending phone photo planned postal premium previous primary private project public published raw read real
    recent red registered required reserved resolved sales secondary sent shared short sold special start
    started starting state sub suspended tax temporary to top total unique updated user valid verified visible
    weekly weight white whole width with x yearly zip
"""
_OTHERS = frozenset(_OTHERS_TEXT.split())

_NOUN_ENDINGS = ("tion", "sion", "ment", "ness", "ship", "ance", "ence", "ology", "graphy", "work", "list", "book")
_UNCOUNTABLE = frozenset(
    ["data", "information", "insurance", "maintenance", "housing", "software", "billing", "shipping"]
)
_FLAG_WORDS = frozenset(["is", "was", "are"])
#: Verbs before "by" in a key's name, as the one who did it is called.
DOERS = {
    "created": "creator", "updated": "last editor", "modified": "last editor", "edited": "editor", "approved":
    "approver", "owned": "owner", "sent": "sender", "received": "receiver", "assigned": "assignee", "reviewed":
    "reviewer", "reported": "reporter", "posted": "poster", "written": "writer", "requested": "requester", "verified":
    "verifier", "uploaded": "uploader", "invited": "inviter", "managed": "manager", "deleted": "deleter",
}  # fmt: skip


@lru_cache(maxsize=65536)
def spoken(identifier: str) -> tuple[str, ...]:
    """The identifier's words, written out: `custAddr` gives customer, address; `orderuser` gives order, user."""
    found: list[str] = []
    for word in names.words(identifier):
        for part in _parted(word):
            found += _ABBREVIATIONS.get(part, part).split()
    if found and found[-1] == "no":
        found[-1] = "number"
    return tuple(found)


@lru_cache(maxsize=65536)
def _parted(word: str) -> tuple[str, ...]:
    """A word that was run together out of known ones, in its parts; any other word as it is."""
    if len(word) < 7 or is_noun(word) or word in _OTHERS or word in _ABBREVIATIONS:
        return (word,)
    best: list[tuple[str, ...] | None] = [()] + [None] * len(word)
    for end in range(3, len(word) + 1):
        for start in range(end - 2):
            head, tail = best[start], word[start:end]
            if head is None or not (is_noun(tail) or tail in _OTHERS or tail in _ABBREVIATIONS) or len(tail) < 3:
                continue
            if best[end] is None or len(head) + 1 < len(best[end]):
                best[end] = (*head, tail)
    parts = best[-1]
    return parts if parts and len(parts) <= 4 else (word,)


@lru_cache(maxsize=65536)
def is_noun(word: str) -> bool:
    """Whether the word, in either number, is a noun known here or has the ending of an English noun."""
    one = names.singular(word)
    return word in _NOUNS or one in _NOUNS or (len(one) > 6 and one.endswith(_NOUN_ENDINGS))


def is_uncountable(word: str) -> bool:
    """Whether an English noun has no plural, so that its rows are better called records ("history records")."""
    one = names.singular(word)
    return one in _UNCOUNTABLE or names.plural(one) == one


@lru_cache(maxsize=65536)
def is_readable(word: str) -> bool:
    """Whether a reader can say the word: not a code such as "x3" or "qrtz"."""
    return word.isalpha() and (word in ("id", "no", "ip", "of", "to", "by", "on", "at") or (
        len(word) > 2 and any(letter in "aeiouyáéíóúàèäöü" for letter in word)
    ))  # fmt: skip


def plural(phrase: str) -> str:
    """The plural of a noun phrase: date of birth gives dates of birth."""
    head, of, rest = phrase.partition(" of ")
    return " ".join(names.plural_words(tuple(head.split()))) + of + rest


def is_prefix(word: str) -> bool:
    """Whether a word before a table's noun only says which application it belongs to: sec, hr, qrtz."""
    known = word in _ABBREVIATIONS or word in _OTHERS or is_noun(word)
    return not known and (len(word) <= 3 or not is_readable(word))


def is_flag(words: tuple[str, ...]) -> bool:
    return words[:1] != () and words[0] in _FLAG_WORDS and len(words) > 1


def names_doer(identifier: str) -> bool:
    """Whether an identifier says who did something (created_by), so that a number in it is a key."""
    return spoken(identifier)[-1:] == ("by",)


#: What was done at a time that is called by a noun.
_DEEDS = {
    "creation date": "created", "last update": "last updated", "deletion date": "deleted", "birth date": "born",
    "hire date": "hired", "due date": "due", "registration date": "registered", "registration time": "registered",
    "purchase date": "purchased", "publication date": "published", "release date": "released", "issue date": "issued",
    "start date": "starting", "start time": "starting", "end date": "ending", "end time": "ending",
    "expiry date": "expiring", "expiration date": "expiring", "payment date": "paid", "delivery date": "delivered",
    "shipping date": "shipped", "enrollment date": "enrolled", "enrolment date": "enrolled", "booking date": "booked",
    "admission date": "admitted", "discharge date": "discharged", "submission date": "submitted", "sent date": "sent",
    "approval date": "approved", "return date": "returned", "arrival date": "arriving", "departure date": "departing",
    "join date": "joined", "opening date": "opened", "closing date": "closed", "installation date": "installed",
}  # fmt: skip


def deed(phrase: str) -> str | None:
    """The verb for what a date tells of: "placed" for a placed date, None where there is none."""
    what, _, last = phrase.rpartition(" ")
    return _DEEDS.get(phrase) or (what if last == "date" and what.isalpha() and what.endswith("ed") else None)
