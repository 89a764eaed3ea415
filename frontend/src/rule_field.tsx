// A one-line editor as a part of a page: the page says what it holds, the editor keeps its cursor and composition.
import { useLayoutEffect, useRef } from "preact/hooks";
import { cursorStays } from "./cursor";
import { useEchoes } from "./paradigm/watching";
import { type CursorPlace, RuleEditor, type RuleEditorSettings, type Underline } from "./rule_editor";

const editors = new Map<string, RuleEditor>();
let wanted: { id: string; at: CursorPlace; stays: () => boolean } | null = null;

/** Puts the cursor into an editor; into one that is not there yet, unless the reader has gone elsewhere by then. */
export function focusEditor(id: string, at: CursorPlace = "end"): void {
  const editor = editors.get(id);
  if (editor) editor.focus(at);
  else wanted = { id, at, stays: cursorStays() };
}

/** The same when an edit is done. */
export async function focusAfter(edit: Promise<unknown>, id: string | (() => string), at: CursorPlace = "keep"): Promise<void> {
  const stays = cursorStays();
  await edit;
  await new Promise((drawn) => setTimeout(drawn));
  if (stays()) focusEditor(typeof id === "string" ? id : id(), at);
}

export const editorOf = (id: string): RuleEditor | undefined => editors.get(id);

export interface RuleFieldProps extends RuleEditorSettings {
  id: string;
  underlines?: readonly Underline[];
  wrong?: boolean; // an error, also where nothing can be underlined
  messages?: string; // id of the element that says what is wrong
}

export function RuleField(props: RuleFieldProps) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<RuleEditor | null>(null);
  const latest = useRef(props);
  const echoes = useEchoes(props.value);
  latest.current = props;

  useLayoutEffect(() => {
    const made = new RuleEditor(parent.current!, {
      ...props,
      scope: () => latest.current.scope(),
      change: (text) => {
        echoes.tell(text);
        latest.current.change(text);
      },
      onKey: (event, self) => latest.current.onKey?.(event, self) ?? false,
      focus: (focused) => {
        echoes.forget();
        latest.current.focus?.(focused);
      },
    });
    editor.current = made;
    return () => made.destroy();
  }, []);

  useLayoutEffect(() => {
    const { id } = props;
    editors.set(id, editor.current!);
    if (wanted?.id === id) {
      const { at, stays } = wanted;
      wanted = null;
      if (stays()) editor.current!.focus(at);
    }
    return () => void (editors.get(id) === editor.current && editors.delete(id));
  }, [props.id]);

  useLayoutEffect(() => {
    if (echoes.isNews(props.value)) editor.current!.set(props.value);
    editor.current!.underline(props.underlines ?? []);
    const wrong = props.wrong ?? (props.underlines ?? []).some(({ severity }) => severity === "error");
    editor.current!.describe(props.label, props.empty ?? "", wrong ? (props.messages ?? "") : "");
  });

  return <div class="rule" ref={parent} />;
}
