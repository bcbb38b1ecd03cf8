"""The program's own fonts. They come with it, so that columns and heights are the same everywhere."""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtGui import QFont, QFontDatabase

from placet.core.settings.resources import resources_folder

_OWN_UI, _OWN_MONO = "Inter", "JetBrains Mono"


class _Families:
    """The families in force; the program's own ones until others are chosen."""

    ui, mono = _OWN_UI, _OWN_MONO


def use_families(ui: str, mono: str) -> None:
    """Take these families: "" is the program's own, "system" the system's. Before the first font is made.

    One that is not on this computer (any more) is the program's own.
    """
    kinds = QFontDatabase.SystemFont
    _Families.ui = _family(ui, _OWN_UI, kinds.GeneralFont)
    _Families.mono = _family(mono, _OWN_MONO, kinds.FixedFont)
    ui_font.cache_clear()
    mono_font.cache_clear()


def _family(chosen: str, own: str, kind: QFontDatabase.SystemFont) -> str:
    if chosen == "system":
        return QFontDatabase.systemFont(kind).family()
    return chosen if chosen and QFontDatabase.hasFamily(chosen) else own


def families(*, is_fixed: bool) -> list[str]:
    """What there is to choose from, for text or for code."""
    names = (name for name in QFontDatabase.families(QFontDatabase.WritingSystem.Latin) if not name.startswith("."))
    own = (_OWN_UI, _OWN_MONO)
    return [
        name
        for name in names
        if name not in own
        and QFontDatabase.isSmoothlyScalable(name)
        and (QFontDatabase.isFixedPitch(name) or not is_fixed)
    ]


def load_fonts() -> None:
    for file in sorted((resources_folder() / "fonts").glob("*.ttf")):
        if QFontDatabase.addApplicationFont(str(file)) < 0:
            raise RuntimeError(f"{file.name} is not a font Qt can read")


def _font(family: str, px: float, weight: int) -> QFont:
    font = QFont(family)
    whole = math.ceil(px)
    font.setPixelSize(whole)
    if whole != px:  # Qt rounds 11.5 px to 12, also when asked in points; set it a little tighter to keep the columns
        font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, (px - whole) * 0.6)
    font.setWeight(QFont.Weight(weight))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    font.setStyleStrategy(QFont.StyleStrategy.PreferAntialias | QFont.StyleStrategy.NoSubpixelAntialias)
    return font


@cache
def ui_font(px: float = 13, weight: int = 400, tabular: bool = False) -> QFont:
    font = _font(_Families.ui, px, weight)
    if tabular:
        font.setFeature(QFont.Tag("tnum"), 1)
    return font


@cache
def mono_font(px: float = 12, weight: int = 400) -> QFont:
    font = _font(_Families.mono, px, weight)
    for feature in ("calt", "liga"):
        font.setFeature(QFont.Tag(feature), 0)
    return font
