"""Where Tab goes, for parts that are made after what stands below them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def tab_to_after(before: QWidget, group: QWidget) -> QWidget:
    """Let Tab go from `before` through the controls of `group`, in their own order; returns the last of them."""
    controls: list[QWidget] = []
    each = group.nextInFocusChain()
    while each is not None and each is not group:
        if group.isAncestorOf(each) and each.focusPolicy() != Qt.FocusPolicy.NoFocus:
            controls.append(each)
        each = each.nextInFocusChain()
    for control in controls:
        QWidget.setTabOrder(before, control)
        before = control
    return before
