"""The window. Importing anything of it brings Qt in, with Python's own import function kept.

PySide6 puts its own in the place, which reads the source text of every module imported from then on, to see if it uses
`__feature__`; nothing here does. Keeping the plain one saves a tenth of the start, and the memory of those texts.
"""

import builtins
import importlib

_plain_import = builtins.__import__
importlib.import_module("PySide6.QtWidgets")
builtins.__import__ = _plain_import
