// The search of the lexicon: plain text is found here at once; conditions are the server's, which knows what is a kind
// of what. Where the server is away they are read here too, by the values as they stand.
import type { Row, Sheet } from "./sheets";

export type Test = (row: Row, sheet: Sheet) => boolean;

/** Whether a search asks for features, as rules do. */
export function hasConditions(query: string, columns: readonly string[]): boolean {
  return terms(query).some((term) => columns.includes(term.split(":", 1)[0] ?? "") && term.includes(":"));
}

/** The rows that meet every term. */
export function testOf(query: string, columns: readonly string[]): Test {
  const tests = terms(query).map((term) => {
    const [name = "", wanted] = split(term);
    if (wanted !== undefined && columns.includes(name)) return wanted === "" ? always : condition(name, wanted);
    const text = term.replace(/^"|"$/g, "").toLowerCase();
    return (row: Row) => row.cells.some((cell) => cell.toLowerCase().includes(text));
  });
  return (row, sheet) => tests.every((test) => test(row, sheet));
}

const always: Test = () => true;

function condition(name: string, wanted: string): Test {
  const not = wanted.startsWith("!");
  const values = (not ? wanted.slice(1) : wanted).split("/");
  return (row, sheet) => {
    const cell = row.cells[sheet.columns.indexOf(name)] ?? "";
    if (wanted === "-") return cell === "";
    if (cell === "" || wanted === "*") return cell !== "";
    const has = cell.split("/").some((value) => values.includes(value));
    return has !== not;
  };
}

/** The pieces of a search between blanks; a quoted piece may have blanks in it. */
export function terms(query: string): string[] {
  return query.match(/"[^"]*"?|[^\s]+/g) ?? [];
}

function split(term: string): [string, string?] {
  const at = term.indexOf(":");
  return at < 0 ? [term] : [term.slice(0, at), term.slice(at + 1)];
}

/** The piece of a search that ends at the cursor: where it starts, and, in a condition, the feature and the value. */
export function termAt(query: string, cursor: number): { start: number; name: string; value: string | null } {
  const start = query.slice(0, cursor).search(/\S*$/);
  const [name = "", rest] = split(query.slice(start, cursor));
  if (rest === undefined) return { start, name, value: null };
  const value = rest.replace(/^!/, "").split("/").at(-1) ?? "";
  return { start: cursor - value.length, name, value };
}
