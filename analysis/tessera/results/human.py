"""Figures in the units that one thinks in."""

from tessera.evidence.intervals import beyond_rounding

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_TIMES = ((1e-12, "ps"), (1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1.0, "s"))
_SECONDS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "years": 365.25 * 86400}
_YEAR = _SECONDS["years"]
_FOUR_DIGITS = 999.5  # what is rounded to a thousand at least
_DIMENSIONS = (("J", 1.0), ("mJ", 1e-3), ("uJ", 1e-6), ("nJ", 1e-9))


def figure(value: float | None, unit: str = "1") -> str:
    """A value with its unit, three digits where more say nothing.

    >>> figure(68719476736, "B"), figure(4096, "B"), figure(43.6412, "ms"), figure(6012, "s")
    ('64.0 GiB', '4 KiB', '43.6 ms', '1 h 40 min')
    >>> figure(0.00223, "years")
    '19 h 32 min'
    >>> figure(0.5), figure(100000), figure(None, "ms"), figure(2701.34, "J")
    ('0.5', '100,000', '-', '2.70 kJ')
    """
    if value is None:
        return "-"
    if unit in _SECONDS:
        return time(value * _SECONDS[unit])
    if unit == "B":
        return size(value)
    if unit == "B/s":
        return f"{size(value)}/s"
    if unit in dict(_DIMENSIONS):
        return energy(value * dict(_DIMENSIONS)[unit])
    text = number(value)
    return text if unit == "1" else f"{text} {unit}"


def with_interval(value: float | None, half_width: float | None, unit: str = "1") -> str:
    """A figure with half its interval, where it has one.

    >>> with_interval(4.5, 0.2, "ms"), with_interval(1.3, 1.67e-16), with_interval(None, None)
    ('4.50 ms ± 200 us', '1.3', '-')
    """
    half_width = beyond_rounding(half_width, value or 0.0)
    return f"{figure(value, unit)} ± {figure(half_width, unit)}" if half_width else figure(value, unit)


def number(value: float) -> str:
    """
    >>> number(31289.0), number(2.7533), number(0.00093), number(999.7)
    ('31,289', '2.75', '0.00093', '1,000')
    """
    if value == 0:
        return "0"
    if abs(value) >= _FOUR_DIGITS or (value == int(value) and abs(value) < 1e15):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def counted(count: int, noun: str) -> str:
    """
    >>> counted(1, "run"), counted(2000, "run")
    ('1 run', '2,000 runs')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _digits(value: float) -> str:
    """Three of them, or the whole number where it is one.

    >>> _digits(64.0), _digits(4.0), _digits(123.4), _digits(1.234)
    ('64.0', '4.00', '123', '1.23')
    """
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def size(value: float) -> str:
    """Bytes by powers of 1024; small whole counts without decimals."""
    power = 0
    amount = float(value)
    while abs(amount) >= 1024 and power < len(_BINARY) - 1:
        amount /= 1024
        power += 1
    whole = amount == int(amount) and (power == 0 or amount < 10)
    return f"{amount:.0f} {_BINARY[power]}" if whole else f"{_digits(amount)} {_BINARY[power]}"


def time(seconds: float) -> str:
    """
    >>> time(0.0), time(8.3e-6), time(59.99), time(61), time(93_600), time(3.2e8)
    ('0 s', '8.30 us', '60.0 s', '1 min 1 s', '1 d 2 h', '10.1 years')
    """
    if seconds == 0:
        return "0 s"
    if abs(seconds) >= _YEAR:
        return f"{_digits(seconds / _YEAR)} years"
    whole = round(seconds)
    if whole >= 86400:
        return f"{whole // 86400} d {whole % 86400 // 3600} h"
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    if whole > 60:
        return f"{whole // 60} min {whole % 60} s"
    scale, unit = next(((scale, unit) for scale, unit in reversed(_TIMES) if abs(seconds) >= scale), _TIMES[0])
    return f"{_digits(seconds / scale)} {unit}"


def frequency(hertz: float) -> str:
    """
    >>> frequency(299705357), frequency(2.5e9), frequency(120)
    ('300 MHz', '2.50 GHz', '120 Hz')
    """
    scale, unit = next(((scale, unit) for scale, unit in ((1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz")) if hertz >= scale), (1.0, "Hz"))
    return f"{_digits(hertz / scale)} {unit}"


def energy(joules: float) -> str:
    if joules == 0:
        return "0 J"
    for scale, unit in ((1e6, "MJ"), (1e3, "kJ"), *((scale, unit) for unit, scale in _DIMENSIONS)):
        if abs(joules) >= scale:
            return f"{_digits(joules / scale)} {unit}"
    return f"{joules:.3g} J"
