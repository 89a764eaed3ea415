// A paradigm's row in the table of its project, as it is sorted, filtered and counted.

/** A row of the table, with what it is sorted and filtered by; read once, since reading the page is slow. */
export interface Line {
  row: HTMLTableRowElement;
  link: HTMLAnchorElement;
  phenomenon: string;
  uid: string;
  time: string;
  author: string;
  text: string;
  status: string;
  problems: number;
  count: number | null; // not known yet, or not to be known
  exact: boolean;
}

export function readLine(row: HTMLTableRowElement): Line {
  const cells = row.cells;
  const said = (at: number): string => cells[at]!.textContent.trim();
  const link = cells[1]!.querySelector("a")!;
  const { count, errors, warnings, status } = row.dataset;
  const line = {
    ...{ row, link, phenomenon: said(0), uid: link.textContent, author: said(5), status: status ?? "" },
    time: cells[4]!.querySelector("time")?.dateTime ?? "",
    problems: 1000 * Number(errors) + Number(warnings),
    count: count === undefined || count === "None" ? null : Number(count),
    exact: !("inexact" in row.dataset),
  };
  return { ...line, text: `${line.phenomenon} ${line.uid} ${line.author}`.toLowerCase() };
}
