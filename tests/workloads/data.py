"""A few rows for each workload; everything follows from the seed, and each query's constants occur in the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from random import Random

Rows = Sequence[tuple[object, ...]]
Tables = Mapping[str, Rows]

REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = {
    "AFRICA": ("ALGERIA", "KENYA"),
    "AMERICA": ("UNITED STATES", "CANADA", "BRAZIL"),
    "ASIA": ("CHINA", "INDIA"),
    "EUROPE": ("GERMANY", "FRANCE", "UNITED KINGDOM"),
    "MIDDLE EAST": ("SAUDI ARABIA", "IRAN"),
}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def ssb(seed: int = 1, lines: int = 12000) -> Tables:
    """Return the tables of the Star Schema Benchmark."""
    random = Random(seed)
    days = [date(year, month, day) for year in range(1992, 1999) for month in range(1, 13) for day in (3, 8, 26)]
    places = [(city, n, r) for r, names in NATIONS.items() for n in names for city in (f"{n[:9]:9}1", f"{n[:9]:9}5")]
    # The nations that many queries ask for have more than their share.
    weights = [5 if nation.startswith("UNITED") else 1 for _, nation, _ in places]
    customers, suppliers = ([(i, *random.choices(places, weights)[0]) for i in range(60)] for _ in range(2))
    parts = [(i, f"part {i}", *_brand(i)) for i in range(125)]
    keys = [_date_key(day) for day in days]
    orders = [
        (
            line // 4, line % 4, random.randrange(60), random.randrange(125), random.randrange(60), random.choice(keys),
            random.randint(1, 50), random.randint(1, 10**6), random.randint(0, 10), random.randint(1, 10**6),
            random.randint(1, 10**5),
        )
        for line in range(lines)
    ]  # fmt: skip
    return {
        "dates": [_ssb_date(day) for day in days],
        "customer": [(i, f"Customer {i}", *place, "BUILDING") for i, *place in customers],
        "supplier": [(i, f"Supplier {i}", *place) for i, *place in suppliers],
        "part": parts,
        "lineorder": orders,
    }


def _date_key(day: date) -> int:
    return day.year * 10000 + day.month * 100 + day.day


def _ssb_date(day: date) -> tuple[object, ...]:
    month = MONTHS[day.month - 1]
    week = (day.timetuple().tm_yday - 1) // 7 + 1
    number, name = day.year * 100 + day.month, f"{month}{day.year}"
    return _date_key(day), str(day), day.strftime("%A"), month, day.year, number, name, week


def _brand(part: int) -> tuple[str, str, str]:
    maker, category, brand = part % 5 + 1, part // 5 % 5 + 1, (1, 21, 22, 28, 39)[part // 25]
    return f"MFGR#{maker}", f"MFGR#{maker}{category}", f"MFGR#{maker}{category}{brand}"


def tpch(seed: int = 1, orders: int = 500) -> Tables:
    """Return the tables of TPC-H."""
    random = Random(seed)
    nations = [(i, n, REGIONS.index(r), "") for i, (n, r) in enumerate((n, r) for r in REGIONS for n in NATIONS[r])]
    many = len(nations)
    suppliers = [_supplier(random, i, many) for i in range(24)]
    parts = [_part(random, i) for i in range(60)]
    offers = [
        (part, (part + 6 * i) % 24, random.randint(1, 99), _money(random, 1, 1000), "")
        for part in range(60)
        for i in range(4)
    ]
    placed = [_order(random, i) for i in range(orders)]
    return {
        "region": [(i, name, "") for i, name in enumerate(REGIONS)],
        "nation": nations,
        "supplier": suppliers,
        "customer": [_customer(random, i, many) for i in range(80)],
        "part": parts,
        "partsupp": offers,
        "orders": placed,
        "lineitem": [line for order in placed for line in _lines(random, order)],
    }


def _money(random: Random, low: int, high: int) -> str:
    return f"{random.randint(low * 100, high * 100) / 100:.2f}"


def _phone(random: Random, nation: int) -> str:
    return f"{random.choice((13, 31, 23, 29, 10 + nation))}-{random.randint(100, 999)}-1234"


def _supplier(random: Random, key: int, nations: int) -> tuple[object, ...]:
    nation = random.randrange(nations)
    comment = random.choice(("", "", "Customer and more Complaints"))
    money = _money(random, -900, 9000)
    return key, f"Supplier#{key}", f"street {key}", nation, _phone(random, nation), money, comment


def _customer(random: Random, key: int, nations: int) -> tuple[object, ...]:
    nation = random.randrange(nations)
    segment = random.choice(("BUILDING", "AUTOMOBILE", "MACHINERY"))
    money = _money(random, -900, 9000)
    return key, f"Customer#{key}", f"road {key}", nation, _phone(random, nation), money, segment, ""


def _part(random: Random, key: int) -> tuple[object, ...]:
    name = random.choice(("forest green", "green lace", "navy blue", "forest pink"))
    kind = random.choice(
        ("ECONOMY ANODIZED STEEL", "PROMO BURNISHED BRASS", "MEDIUM POLISHED TIN", "SMALL PLATED BRASS")
    )
    brand = random.choice(("Brand#12", "Brand#23", "Brand#34", "Brand#45"))
    box = random.choice(("SM CASE", "SM PKG", "MED BOX", "MED BAG", "LG CASE", "LG BOX"))
    return key, f"{name} {key}", "Manufacturer#1", brand, kind, random.choice((1, 3, 5, 9, 14, 15, 49)), box, "9.99", ""


def _order(random: Random, key: int) -> tuple[object, ...]:
    day = date(1992, 1, 1) + timedelta(days=random.randrange(2400))
    priority = random.choice(("1-URGENT", "2-HIGH", "3-MEDIUM", "5-LOW"))
    comment = random.choice(("", "", "special packages, requests", "quick"))
    # A third of the customers never orders.
    return key, random.randrange(54), random.choice("FOP"), _money(random, 900, 99999), day, priority, "", 0, comment


def _lines(random: Random, order: tuple[object, ...]) -> Iterator[tuple[object, ...]]:
    placed = order[4]
    assert isinstance(placed, date)
    large = order[0] in (7, 77, 177)
    for number in range(7 if large else random.choice((1, 2, 4))):
        quantity = "50" if large else str(random.randint(1, 50))
        part = random.randrange(60)
        shipped = placed + timedelta(days=random.randint(1, 120))
        yield (
            order[0], part, (part + 6 * random.randrange(4)) % 24, number, quantity,
            _money(random, 900, 99999), f"0.{random.randint(0, 10):02d}", f"0.{random.randint(0, 8):02d}",
            random.choice("RAN"), random.choice("OF"), shipped, placed + timedelta(days=random.randint(30, 90)),
            shipped + timedelta(days=random.randint(1, 30)), random.choice(("DELIVER IN PERSON", "NONE")),
            random.choice(("AIR", "AIR REG", "MAIL", "SHIP")), "",
        )  # fmt: skip


TABLES: Mapping[str, Callable[[], Tables]] = {"ssb": ssb, "tpch": tpch}
