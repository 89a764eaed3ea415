"""Makes the font of the figures from Noto Sans CJK: `python bench/font.py NotoSansCJK-Regular.ttc`.

See src/bidui/reports/figures/font/README.md.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTCollection, TTFont, newTable

FAMILY = "Bidui Sans SC"
FACE = "Noto Sans CJK SC"
OUT = Path(__file__).parents[1] / "src/bidui/reports/figures/font/BiduiSansSC-Regular.ttf"
ERROR = 1.0  # how far, in units of 1/1000 em, a quadratic curve may be from the cubic one

# Full-width in Noto, though figures have them between numbers; and superscripts, of which it has only four.
LEFT_OUT = set("×÷±≠≤≥∞∶∷¹²³⁴°§¤¨")
# GB 2312 has no dashes and quotes of these widths, nor a minus sign; 〇 is how years are written.
MORE = set("–—−‘’“”…·〇àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßÀÁÂÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖØÙÚÛÜ") | {chr(n) for n in range(0x20, 0x7F)}


def characters() -> set[str]:
    """GB 2312: 6,763 Chinese characters, punctuation, full-width forms, pinyin and Greek letters; and what it lacks."""
    pairs = (bytes([row, cell]) for row in range(0xA1, 0xF8) for cell in range(0xA1, 0xFF))
    national = {pair.decode("gb2312", errors="ignore") for pair in pairs} - {""}
    useful = {one for one in national if not "А" <= one <= "ё" and not "─" <= one <= "╿" and not "ぁ" <= one <= "ヶ"}
    return (useful | MORE) - LEFT_OUT


def cut(font: TTFont) -> None:
    """Keep the characters, kerning, and nothing else."""
    options = subset.Options()
    options.layout_features = ["kern"]
    options.hinting = False
    options.name_IDs = ["*"]
    options.name_languages = [0x409]
    options.notdef_outline = True
    options.glyph_names = False
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(characters()))
    subsetter.subset(font)


def with_quadratic_outlines(font: TTFont) -> None:
    """TrueType outlines in the place of PostScript ones: matplotlib puts those alone into a PDF as text."""
    glyphs, pens = font.getGlyphSet(), {}
    for name in font.getGlyphOrder():
        pen = TTGlyphPen(glyphs)
        glyphs[name].draw(Cu2QuPen(pen, ERROR, reverse_direction=True))
        pens[name] = pen.glyph()
    font["loca"], font["glyf"] = newTable("loca"), newTable("glyf")
    font["glyf"].glyphOrder, font["glyf"].glyphs = font.getGlyphOrder(), pens
    for name in ("CFF ", "VORG", "VDMX", "vhea", "vmtx", "BASE", "DSIG"):
        if name in font:
            del font[name]
    maximum = font["maxp"]
    maximum.tableVersion = 0x00010000
    for field in ("maxTwilightPoints", "maxStorage", "maxFunctionDefs", "maxInstructionDefs", "maxStackElements"):
        setattr(maximum, field, 0)
    maximum.maxZones, maximum.maxSizeOfInstructions, maximum.maxComponentElements = 1, 0, 0
    font["post"].formatType, font.sfntVersion = 3.0, "\x00\x01\x00\x00"
    for name, glyph in pens.items():
        glyph.recalcBounds(font["glyf"])
        font["hmtx"][name] = (font["hmtx"][name][0], getattr(glyph, "xMin", 0))


def rename(font: TTFont) -> None:
    """A name of its own, as a changed font must not pass for the one it was made from."""
    style = {1: FAMILY, 2: "Regular", 3: "1.0;BiduiSansSC-Regular", 4: FAMILY, 6: "BiduiSansSC-Regular"}
    for number, text in style.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    for number in (16, 17, 21, 22):
        font["name"].removeNames(nameID=number)


def main() -> None:
    """Write the font into the package."""
    faces = TTCollection(sys.argv[1]).fonts
    font = next(face for face in faces if face["name"].getDebugName(1) == FACE)
    font.recalcTimestamp = False  # the same bytes every time
    cut(font)
    with_quadratic_outlines(font)
    rename(font)
    font.save(OUT)
    print(f"{OUT.name}: {len(font.getBestCmap())} characters, {OUT.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
