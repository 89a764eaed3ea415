// A small menu behind one button, so that a row has one stop of the Tab key and not six.
import { useEffect, useRef, useState } from "preact/hooks";

export interface Action {
  label: string;
  run: () => void;
  danger?: boolean;
}

export function Menu({ label, actions, sign = "⋯" }: { label: string; actions: Action[]; sign?: string }) {
  const [open, show] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const items = (): HTMLElement[] => [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
  useEffect(() => {
    if (open) items()[0]?.focus();
  }, [open]);
  const keys = (event: KeyboardEvent): void => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (step !== undefined) all.at(step % all.length)?.focus();
    else if (event.key === "Escape") {
      show(false);
      button.current?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const leave = (event: FocusEvent): void => {
    if (!box.current?.contains(event.relatedTarget as Node)) show(false);
  };
  return (
    <div class="menu" ref={box} onFocusOut={leave}>
      <button type="button" ref={button} class="plain icon" aria-haspopup="menu" aria-expanded={open} aria-label={label} title={label}
        onClick={() => show(!open)} onKeyDown={(event) => event.key === "ArrowDown" && (event.preventDefault(), show(true))}>{sign}</button>
      {open && (
        <div role="menu" aria-label={label} onKeyDown={keys}>
          {actions.map((action) => (
            <button type="button" role="menuitem" tabIndex={-1} key={action.label} class={action.danger ? "danger" : ""}
              onClick={() => {
                show(false);
                button.current?.focus();
                action.run();
              }}>{action.label}</button>
          ))}
        </div>
      )}
    </div>
  );
}
