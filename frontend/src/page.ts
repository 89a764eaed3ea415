// What the server wrote into the page for its script: which project and file, and what the reader may do.

export interface Page {
  project: string;
  file: string;
  kind: string;
  may_edit: boolean;
  lang: "en" | "zh";
  name?: string; // of the reader
  alone?: boolean;
  [key: string]: unknown;
}

export const page: Page = { project: "", file: "", kind: "", may_edit: false, lang: "en", ...embedded("page") };

/** The account that works here: none on a laptop, which has no accounts, and where nobody is signed in. */
export const account: string = page.name === undefined || page.name === "local" ? "" : page.name;

/** The nonce that the Content-Security-Policy asks of styles made by scripts. */
export const nonce: string = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";

/** The JSON in `<script type="application/json" id=…>`; an empty object where there is none. */
export function embedded(id: string): Record<string, unknown> {
  const text = document.getElementById(id)?.textContent;
  return text ? (JSON.parse(text) as Record<string, unknown>) : {};
}
