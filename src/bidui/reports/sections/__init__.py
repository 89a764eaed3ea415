"""The sections of a report, one module per part of the page; each turns results and settings into a `Section`."""
