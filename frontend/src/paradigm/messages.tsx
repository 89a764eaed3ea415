// What is wrong with a row, beneath it.
import type { Diagnostic, Path } from "../shapes";

export const samePath = (one: Path, other: Path): boolean => one.length === other.length && one.every((step, n) => step === other[n]);

/** The diagnostics that stand in the rule or line at a path. */
export const at = (diagnostics: Diagnostic[], path: Path): Diagnostic[] => diagnostics.filter((each) => samePath(each.row, path));

export const underlined = (diagnostics: Diagnostic[]) =>
  diagnostics.flatMap(({ inner, severity }) => (inner ? [{ ...inner, severity }] : []));

const SIGNS = { error: "✕", warning: "▲", note: "·" } as const;

export function Messages({ id, diagnostics }: { id: string; diagnostics: Diagnostic[] }) {
  return (
    <div id={id} class="messages" role="status">
      {diagnostics.map((each, number) => (
        <p key={number} class={each.severity}><span aria-hidden="true">{SIGNS[each.severity]}</span> {each.text}</p>
      ))}
    </div>
  );
}
