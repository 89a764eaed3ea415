// The two lines as a table: an item of the good line, what the bad line has in its place, and what it does, in words.
import { useState } from "preact/hooks";
import { editorOf, focusAfter, focusEditor, RuleField } from "../rule_field";
import type { Diagnostic, ItemRow, ParadigmRows, Wording } from "../shapes";
import { t } from "../words";
import { useDrag } from "./drag";
import { keysOf, newKey } from "./keys";
import { linesOf, split, withBad, withGood } from "./lines";
import type { Live } from "./live";
import { type Action, Menu } from "./menu";
import { at, Messages } from "./messages";
import type { ParadigmModel } from "./model";
import { movingGently, useKeptFocus } from "./watching";

type Side = "good" | "bad";

interface CellsProps {
  model: ParadigmModel;
  live: Live;
  rows: ParadigmRows;
  wording: Wording;
  variant: number | null;
}

/** A row that is on the screen and not yet in the text. */
interface Ghost {
  at: number;
  side: "both" | "bad";
  key: number;
}

const itemId = (variant: number | null, side: Side, item: number): string => `item:${variant}:${side}:${item}`;
const goneId = (variant: number | null, row: number): string => `gone:${variant}:${row}`;
const ghostId = (variant: number | null, key: number): string => `ghost:${variant}:${key}`;

export function Cells({ model, live, rows, wording, variant }: CellsProps) {
  useKeptFocus();
  const [ghost, haunt] = useState<Ghost | null>(null);
  const [tail, nextTail] = useState(newKey);
  const [typing, type] = useState<{ id: string; text: string } | null>(null);
  const [focused, focus] = useState("");
  const lines = linesOf(wording);
  const goodKeys = keysOf(`${variant}:good`, lines.good);
  const badKeys = keysOf(`${variant}:bad`, lines.bad);
  const scope = Object.fromEntries([...rows.slots, ...wording.slots].map((row) => [row.name, row.rule]));
  const last = lines.rows.length;

  const idOf = (row: number, side: Side, within: ItemRow[] = lines.rows): string => {
    const found = within[row];
    if (!found) return ghostId(variant, tail);
    const item = found[side];
    if (item !== null) return itemId(variant, side, item);
    return side === "bad" ? goneId(variant, row) : itemId(variant, "bad", found.bad!);
  };
  /** The editor at a place once the edit is done, when the rows are other ones. */
  const place = (row: number, side: Side): string => idOf(row, side, model.rows?.wordings[variant ?? 0]?.rows);
  const go = (row: number, side: Side): void => focusEditor(idOf(Math.max(0, Math.min(row, last)), side));
  const open = (at: number, side: Ghost["side"]): void => {
    if (at === last && side === "both") return focusEditor(ghostId(variant, tail));
    const key = newKey();
    haunt({ at, side, key });
    focusEditor(ghostId(variant, key));
  };
  const step = (name: string, more: object, next: () => string): void =>
    void focusAfter(model.do({ do: name, variant, ...more }), next);
  const moveRow = (from: number, to: number): void => {
    if (to < 0 || to >= last || from >= last) return;
    const good = lines.rows[from]?.good;
    const target = lines.rows[to]?.good ?? lines.rows[to]?.bad ?? 0;
    step("move_row", { row: from, to }, () => itemId(variant, good === null ? "bad" : "good", target));
  };
  const moveBad = (row: number, by: number): void => {
    const item = lines.rows[row]?.bad;
    const others = lines.rows.map((each, number) => ({ bad: each.bad, number })).filter((each) => each.bad !== null);
    const to = item === null || item === undefined ? undefined : others.find(({ bad }) => bad === item + by)?.number;
    if (to !== undefined) step("move_bad", { row, to }, () => itemId(variant, "bad", item! + by));
  };
  /** Takes a row away; the cursor goes to the one that comes into its place, or to the one above where none does. */
  const remove = (row: number, side: Side = "good", back = 0): void => {
    const partner = lines.rows[row]?.partner ?? null; // which goes with it
    const next = row - Number(partner !== null && partner < row) - back;
    const left = (): number => model.rows?.wordings[variant ?? 0]?.rows.length ?? 0;
    step("delete_row", { row }, () => place(Math.max(0, Math.min(next, left() - 1)), side));
  };

  /** What was typed in a cell that is in the text; several items are several rows. */
  const write = (row: number, side: Side, id: string, text: string): void => {
    const [first = "", ...rest] = split(text);
    if (side === "bad") type({ id, text: first });
    if (side === "good" && !first) return; // gone when the cursor leaves
    model.writeLines(variant, side === "good" ? withGood(lines, row, first) : withBad(lines, row, first));
    if (!rest.length) return;
    model.insertItems(variant, row + 1, rest, side === "good" ? "both" : "bad", newKey());
    setTimeout(() => go(row + rest.length, side));
  };
  const materialise = ({ at, side, key }: Ghost, text: string): void => {
    const texts = split(text);
    if (!texts.length) return;
    if (key === tail) nextTail(newKey());
    haunt(null);
    model.insertItems(variant, at, texts, side, key);
    if (texts.length > 1) setTimeout(() => open(at + texts.length, side));
  };
  const keys = (row: number, side: Side, ghostly: Ghost | null) => (event: KeyboardEvent, editor: { value: string }): boolean => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const quoted = (editor.value.match(/(?<!\\)"/g)?.length ?? 0) % 2 === 1;
    if (event.ctrlKey || event.metaKey || event.shiftKey) return false;
    if (by !== undefined && event.altKey) {
      if (ghostly) return true;
      if (side === "good") moveRow(row, row + by);
      else moveBad(row, by);
    } else if (by !== undefined) go(ghostly && by > 0 ? row : row + by, side);
    else if (event.key === "Enter") ghostly ? editor.value || go(row, side) : go(row + 1, side === "bad" && row + 1 === last ? "good" : side);
    else if (event.key === " " && !quoted) {
      if (editor.value.trim()) open(row + 1, side === "good" ? "both" : "bad");
    } else if (event.key === "Backspace" && !editor.value && side === "good") {
      if (ghostly) go(row - 1, side);
      else remove(row, side, 1);
    } else if (event.altKey && event.key === "Delete" && !ghostly) remove(row, side);
    else return false;
    return true;
  };
  const drag = useDrag(moveRow);
  const messagesId = (row: number, side: Side): string => `line-${variant ?? "p"}-${row}-${side}`;

  const line = (row: ItemRow, number: number) => {
    const cell = (side: Side) => {
      const item = row[side];
      const id = idOf(number, side);
      const text = item === null ? "" : (lines[side][item] ?? "");
      const follows = side === "bad" && row.fate === "same";
      const here = diagnosed(live, wording, side, item);
      const shown = focused === id && !live.settled ? [] : here;
      return {
        messages: shown,
        field: (
          <RuleField id={id} kind="line" readOnly={!model.mayEdit} scope={() => ({ slots: scope, slot: "" })}
            label={t(`paradigm.item.${side}`, { row: number + 1 })}
            value={typing?.id === id ? typing.text : follows ? "" : text}
            empty={side === "good" ? "" : row.fate === "same" ? t("paradigm.same") : "—"}
            underlines={shown.map(({ severity }) => ({ start: 0, end: text.length, severity }))}
            messages={messagesId(number, side)}
            change={(typed) => write(number, side, id, typed)}
            onKey={keys(number, side, null)}
            focus={(on) => {
              focus(on ? id : "");
              if (on) return;
              type(null);
              if (side === "good" && editorOf(id)?.value.trim() === "") remove(number); // emptied and left
            }} />
        ),
      };
    };
    const good = row.good === null ? null : cell("good");
    const bad = cell("bad");
    const ofBad = bad.messages.filter((each) => !good?.messages.some(({ text }) => text === each.text));
    const { class: moving, ...dropping } = drag.row(number);
    return (
      <tr key={row.good === null ? `b${badKeys[row.bad!]}` : `g${goodKeys[row.good]}`} class={`item ${row.fate} ${moving}`} {...dropping}>
        <th scope="row" class="narrow">
          <span class="handle" {...(model.mayEdit ? drag.handle(number) : {})} title={t("paradigm.handle.title")}>{number + 1}</span>
        </th>
        <td class="cell">{good?.field ?? <span class="muted nothing">—</span>}
          <Messages id={messagesId(number, "good")} diagnostics={good?.messages ?? []} /></td>
        <td class="cell">{bad.field}
          <Messages id={messagesId(number, "bad")} diagnostics={ofBad} /></td>
        <td class="fate">{row.fate !== "same" && <><span aria-hidden="true">{SIGNS[row.fate]}</span> {fate(row)}</>}</td>
        <td class="narrow">{model.mayEdit && <Menu label={t("paradigm.row.actions", { row: number + 1 })} actions={actions(row, number)} />}</td>
      </tr>
    );
  };
  const actions = (row: ItemRow, number: number): Action[] => {
    const has = row.bad !== null;
    const again: Action = { label: t("paradigm.do.same"), run: () => step("same_again", { row: number }, () => place(number, "bad")) };
    return [
      ...(row.fate === "same" ? [] : [again]),
      ...(has && row.good !== null ? [{ label: t("paradigm.do.drop"), run: () => step("drop_bad", { row: number }, () => place(number, "bad")) }] : []),
      ...(has ? [{ label: t("paradigm.do.copy"), run: () => step("copy_bad", { row: number, to: number + 1 }, () => place(number + 1, "bad")) }] : []),
      ...(has ? [{ label: t("paradigm.do.up"), run: () => moveBad(number, -1) }, { label: t("paradigm.do.down"), run: () => moveBad(number, 1) }] : []),
      { label: t("paradigm.do.insert"), run: () => open(number, "both") },
      { label: t("paradigm.do.insert_bad"), run: () => open(number, "bad") },
      { label: t("paradigm.do.delete"), run: () => remove(number), danger: true },
    ];
  };
  const haunted = (spirit: Ghost, permanent: boolean) => {
    const field = (
      <RuleField id={ghostId(variant, spirit.key)} kind="line" value="" scope={() => ({ slots: scope, slot: "" })}
        label={t(spirit.side === "bad" ? "paradigm.item.new_bad" : "paradigm.item.new")} empty={permanent ? t("paradigm.item.empty") : t("paradigm.item.here")}
        change={(text) => materialise(spirit, text)} onKey={keys(spirit.at, spirit.side === "bad" ? "bad" : "good", spirit)}
        focus={(on) => !on && !permanent && setTimeout(() => haunt((now) => (now?.key === spirit.key ? null : now)), 100)} />
    );
    return (
      <tr key={`${spirit.side === "bad" ? "b" : "g"}${spirit.key}`} class="item new">
        <th scope="row" class="narrow"><span class="muted handle">{permanent ? "+" : ""}</span></th>
        <td class="cell">{spirit.side === "both" && field}</td>
        <td class="cell">{spirit.side === "bad" && field}</td>
        <td class="fate" /><td class="narrow" />
      </tr>
    );
  };
  const body = lines.rows.map(line);
  if (ghost) body.splice(ghost.at, 0, haunted(ghost, false));
  if (model.mayEdit) body.push(haunted({ at: last, side: "both", key: tail }, true));
  return (
    <table class="row-table line-rows">
      <caption class="unseen">{t("paradigm.lines")}</caption>
      <thead>
        <tr>
          <th scope="col" class="narrow">#</th>
          <th scope="col">{t("paradigm.good")}</th>
          <th scope="col">{t("paradigm.bad")}</th>
          <th scope="col" class="fate">{t("paradigm.fate")}</th>
          <th scope="col" class="narrow"><span class="unseen">{t("paradigm.actions")}</span></th>
        </tr>
      </thead>
      <tbody ref={movingGently}>{body}</tbody>
    </table>
  );
}

const SIGNS = { move: "↕", copy: "×2", drop: "−", add: "+", replace: "→", agree: "≠" } as const;

/** What the bad side does, in a word; of something moved, which way it went. */
function fate(row: ItemRow): string {
  if (row.fate === "move" && row.partner !== null) {
    return t(row.bad === null ? "paradigm.fate.moved_to" : "paradigm.fate.moved_from", { row: row.partner + 1 });
  }
  return t(`paradigm.fate.${row.fate}`);
}

function diagnosed(live: Live, wording: Wording, side: Side, item: number | null): Diagnostic[] {
  const found = (wording[side] ?? wording.good)?.items[item ?? -1];
  if (!found) return [];
  const line = at(live.diagnostics, [...wording.path, side]);
  const first = item === 0;
  return line.filter(({ inner }) => (inner ? inner.start >= found.start && inner.start < Math.max(found.end, found.start + 1) : first));
}
