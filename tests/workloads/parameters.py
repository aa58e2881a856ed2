"""Draws the parameters of TPC-H's and SSB's queries, as their specifications define them, and puts them into the texts.

The constants of TPC-H are those of section 2.4 of its specification. The nations, types and other names are those of
the rows in `data.py`, besides a few that no row has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from random import Random

from tests.workloads.data import NATIONS, REGIONS

# Maps the constants of a query's text to drawn ones.
Drawn = Mapping[str, str]

_COLORS = ("green", "navy", "forest", "lace", "pink", "almond", "ghost")
_SEGMENTS = ("BUILDING", "AUTOMOBILE", "MACHINERY", "HOUSEHOLD", "FURNITURE")
_TYPES = ("ECONOMY ANODIZED STEEL", "PROMO BURNISHED BRASS", "MEDIUM POLISHED TIN", "SMALL PLATED BRASS", "LARGE TIN")
_METALS = ("BRASS", "TIN", "STEEL", "COPPER", "NICKEL")
_MODES = ("AIR", "AIR REG", "MAIL", "SHIP", "RAIL", "TRUCK", "FOB")
_BOXES = ("MED BOX", "SM CASE", "LG BOX", "JUMBO PKG", "WRAP JAR")
_FIRST_WORDS, _SECOND_WORDS = (
    ("special", "pending", "unusual", "express"),
    ("packages", "requests", "accounts", "deposits"),
)
_CITIES = tuple(f"{nation[:9]:9}{digit}" for each in NATIONS.values() for nation in each for digit in (1, 5))


def substituted(sql: str, drawn: Drawn) -> str:
    """Return the query with its constants replaced, all at once; raise ValueError if the text lacks one of them."""
    marks = {constant: f"\0{i}\0" for i, constant in enumerate(drawn)}
    for constant, mark in marks.items():
        if constant not in sql:
            raise ValueError(f"the query has no {constant}: {sql}")
        sql = sql.replace(constant, mark)
    for constant, mark in marks.items():
        sql = sql.replace(mark, drawn[constant])
    return sql


def _day(when: date) -> str:
    return f"DATE '{when}'"


def _month(random: Random, first: date, last: date) -> date:
    months = random.randint(first.year * 12 + first.month - 1, last.year * 12 + last.month - 1)
    return date(months // 12, months % 12 + 1, 1)


def _after(month: date, months: int) -> date:
    number = month.year * 12 + month.month - 1 + months
    return date(number // 12, number % 12 + 1, 1)


def _months(random: Random, first: date, last: date, months: int, typed: tuple[str, str]) -> Drawn:
    begin = _month(random, first, last)
    return dict(zip(typed, (_day(begin), _day(_after(begin, months))), strict=True))


def _year(random: Random) -> Drawn:
    year = random.randint(1993, 1997)
    return {"DATE '1994-01-01'": _day(date(year, 1, 1)), "DATE '1995-01-01'": _day(date(year + 1, 1, 1))}


def _nation(random: Random) -> str:
    return random.choice([nation for each in NATIONS.values() for nation in each])


def _brand(random: Random) -> str:
    return f"Brand#{random.randint(1, 5)}{random.randint(1, 5)}"


def _q6(random: Random) -> Drawn:
    percent = random.randint(2, 9)
    between = f"BETWEEN 0.{percent - 1:02d} AND {(percent + 1) / 100:.2f}"
    return {**_year(random), "BETWEEN 0.05 AND 0.07": between, "< 24": f"< {random.randint(24, 25)}"}


def _q7(random: Random) -> Drawn:
    one, other = random.sample([nation for each in NATIONS.values() for nation in each], 2)
    return {"'FRANCE'": f"'{one}'", "'GERMANY'": f"'{other}'"}


def _q8(random: Random) -> Drawn:
    region = random.choice(REGIONS)
    nation = random.choice(NATIONS[region])
    return {"'BRAZIL'": f"'{nation}'", "'AMERICA'": f"'{region}'", _TYPES[0]: random.choice(_TYPES)}


def _q16(random: Random) -> Drawn:
    sizes = ", ".join(map(str, random.sample(range(1, 51), 8)))
    kind = " ".join(random.choice(_TYPES).split()[:2])
    return {"Brand#45": _brand(random), "MEDIUM POLISHED": kind, "49, 14, 23, 45, 19, 3, 36, 9": sizes}


def _q19(random: Random) -> Drawn:
    first, second, third = random.randint(1, 10), random.randint(10, 20), random.randint(20, 30)
    return {
        "l_quantity >= 1 AND l_quantity <= 11": f"l_quantity >= {first} AND l_quantity <= {first + 10}",
        "l_quantity >= 10 AND l_quantity <= 20": f"l_quantity >= {second} AND l_quantity <= {second + 10}",
        "l_quantity >= 20 AND l_quantity <= 30": f"l_quantity >= {third} AND l_quantity <= {third + 10}",
        "Brand#12": _brand(random), "Brand#23": _brand(random), "Brand#34": _brand(random),
    }  # fmt: skip


def _q22(random: Random) -> Drawn:
    codes = random.sample(range(10, 35), 7)
    return {"'13', '31', '23', '29', '30', '18', '17'": ", ".join(f"'{code}'" for code in codes)}


def _chosen(**constants: tuple[str, ...]) -> Callable[[Random], Drawn]:
    """Return a function that draws one of several texts for each constant; `_` in a keyword is a space."""
    return lambda random: {name.replace("_", " "): random.choice(texts) for name, texts in constants.items()}


def _two_years(random: Random) -> Drawn:
    first = random.randint(1992, 1997)
    return {"d_year = 1997 OR d_year = 1998": f"d_year = {first} OR d_year = {first + 1}"}


def _years(random: Random) -> Drawn:
    first = random.randint(1992, 1995)
    years = f"d_year >= {first} AND d_year <= {first + random.randint(1, 3)}"
    return {"d_year >= 1992 AND d_year <= 1997": years}


def _discount(random: Random, typed: str) -> Drawn:
    least = random.randint(0, 8)
    return {typed: f"lo_discount BETWEEN {least} AND {least + 2}"}


def _quantity(random: Random) -> Drawn:
    least = random.randint(1, 40)
    return {"lo_quantity BETWEEN 26 AND 35": f"lo_quantity BETWEEN {least} AND {least + 9}"}


def _makers(random: Random) -> Drawn:
    one, other = random.sample(range(1, 6), 2)
    return {"'MFGR#1'": f"'MFGR#{one}'", "'MFGR#2'": f"'MFGR#{other}'"}


def _cities(random: Random) -> Drawn:
    one, other = random.sample(_CITIES, 2)
    return {"'UNITED KI1'": f"'{one}'", "'UNITED KI5'": f"'{other}'"}


def _category(random: Random) -> str:
    return f"MFGR#{random.randint(1, 5)}{random.randint(1, 5)}"


def _brands(random: Random) -> Drawn:
    category, least = _category(random), random.randint(1, 33)
    return {"'MFGR#2221'": f"'{category}{least}'", "'MFGR#2228'": f"'{category}{least + 7}'"}


_TPCH: Mapping[str, Callable[[Random], Drawn]] = {
    "q1": lambda random: {"DATE '1998-09-02'": _day(date(1998, 12, 1) - timedelta(days=random.randint(60, 120)))},
    "q2": lambda random: {"= 15": f"= {random.randint(1, 50)}", "BRASS": random.choice(_METALS),
                          "'EUROPE'": f"'{random.choice(REGIONS)}'"},
    "q3": lambda random: {"BUILDING": random.choice(_SEGMENTS),
                          "DATE '1995-03-15'": _day(date(1995, 3, random.randint(1, 31)))},
    "q4": lambda random: _months(random, date(1993, 1, 1), date(1997, 10, 1), 3,
                                 ("DATE '1993-07-01'", "DATE '1993-10-01'")),
    "q5": lambda random: {**_year(random), "'ASIA'": f"'{random.choice(REGIONS)}'"},
    "q6": _q6,
    "q7": _q7,
    "q8": _q8,
    "q9": _chosen(green=_COLORS),
    "q10": lambda random: _months(random, date(1993, 2, 1), date(1995, 1, 1), 3,
                                  ("DATE '1993-10-01'", "DATE '1994-01-01'")),
    "q11": lambda random: {"'GERMANY'": f"'{_nation(random)}'", "0.0001": random.choice(("0.0001", "0.001", "0.01"))},
    "q12": lambda random: {**_year(random), "'MAIL', 'SHIP'": "'{}', '{}'".format(*random.sample(_MODES, 2))},
    "q13": _chosen(special=_FIRST_WORDS, requests=_SECOND_WORDS),
    "q14": lambda random: _months(random, date(1993, 1, 1), date(1997, 12, 1), 1,
                                  ("DATE '1995-09-01'", "DATE '1995-10-01'")),
    "q15": lambda random: _months(random, date(1993, 1, 1), date(1997, 10, 1), 3,
                                  ("DATE '1996-01-01'", "DATE '1996-04-01'")),
    "q16": _q16,
    "q17": lambda random: {"Brand#23": _brand(random), "MED BOX": random.choice(_BOXES)},
    "q18": lambda random: {"300": str(random.randint(200, 315))},
    "q19": _q19,
    "q20": lambda random: {**_year(random), "forest": random.choice(_COLORS), "'CANADA'": f"'{_nation(random)}'"},
    "q21": lambda random: {"'SAUDI ARABIA'": f"'{_nation(random)}'"},
    "q22": _q22,
}  # fmt: skip
_SSB: Mapping[str, Callable[[Random], Drawn]] = {
    "q1.1": lambda random: {"1993": str(random.randint(1992, 1998)), "< 25": f"< {random.randint(20, 30)}",
                            **_discount(random, "lo_discount BETWEEN 1 AND 3")},
    "q1.2": lambda random: {"199401": f"{random.randint(1992, 1998)}{random.randint(1, 12):02d}", **_quantity(random),
                            **_discount(random, "lo_discount BETWEEN 4 AND 6")},
    "q1.3": lambda random: {"d_weeknuminyear = 6": f"d_weeknuminyear = {random.randint(1, 53)}",
                            "1994": str(random.randint(1992, 1998)), **_quantity(random),
                            **_discount(random, "lo_discount BETWEEN 5 AND 7")},
    "q2.1": lambda random: {"MFGR#12": _category(random), "AMERICA": random.choice(REGIONS)},
    "q2.2": lambda random: {**_brands(random), "ASIA": random.choice(REGIONS)},
    "q2.3": lambda random: {"MFGR#2239": f"{_category(random)}{random.randint(1, 40)}",
                            "EUROPE": random.choice(REGIONS)},
    "q3.1": lambda random: {"c_region = 'ASIA'": f"c_region = '{random.choice(REGIONS)}'",
                            "s_region = 'ASIA'": f"s_region = '{random.choice(REGIONS)}'", **_years(random)},
    "q3.2": lambda random: {"c_nation = 'UNITED STATES'": f"c_nation = '{_nation(random)}'",
                            "s_nation = 'UNITED STATES'": f"s_nation = '{_nation(random)}'", **_years(random)},
    "q3.3": lambda random: {**_cities(random), **_years(random)},
    "q3.4": lambda random: {**_cities(random), "Dec1997": f"{random.choice(('Jan', 'May', 'Dec'))}1997"},
    "q4.1": lambda random: {"AMERICA": random.choice(REGIONS), **_makers(random)},
    "q4.2": lambda random: {"AMERICA": random.choice(REGIONS), **_makers(random), **_two_years(random)},
    "q4.3": lambda random: {"AMERICA": random.choice(REGIONS), "UNITED STATES": _nation(random), **_two_years(random),
                            "MFGR#14": _category(random)},
}  # fmt: skip

PARAMETERS: Mapping[str, Mapping[str, Callable[[Random], Drawn]]] = {"ssb": _SSB, "tpch": _TPCH}
