"""Reports: the tables, figures and pages that results turn into.

Folders of scores and training runs flow in, with published results to compare with; tables (Markdown, LaTeX, CSV),
figures (SVG, PDF, PNG, CSV) and one HTML page flow out.

    site       `report`, which does it all: the sections in their order, the page, the folder
    compare    `compare`: accuracies of stored scores as a data frame
    results    what a folder holds: models, runs, choices        section    what sections are made of, and settings
    sections/  one module per part of the page                   figures/   one function per figure
    tables     typed tables and their formats                    published  the tables printed in papers

Open `site` first.
"""
