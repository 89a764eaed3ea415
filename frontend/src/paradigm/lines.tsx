// The two lines as a table: each item of the good line, what the bad line has in its place, and what became of it.
import { useState } from "preact/hooks";
import { keepCursor, useKeptFocus } from "../drawing";
import { at, Messages } from "../editor/diagnostics";
import { type Action, keysOf, Menu, newKey, useDrag } from "../editor/row_tools";
import { editorOf, focusAfter, focusEditor, RuleField } from "../editor/rule_editor";
import { t } from "../page";
import type { Diagnostic, ItemRow, ParadigmRows, Wording } from "../wire";
import type { ParadigmModel } from "./model";
import { linesOf, split, withBad, withGood } from "./rows";

type Side = "good" | "bad";

interface CellsProps {
  model: ParadigmModel;
  rows: ParadigmRows;
  wording: Wording;
  variant: number | null;
}

/** A row that is on the screen but not yet in the text. */
interface Ghost {
  at: number;
  side: "both" | "bad";
  key: number;
}

const itemId = (variant: number | null, side: Side, item: number): string => `item:${variant}:${side}:${item}`;
const goneId = (variant: number | null, row: number): string => `gone:${variant}:${row}`;
const ghostId = (variant: number | null, key: number): string => `ghost:${variant}:${key}`;

export function Cells({ model, rows, wording, variant }: CellsProps) {
  useKeptFocus();
  const [ghost, setGhost] = useState<Ghost | null>(null);
  const [tail, setTail] = useState(newKey); // of the blank row at the end
  const [typing, setTyping] = useState<{ id: string; text: string } | null>(null);
  const [focused, setFocused] = useState("");
  const lines = linesOf(wording);
  const goodKeys = keysOf(`${variant}:good`, lines.good);
  const badKeys = keysOf(`${variant}:bad`, lines.bad);
  const scope = Object.fromEntries([...rows.slots, ...wording.slots].map((row) => [row.name, row.rule]));
  const last = lines.rows.length;

  const idOf = (row: number, side: Side, within: ItemRow[] = lines.rows): string => {
    const itemRow = within[row];
    if (!itemRow) return ghostId(variant, tail);
    const item = itemRow[side];
    if (item !== null) return itemId(variant, side, item);
    return side === "bad" ? goneId(variant, row) : itemId(variant, "bad", itemRow.bad!);
  };
  /** The editor at a place after an edit, when the rows have changed. */
  const place = (row: number, side: Side): string => idOf(row, side, model.rows?.wordings[variant ?? 0]?.rows);
  const go = (row: number, side: Side): void => focusEditor(idOf(Math.max(0, Math.min(row, last)), side));
  const open = (at: number, side: Ghost["side"]): void => {
    if (at === last && side === "both") return focusEditor(ghostId(variant, tail));
    const key = newKey();
    setGhost({ at, side, key });
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
    const others = lines.rows.map(({ bad }, number) => ({ bad, number })).filter(({ bad }) => bad !== null);
    const to = item === null || item === undefined ? undefined : others.find(({ bad }) => bad === item + by)?.number;
    if (to !== undefined) step("move_bad", { row, to }, () => itemId(variant, "bad", item! + by));
  };
  /** Delete a row; the focus goes to the one that takes its place, or to the one above. */
  const remove = (row: number, side: Side = "good", back = 0): void => {
    const partner = lines.rows[row]?.partner ?? null; // deleted with it
    const next = row - Number(partner !== null && partner < row) - back;
    const left = (): number => model.rows?.wordings[variant ?? 0]?.rows.length ?? 0;
    step("delete_row", { row }, () => place(Math.max(0, Math.min(next, left() - 1)), side));
  };

  /** Take what was typed in a cell; several items become several rows. */
  const write = (row: number, side: Side, id: string, text: string): void => {
    const [first = "", ...rest] = split(text);
    if (side === "bad") setTyping({ id, text: first });
    if (side === "good" && !first) return; // deleted when the focus leaves
    model.writeLines(variant, side === "good" ? withGood(lines, row, first) : withBad(lines, row, first));
    if (!rest.length) return;
    model.insertItems(variant, row + 1, rest, side === "good" ? "both" : "bad", newKey());
    setTimeout(() => go(row + rest.length, side));
  };
  const writeGhost = ({ at, side, key }: Ghost, text: string): void => {
    const texts = split(text);
    if (!texts.length) return;
    if (key === tail) setTail(newKey());
    setGhost(null);
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
      const here = diagnosed(model, wording, side, item);
      const shown = focused === id && !model.live.settled ? [] : here;
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
              setFocused(on ? id : "");
              if (on) return;
              setTyping(null);
              if (side === "good" && editorOf(id)?.value.trim() === "") remove(number); // cleared and left
            }} />
        ),
      };
    };
    const good = row.good === null ? null : cell("good");
    const bad = cell("bad");
    const ofBad = bad.messages.filter((message) => !good?.messages.some(({ text }) => text === message.text));
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
    const same: Action = { label: t("paradigm.do.same"), run: () => step("same_again", { row: number }, () => place(number, "bad")) };
    return [
      ...(row.fate === "same" ? [] : [same]),
      ...(has && row.good !== null ? [{ label: t("paradigm.do.drop"), run: () => step("drop_bad", { row: number }, () => place(number, "bad")) }] : []),
      ...(has ? [{ label: t("paradigm.do.copy"), run: () => step("copy_bad", { row: number, to: number + 1 }, () => place(number + 1, "bad")) }] : []),
      ...(has ? [{ label: t("paradigm.do.up"), run: () => moveBad(number, -1) }, { label: t("paradigm.do.down"), run: () => moveBad(number, 1) }] : []),
      { label: t("paradigm.do.insert"), run: () => open(number, "both") },
      { label: t("paradigm.do.insert_bad"), run: () => open(number, "bad") },
      { label: t("paradigm.do.delete"), run: () => remove(number), danger: true },
    ];
  };
  const ghostLine = (row: Ghost, permanent: boolean) => {
    const field = (
      <RuleField id={ghostId(variant, row.key)} kind="line" value="" scope={() => ({ slots: scope, slot: "" })}
        label={t(row.side === "bad" ? "paradigm.item.new_bad" : "paradigm.item.new")} empty={permanent ? t("paradigm.item.empty") : t("paradigm.item.here")}
        change={(text) => writeGhost(row, text)} onKey={keys(row.at, row.side === "bad" ? "bad" : "good", row)}
        focus={(on) => !on && !permanent && setTimeout(() => setGhost((now) => (now?.key === row.key ? null : now)), 100)} />
    );
    return (
      <tr key={`${row.side === "bad" ? "b" : "g"}${row.key}`} class="item new">
        <th scope="row" class="narrow"><span class="muted handle">{permanent ? "+" : ""}</span></th>
        <td class="cell">{row.side === "both" && field}</td>
        <td class="cell">{row.side === "bad" && field}</td>
        <td class="fate" /><td class="narrow" />
      </tr>
    );
  };
  const body = lines.rows.map(line);
  if (ghost) body.splice(ghost.at, 0, ghostLine(ghost, false));
  if (model.mayEdit) body.push(ghostLine({ at: last, side: "both", key: tail }, true));
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
      <tbody ref={keepCursor}>{body}</tbody>
    </table>
  );
}

const SIGNS = { move: "↕", copy: "×2", drop: "−", add: "+", replace: "→", agree: "≠" } as const;

/** What became of an item on the bad side; for a moved one, where it went. */
function fate(row: ItemRow): string {
  if (row.fate === "move" && row.partner !== null) {
    return t(row.bad === null ? "paradigm.fate.moved_to" : "paradigm.fate.moved_from", { row: row.partner + 1 });
  }
  return t(`paradigm.fate.${row.fate}`);
}

function diagnosed(model: ParadigmModel, wording: Wording, side: Side, item: number | null): Diagnostic[] {
  const place = (wording[side] ?? wording.good)?.items[item ?? -1];
  if (!place) return [];
  const line = at(model.live.diagnostics, [...wording.path, side]);
  const first = item === 0;
  return line.filter(({ inner }) => (inner ? inner.start >= place.start && inner.start < Math.max(place.end, place.start + 1) : first));
}
