"""The program's own fonts. They come with it, so that columns and heights are the same everywhere."""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtGui import QFont, QFontDatabase

from placet.core.settings.resources import resources_folder


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
    font = _font("Inter", px, weight)
    if tabular:
        font.setFeature(QFont.Tag("tnum"), 1)
    return font


@cache
def mono_font(px: float = 12, weight: int = 400) -> QFont:
    font = _font("JetBrains Mono", px, weight)
    for feature in ("calt", "liga"):
        font.setFeature(QFont.Tag(feature), 0)
    return font
