"""The report as a site: the sections of a folder of results, written as tables, figures and a page that works offline.

`report` does everything: it reads the results, makes the sections in the order of the page, and writes the folder. It
writes the whole folder or nothing, and replaces only what an earlier report wrote.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from bidui.analysis.frequencies import read_frequencies
from bidui.analysis.people import StudyPeople, read_people
from bidui.analysis.regions import check_slots
from bidui.benchmarks import Benchmark, judged_benchmarks
from bidui.errors import OutputRefused, Place, Problem, fail
from bidui.files import (
    Json,
    Manifest,
    check_new_folder,
    file_hash,
    new_folder,
    sha256,
    tool_version,
    write_file,
    write_json,
)
from bidui.pairs import AnyPairs, as_pairs, pairs_to_bytes
from bidui.people.ratings import read_ratings
from bidui.people.responses import ratings_of
from bidui.reports.figures import save_figure
from bidui.reports.published import published_uid
from bidui.reports.results import MAIN, USUAL, Results, collect, model_choices, on_study, pair_sets
from bidui.reports.section import Absent, Extras, Item, Picture, Section, Settings, joined, sentence
from bidui.reports.sections.accuracy import accuracy_section
from bidui.reports.sections.benchmarks import benchmarks_section
from bidui.reports.sections.comparisons import comparisons, rankings
from bidui.reports.sections.frequencies import frequencies_section
from bidui.reports.sections.learning import learning_section, scaling_section
from bidui.reports.sections.length_bias import length_section, main_bias
from bidui.reports.sections.overview import overview
from bidui.reports.sections.people import people_section
from bidui.reports.sections.published import published_section
from bidui.reports.sections.ratings import ratings_section
from bidui.reports.sections.regions import parse_regions, regions_section
from bidui.reports.sections.sizes import size_section
from bidui.reports.sections.sling import sling_section
from bidui.reports.tables import Cell, Column, Table, Unit, Value, name_columns, shown, table_files
from bidui.scale.storage import fetched, open_folder
from bidui.scale.workers import LOCAL, AnyOn, open_workers, parse_on
from bidui.scores.links import AnyLink, as_links
from bidui.words import Language, texts

MANIFEST, INDEX = "report.json", "index.html"

ROOM = 925.0  # pixels that a table may take in a window of 1280
VALUES = ("accuracy", "median", "gap", "difference", "of_words", "D=")  # the columns of figures that hold what is drawn
OPEN_ROWS = 32  # a longer table is folded, as is one with twice as many in all its panels
WRAPPED = 30  # letters, which are as wide as the narrowest column of wrapped texts; a longer one is wrapped
WIDE = 600  # pixels, beyond which a small screen shows a figure by parts
PIXELS = 135  # a printed inch, so that the small type of papers can be read on a screen
TABLE_FORMATS = {"csv": "CSV", "md": "Markdown", "tex": "LaTeX"}
FIGURE_FORMATS = {"svg": "SVG", "pdf": "PDF", "png": "PNG", "csv": "CSV"}
LANGUAGES: dict[Language, str] = {"en": "en", "zh": "zh-Hans"}

OnStep = Callable[[str, int], None]  # the name of the next step, and how many steps of its kind there are


@dataclass(frozen=True, slots=True)
class Site:
    """A report that was written: its page, the number of files, of models and of runs, and what to warn about."""

    index: Path
    files: int
    models: int
    runs: int
    problems: tuple[Problem, ...]


def report(
    results: str | Path,
    *,
    out: str | Path,
    links: AnyLink | Sequence[AnyLink] = (),
    unigrams: str | Path | None = None,
    language: Language = "en",
    published: bool = True,
    pairs: "AnyPairs | None" = None,
    regions: str | Sequence[str] = (),
    ratings: str | Path | None = None,
    frequencies: str | Path | None = None,
    study: str | Path | None = None,
    on: AnyOn = LOCAL,
    on_step: OnStep = lambda name, count: None,
) -> Site:
    """Write all tables (Markdown, LaTeX, CSV) and figures (SVG, PDF, PNG, CSV), and a page that works offline.

    `results` is a folder that contains score folders, training runs, or both. The first of the `links` is used for
    details. `pairs` (the scored pairs), `ratings` and `frequencies` (a word list) are files that some tables require,
    and pairs may also be in memory; `regions` are custom regions, `NAME=slot,slot`. What cannot be computed is listed
    on the page with the reason. An earlier report in `out` is replaced; a folder with anything else is refused.
    `results` and `out` may be URLs such as `s3://bucket/results`. `on` says where intervals are computed by resampling,
    which takes most of the time with many models: `local`, `processes:N` or `ray[:ADDRESS]`; the report is the same.

    With the folder of a `study`, every table and figure is about the pairs that its people judged, and shows the people
    beside the models; their ratings of single sentences are used unless `ratings` are given.
    """
    place, home = parse_on(on), open_folder(out)
    home.pull()
    folder, site = fetched(results), home.path
    chosen = as_links(links or USUAL)
    check_place(site)
    files = {"--ratings": ratings, "--frequencies": frequencies, "--study": study}
    people = read_people(study) if study else None
    for option, needed in (("--region", regions), ("--frequencies", frequencies)):
        if needed and pairs is None:
            raise fail("report-needs-pairs", None, {"option": option})
    extras = Extras(
        tuple(as_pairs(pairs)) if pairs is not None else None,
        parse_regions([regions] if isinstance(regions, str) else regions),
        read_ratings(Path(ratings)) if ratings else None,
        read_frequencies(Path(frequencies)) if frequencies else None,
    )
    if people is not None:
        extras = _with_people(extras, people)
    collected = collect(
        folder, unigrams=Path(unigrams) if unigrams else None, on_folder=lambda path: on_step(path.name, 0)
    )
    if people is not None:
        collected = on_study(collected, people)
    if extras.regions and extras.pairs is not None:
        check_slots([pair for pair in extras.pairs if pair.uid in collected.uids], extras.regions)
    settings = Settings(
        chosen,
        main=chosen[0].name if links else MAIN,
        usual=not links,
        language=language,
        benchmarks=_benchmarks(collected, people),
        published=published,
        extras=extras,
    )
    inputs = {option: _hash(Path(path)) for option, path in files.items() if path}
    if pairs is not None:
        data = pairs_to_bytes(extras.pairs or (), format="jsonl")
        inputs["--pairs"] = _hash(Path(pairs)) if isinstance(pairs, str | Path) else sha256(data)
    asked: dict[str, Json] = {
        "links": [link.name for link in chosen],
        "lang": language,
        "published": published,
        "regions": {name: list(slots) for name, slots in extras.regions.items()},
    }
    inputs |= {f"--link {link.name}": link.sha256 for link in chosen if link.sha256}
    with open_workers(_nothing, on=place) as workers:
        sections = list(contents(collected, replace(settings, workers=workers), on_section=on_step))
    count, problems = write_report(
        sections,
        out=site,
        title=settings.say("title").format(name=folder.resolve().name),
        language=language,
        asked=asked,
        inputs={**collected.inputs, **inputs},
        on_file=on_step,
    )
    home.push()
    warnings = (*collected.problems, *problems)
    return Site(site / INDEX, count, len(collected.models), len(collected.runs), warnings)


def _nothing() -> None:
    """Make the state of workers that need none."""


def contents(
    results: Results, settings: Settings, *, on_section: OnStep = lambda title, count: None
) -> Iterator[Section]:
    """Yield the sections in the order of the page, each made when it is needed.

    What averages or compares is there once for every set of pairs; where there are several, titles name the set and
    the names of files end in its number.
    """
    sets = pair_sets(results, language=settings.language)
    count = 4 + 11 * len(sets)
    yield _section("overview", overview(results, sets, settings), settings, on_section, count, about="")
    for number, one in enumerate(sets, 1):
        own, models = one.results, model_choices(one.results, settings.links, usual=settings.usual)
        sections: dict[str, Iterator[Item]] = {
            "accuracy": accuracy_section(models, settings),
            "compared": comparisons(own, settings),
            "length": length_section(own, models, settings),
            "regions": regions_section(own, settings),
            "people": people_section(models, settings),
            "ratings": ratings_section(models, own.models, settings),
            "sling": sling_section(own.models, settings),
            "published": published_section(models, settings),
            "sizes": size_section(own, settings),
            "scaling": scaling_section(own, settings),
            "learning": learning_section(own, settings),
        }
        source = "about-counted" if any(model.counted for model in models) else "about-accuracy"
        abouts = {"accuracy": joined(main_bias(own, models, settings), settings.say(source))}
        for name, items in sections.items():
            section = _section(name, items, settings, on_section, count, about=abouts.get(name))
            yield _of_set(section, one.name, number) if len(sets) > 1 else section
    yield _section("several", benchmarks_section(sets, settings), settings, on_section, count)
    yield _section("rankings", rankings(sets, settings), settings, on_section, count)
    yield _section("frequencies", frequencies_section(settings), settings, on_section, count)


def _section(
    name: str, items: Iterator[Item], settings: Settings, on_section: OnStep, count: int, *, about: str | None = None
) -> Section:
    """Make a section; tables that the page only links to are put aside."""
    title = settings.say(name)
    on_section(title, count)
    every = list(items)
    files = tuple(item for item in every if isinstance(item, Table) and item.linked)
    shown = tuple(item for item in every if not (isinstance(item, Table) and item.linked))
    return Section(name, title, settings.say(f"about-{name}") if about is None else about, shown, files)


def _of_set(section: Section, name: str, number: int) -> Section:
    """Return a section under the name of its set of pairs, and its files with the number of the set."""

    def numbered(item: Item) -> Item:
        if isinstance(item, Absent):
            return replace(item, title=f"{item.title} ({name})")
        return replace(item, name=f"{item.name}-{number}", title=f"{item.title} · {name}")

    files = tuple(table for table in map(numbered, section.files) if isinstance(table, Table))
    return Section(
        f"{section.name}-{number}",
        f"{section.title} · {name}",
        section.about,
        tuple(map(numbered, section.items)),
        files,
    )


def _with_people(extras: Extras, people: StudyPeople) -> Extras:
    """Return what was given, with the people of a study, and limited to the pairs that they judged."""
    judged = {(pair.uid, pair.pair_id): pair for pair in people.pairs}
    pairs = people.pairs
    if extras.pairs is not None:
        pairs = tuple(
            pair
            for pair in extras.pairs
            if (own := judged.get((pair.uid, pair.pair_id))) and (own.good, own.bad) == (pair.good, pair.bad)
        )
    ratings = extras.ratings or ratings_of(people.responses) or None
    return replace(extras, people=people, pairs=pairs, ratings=ratings)


def _benchmarks(results: Results, people: StudyPeople | None = None) -> tuple[Benchmark, ...]:
    """Return the benchmarks that have human figures, with the kinds of paradigms of those that were scored.

    The people of a study take the place of published ones.
    """
    known = {benchmark.name: benchmark for benchmark in judged_benchmarks()}
    for one in pair_sets(results):
        scored = judged_benchmarks(published_uid(uid) for uid in one.results.uids)
        known |= {benchmark.name: benchmark for benchmark in scored if benchmark.kinds}
    if people is None:
        return tuple(known.values())
    uids = results.uids
    home = next((one for one in known.values() if uids <= one.kinds.keys()), None)
    kinds = {uid: "included" for uid in uids} if home is None else home.kinds
    return (Benchmark(home.name if home else people.study, kinds, people.counts),)


def _hash(path: Path) -> str:
    """Return the hash of a file, or of the names and hashes of all files in a folder."""
    if path.is_file():
        return file_hash(path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return sha256("".join(f"{file.relative_to(path).as_posix()} {file_hash(file)}\n" for file in files).encode())


def check_place(out: Path) -> None:
    """Refuse a folder that holds anything but an unchanged earlier report; call this before long work."""
    file = out / MANIFEST
    if not file.is_file():
        check_new_folder(out)
        return
    try:
        manifest = Manifest(files=dict(json.loads(file.read_text(encoding="utf-8"))["files"]))
        names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file() and path != file}
        changed = manifest.changed(out)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise fail("report-manifest", Place(str(file)), {"reason": str(error)}) from error
    if foreign := sorted(names - manifest.files.keys()):
        raise OutputRefused(str(Problem("report-foreign", Place(str(out)), {"files": foreign})))
    if changed:
        raise OutputRefused(str(Problem("report-changed", Place(str(out)), {"files": sorted(changed)})))


def write_report(
    sections: Sequence[Section],
    *,
    out: Path,
    title: str,
    language: Language = "en",
    asked: Mapping[str, Json] | None = None,
    inputs: Mapping[str, str] | None = None,
    on_file: OnStep = lambda name, count: None,
) -> tuple[int, tuple[Problem, ...]]:
    """Write a report to `out`; `asked` and `inputs` go into its manifest. Return the number of files and warnings."""
    check_place(out)
    with new_folder(out, replace=True) as new:
        problems = _write_items(sections, new, on_file)
        footer = texts("report", language)["footer"].format(version=tool_version())
        html = page(sections, title=title, footer=footer, language=language)
        write_file(new / INDEX, html.encode())
        paths = sorted(path for path in new.rglob("*") if path.is_file())
        hashes = {path.relative_to(new).as_posix(): file_hash(path) for path in paths}
        value = {"version": tool_version(), "asked": dict(asked or {}), "inputs": dict(inputs or {}), "files": hashes}
        write_json(new / MANIFEST, value, sort=True)
    return len(hashes), problems


def _write_items(sections: Sequence[Section], folder: Path, on_file: OnStep) -> tuple[Problem, ...]:
    tables = [item for section in sections for item in (*section.items, *section.files) if isinstance(item, Table)]
    pictures = [item for section in sections for item in section.items if isinstance(item, Picture)]
    names = [f"tables/{table.name}" for table in tables] + [f"figures/{picture.name}" for picture in pictures]
    assert len(set(names)) == len(names), "two would have the same files"
    problems: list[Problem] = []
    for table in tables:
        on_file(table.name, len(names))
        for end, text in table_files(table).items():
            write_file(folder / "tables" / f"{table.name}.{end}", text.encode())
    for picture in pictures:
        on_file(picture.name, len(names))
        problems += save_figure(*picture.drawing, folder=folder / "figures", name=picture.name).problems
    return tuple(problems)


# The page


def page(sections: Sequence[Section], *, title: str, footer: str, language: Language) -> str:
    """Return the HTML of a report; links go to `tables/` and `figures/` beside it."""

    def marked(text: str) -> Markup:
        """Return a text with what users type in it as code."""
        return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))

    def cell(value: Value, unit: Unit) -> Cell:
        """Return a cell whose numbers have a minus sign instead of a hyphen."""
        plain = shown(value, unit)
        if unit == "text":
            return plain
        return Cell(*(re.sub(r"(?<!\w)-(?=\d)", "−", text) for text in (plain.text, plain.interval)))

    def side(unit: str, text: str = "") -> Markup:
        """Return the class of a cell: a long text is wrapped, a number is set to the right."""
        kind = "sentence" if _long(text) > WRAPPED else "" if unit == "text" else "number"
        return Markup(f' class="{kind}"') if kind else Markup("")

    loader = FileSystemLoader(Path(__file__).parent)
    templates = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return templates.get_template("page.html").render(
        language=LANGUAGES[language],
        title=title,
        footer=footer,
        filled=[section for section in sections if _has_content(section)],
        missing=_missing(sections),
        panels=page_panels,
        head=page_head,
        alt=lambda picture: alt_text(picture, language),
        say=texts("report", language).__getitem__,
        shown=cell,
        reason=lambda problem: marked(sentence(problem, language)),
        marked=marked,
        side=side,
        open_rows=OPEN_ROWS,
        pixels=PIXELS,
        wide=WIDE,
        table_formats=TABLE_FORMATS,
        figure_formats=FIGURE_FORMATS,
    )


def _missing(sections: Sequence[Section]) -> list[Absent]:
    """Return what is absent from all sections; items that are absent for the same reason are put together."""
    merged: dict[tuple[str, ...], tuple[list[str], tuple[Problem, ...]]] = {}
    for section in sections:
        for item in section.items:
            if isinstance(item, Absent) and not item.here:
                key = tuple(map(str, item.problems))
                merged.setdefault(key, ([], item.problems))[0].append(item.title)
    return [Absent(" · ".join(dict.fromkeys(titles)), problems) for titles, problems in merged.values()]


def _has_content(section: Section) -> bool:
    shown = (item for item in section.items if not isinstance(item, Absent) or item.here)
    return bool(section.files) or any(True for _ in shown)


def page_panels(table: Table) -> list[list[int]]:
    """Return the columns of a table in groups that fit the page; each begins with the names of the rows.

    Sentences, such as those of a pair, do not name a row, and stand in the first group only.
    """
    widths = [_pixels(table, number) for number in range(len(table.columns))]
    sentences = (n for n in range(1, len(widths)) if any(_long(str(row[n])) > WRAPPED for row in table.rows))
    names = list(range(min(name_columns(table), next(sentences, len(widths)))))
    taken = sum(widths[number] for number in names)
    panels, width = [[*names]], taken
    for number in range(len(names), len(widths)):
        if width + widths[number] > ROOM and len(panels[-1]) > len(names):
            panels.append([*names])
            width = taken
        panels[-1].append(number)
        width += widths[number]
    return panels


def _pixels(table: Table, number: int) -> float:
    """Return about how wide a column is on the page: its longest word in the head, and its longest cell."""
    column = table.columns[number]
    cells = [shown(row[number], column.unit) for row in table.rows]
    head = min(168.0, max(_long(word) for word in re.split(r"[ \-/（]+", page_head(column))) * 8.5)
    texts = [224.0 if _long(cell.text) > WRAPPED and number else _long(cell.text) * 7.4 for cell in cells]
    return max([54.0, head, *texts, *(_long(cell.interval) * 6.2 for cell in cells)]) + 16


def page_head(column: Column) -> str:
    """Return the head of a column, whose mark of a footnote never stands on a line of its own."""
    return column.head.replace(" †", "\u00a0†")


def _long(text: str) -> float:
    """Return the length of a text; a Chinese character is as wide as two letters."""
    return sum(2.0 if character > "\u2e80" else 1.0 for character in text)


def alt_text(picture: Picture, language: Language) -> str:
    """Return what a figure shows in words: its title, how many values it has, and the lowest and highest with names."""
    say = texts("report", language).__getitem__
    rows = picture.drawing.rows
    values: list[tuple[float, str]] = []
    main = [number for number, name in enumerate(rows.head) if name in VALUES]
    for line in rows.lines:
        where = ", ".join(str(cell) for cell in line if isinstance(cell, str) and cell and len(cell) < 60)
        numbers = main or [number for number, cell in enumerate(line) if isinstance(cell, float)]
        for number in numbers:
            cell = line[number]
            if isinstance(cell, float | int) and isfinite(cell):
                values.append((float(cell), where if main else f"{where}, {rows.head[number]}"))
    if not values:
        return picture.title
    low, high = min(values), max(values)
    share = low[0] >= 0 and high[0] <= 1
    ends = [f"{100 * value:.1f}" if share else f"{value:.3g}" for value, _ in (low, high)]
    text = say("alt-range").format(count=len(values), low=ends[0], at_low=low[1], high=ends[1], at_high=high[1])
    return f"{picture.title}{say('stop')} {text}"
