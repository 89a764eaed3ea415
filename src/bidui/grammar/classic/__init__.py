"""The papers' own format: JSON templates, a TSV vocabulary and JSON phrases, imported as meant and exported again.

`read` turns files into located values and whole projects, `convert` turns positions into names (equal rule strings
are one slot) and says what the bad list does to the good one, and `write` turns paradigms back into templates where
the format can say the same.
"""

from bidui.grammar.classic.read import ClassicImport, import_classic, read_classic
from bidui.grammar.classic.write import ClassicExport, export_classic

__all__ = ["ClassicExport", "ClassicImport", "export_classic", "import_classic", "read_classic"]
