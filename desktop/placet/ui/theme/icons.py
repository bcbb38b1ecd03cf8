"""Icons: one SVG family, tinted at load and cached by (name, size, colour, device ratio)."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from placet.core.settings.resources import resources_folder


@lru_cache(maxsize=512)
def tinted_icon(name: str, size: int, color: str, dpr: float) -> QPixmap:
    svg = (resources_folder() / "icons" / f"{name}.svg").read_text("utf-8")
    svg = svg.replace("currentColor", color).replace('stroke-width="2"', f'stroke-width="{1.6 if size >= 20 else 1.8}"')
    image = QImage(QSize(round(size * dpr), round(size * dpr)), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg.encode())).render(painter)
    painter.end()
    image.setDevicePixelRatio(dpr)
    return QPixmap.fromImage(image)
