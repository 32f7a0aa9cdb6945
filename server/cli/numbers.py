"""Numbers that a person types: each a kind for argparse, which says what is wrong with one."""

import argparse


def chapter_numbers(text: str) -> set[int]:
    """`1,3-5` as {1, 3, 4, 5}; argparse turns the ValueError into a usage message."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            start = int(first)
            end = int(last) if dash else start
        except ValueError:
            raise argparse.ArgumentTypeError(f"{part.strip()!r} is no chapter number; write 3, 1,4 or 2-5") from None
        if not 1 <= start <= end <= 99_999:
            raise argparse.ArgumentTypeError(f"{part.strip()!r} is no range of chapters; the first one is 1")
        numbers.update(range(start, end + 1))
    return numbers


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def speed(text: str) -> float:
    number = float(text)
    if not 0.5 <= number <= 2:
        raise argparse.ArgumentTypeError(f"{text} is not between 0.5 and 2")
    return number
