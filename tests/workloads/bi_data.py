"""Rows for the BI tools' tables: NULLs, duplicates, and times on the borders of minutes, days, months and years."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from random import Random

from tests.workloads.data import Rows, Tables

COUNTRIES = ("DE", "FR", "US", "IN", None)
FIRST, _LAST = date(2022, 1, 1), date(2024, 2, 20)
_BORDERS = (
    "2023-12-31 23:59:59.999999", "2024-01-01 00:00:00", "2024-01-31 23:59:59.5", "2024-02-01 00:00:00",
    "2024-02-07 23:59:59", "2024-02-07 23:59:59.5", "2024-02-08 00:00:00", "2024-02-11 00:00:00",
    "2024-02-12 00:00:00", "2024-02-14 10:00:00", "2024-02-14 10:20:30.5", "2024-02-15 00:00:00",
    "2024-02-15 10:20:30.5", "2024-03-10 06:59:59", "2024-03-10 07:00:00",
)  # fmt: skip


def tables(seed: int = 1) -> Tables:
    """Return all tables of the three schemas."""
    random = Random(seed)
    return {**_web(random), **_shop(random), **_saas(random)}


def _web(random: Random) -> Tables:
    sections = ("docs", "blog", "shop")
    pages = [(i, f"/{sections[i % 3]}/{i}", sections[i % 3], random.choice((f"Page {i}", None))) for i in range(20)]
    visitors = [
        (i, random.choice(COUNTRIES), random.choice((_day(random), None)), random.choice(("free", "pro")))
        for i in range(1, 71)
    ]
    # Visitors whose bits lie in several buckets.
    visitors += [(i * 20_000, "DE", None, "pro") for i in range(1, 10)]
    return {"pages": pages, "visitors": visitors, "web_events": _events(random, [v[0] for v in visitors])}


def _events(random: Random, visitors: list[int]) -> list[tuple[object, ...]]:
    # Days of some weeks, a day that is looked at by the minute, and borders.
    days = [datetime(2023, 12, 1) + timedelta(seconds=random.randrange(80 * 86400)) for _ in range(1500)]
    minutes = [datetime(2024, 2, 14, 9) + timedelta(seconds=random.randrange(3 * 3600)) for _ in range(300)]
    times = [*map(str, days + minutes), *(time for time in _BORDERS for _ in range(2))]
    return [_event(random, number, time, visitors) for number, time in enumerate(times)]


def _event(random: Random, number: int, time: str, visitors: list[int]) -> tuple[object, ...]:
    kind = random.choice(("view", "view", "click", "purchase"))
    return (
        number, time, random.choice((None, *visitors)), random.randrange(18), kind,
        random.choice(("mobile", "mobile", "desktop", "tablet", "", None)),
        random.choice(("Firefox", "Chrome", "Safari", None)),
        random.choices(COUNTRIES, (9, 7, 5, 3, 1))[0], random.choice(("search", "mail", None)),
        random.choice((None, 0, random.randrange(90_000))), random.choice((None, random.randrange(10**7))),
        random.random() < 0.1, _money(random, 1, 500) if kind == "purchase" else random.choice((None, "0.00")),
    )  # fmt: skip


def _shop(random: Random) -> Tables:
    days = [FIRST + timedelta(days=i) for i in range((_LAST - FIRST).days + 1)]
    regions = ("North", "South", "East", "West")
    customers = [
        (
            i, f"Customer {i % 45}", random.choice(("Ulm", "Bonn", None)), random.choice(regions),
            random.choice(("Home", "Business", None)), random.choice((_day(random), None)),
        )
        for i in range(60)
    ]  # fmt: skip
    products = [
        (
            i, f"Product {i % 34}", random.choice(("Books", "Toys", "Furniture")), random.choice(("A", "B", None)),
            random.choice(("Acme", "Brill", None)), _money(random, 1, 90),
        )
        for i in range(40)
    ]  # fmt: skip
    return {"calendar": [_calendar(day) for day in days], "customers": customers, "products": products,
            "sales": [_sale(random, number) for number in range(2000)]}  # fmt: skip


def _calendar(day: date) -> tuple[object, ...]:
    return day, day.year, (day.month + 2) // 3, day.month, day.strftime("%B"), day.weekday() == 6


def _sale(random: Random, number: int) -> tuple[object, ...]:
    # The lines of an order share its day, customer and channel, which three quarters of the orders have.
    order = Random(number // 3)
    placed, customer = _day(order), order.randrange(50)
    channel = order.choice(("online", "online", "store", None))
    return (
        number, number // 3, placed, random.choice((None, placed + timedelta(days=random.randint(0, 9)))), customer,
        random.randrange(36), channel, random.randint(1, 12), random.choice((None, *[_money(random, 1, 900)] * 9)),
        random.choice((None, *[_money(random, 1, 600)] * 9)), random.choice((None, 0.0, 0.1, 0.25, 0.3)),
        random.choice((None, True, False, False)),
    )  # fmt: skip


def _saas(random: Random) -> Tables:
    accounts = [
        (
            i, f"Account {i}", random.choice(("retail", "health", "media", None)), random.choice(COUNTRIES),
            random.choice(("Ada", "Bob", None)), f"{_day(random)} 0{i % 10}:30:00",
        )
        for i in range(40)
    ]  # fmt: skip
    plans = [
        (i, f"{tier} {i}", tier, f"{i * 15 + 9}.90") for i, tier in enumerate(("solo", "team", "team", "enterprise"))
    ]
    subscriptions = [
        (
            i, random.randrange(36), random.randrange(4), _day(random), random.choice((None, None, _day(random))),
            random.randint(1, 50), random.choice(("active", "active", "ended", "trial")),
        )
        for i in range(70)
    ]  # fmt: skip
    usage = [
        (_day(random), random.randrange(38), random.choice(("export", "search", "sync")), random.randrange(1000),
         random.choice((None, random.random() * 100)))
        for _ in range(600)
    ]  # fmt: skip
    return {"accounts": accounts, "plans": plans, "subscriptions": subscriptions,
            "invoices": [_invoice(random, i, subscriptions) for i in range(900)],
            "feature_usage": usage + usage[:50]}  # fmt: skip


def _invoice(random: Random, number: int, subscriptions: Rows) -> tuple[object, ...]:
    subscription = random.choice(subscriptions)
    issued = random.choice((f"{_day(random)} {random.randrange(24):02d}:15:00", random.choice(_BORDERS)))
    return (
        number, subscription[0], subscription[1], issued, random.choice((None, issued)), _money(random, 5, 5000),
        random.choice((None, _money(random, 0, 90))), random.choice(("EUR", "USD", "CHF")),
        random.choice(("paid", "paid", "open", "void")),
    )  # fmt: skip


def _day(random: Random) -> date:
    return FIRST + timedelta(days=random.randrange((_LAST - FIRST).days + 1))


def _money(random: Random, low: int, high: int) -> str:
    return f"{random.randint(low * 100, high * 100) / 100:.2f}"
