// What is wrong with a row, beneath it.
import type { Diagnostic, Path } from "../shapes";

export const samePath = (one: Path, other: Path): boolean => one.length === other.length && one.every((step, n) => step === other[n]);

/** The diagnostics that stand in the rule or line at a path. */
export const at = (diagnostics: Diagnostic[], path: Path): Diagnostic[] => diagnostics.filter((each) => samePath(each.row, path));

export const underlined = (diagnostics: Diagnostic[]) =>
  diagnostics.flatMap(({ inner, severity }) => (inner ? [{ ...inner, severity }] : []));

export const hasError = (diagnostics: Diagnostic[]): boolean => diagnostics.some(({ severity }) => severity === "error");

const SIGNS = { error: "✕", warning: "▲", note: "·" } as const;

/** Why the name in an input was refused, beneath it. */
export function NameRefused({ id, reason }: { id: string; reason: string }) {
  if (!reason) return null;
  return (
    <div id={id} class="messages" role="alert">
      <p class="error"><span aria-hidden="true">{SIGNS.error}</span> {reason}</p>
    </div>
  );
}

/** What an input says of itself while its text is refused. */
export const refusal = (id: string, reason: string) => (reason ? { "aria-invalid": true, "aria-describedby": id } : {});

export function Messages({ id, diagnostics }: { id: string; diagnostics: Diagnostic[] }) {
  return (
    <div id={id} class="messages" role="status">
      {diagnostics.map((each, number) => (
        <p key={number} class={each.severity}><span aria-hidden="true">{SIGNS[each.severity]}</span> {each.text}</p>
      ))}
    </div>
  );
}
