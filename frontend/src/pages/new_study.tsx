// The page of a new study: task, items, people and check, with the participant's screen and the cost beside them.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import { openInto, useObserved } from "../drawing";
import { failure, sayNext } from "../notices";
import { number, page, t } from "../page";
import { Plan, type FullDesign, type Lang } from "../study/plan";
import { Screen } from "../study/screen";
import type { ParadigmChoice, Rules, Size } from "../wire";

const PAUSE = 200; // milliseconds after the last change before the cost is asked for
const QUESTIONS = ["raised", "dialect", "age", "linguistics"] as const;
const home = `/p/${encodeURIComponent(page.project)}/studies`;

function StudyPage({ plan }: { plan: Plan }) {
  useObserved(plan);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (plan.changed) event.preventDefault();
    };
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, []);
  const cost = useCost(plan);
  return (
    <>
      <div class="heading">
        <h1>{t(plan.form.id === null ? "new_study.title" : "new_study.title_edit")}</h1>
        <nav aria-label={t("new_study.steps")}>
          <ol class="steps">
            {(["task", "items", "people", "check"] as const).map((step) => (
              <li key={step}><a href={`#${step}`}>{t(`new_study.${step}`)}</a></li>
            ))}
          </ol>
        </nav>
      </div>
      <div class="study-form">
        <div class="study-steps">
          <TaskStep plan={plan} />
          <ItemsStep plan={plan} />
          <PeopleStep plan={plan} />
          <CheckStep plan={plan} cost={cost} />
        </div>
        <aside aria-label={t("new_study.beside")}>
          <Screen plan={plan} />
          <Cost cost={cost} />
        </aside>
      </div>
    </>
  );
}

function Step({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <section class="panel" id={name} aria-labelledby={`${name}-title`}>
      <h2 id={`${name}-title`}>{t(`new_study.${name}`)}</h2>
      {children}
    </section>
  );
}

// Task --------------------------------------------------------------------------------------------------------------

function TaskStep({ plan }: { plan: Plan }) {
  const { design } = plan.chosen;
  return (
    <Step name="task">
      <fieldset class="presets">
        <legend>{t("new_study.preset")}</legend>
        {plan.presets.map(({ name }) => (
          <label key={name} class="choice">
            <input type="radio" name="preset" checked={design.name === name} onChange={() => plan.usePreset(name)} />
            <span><b>{t(`new_study.preset_${name}`)}</b> <span class="hint">{t(`new_study.preset_${name}_hint`)}</span></span>
          </label>
        ))}
        <label class="choice">
          <input type="radio" name="preset" checked={design.name === "custom"} onChange={() => plan.setDesign({})} />
          <span><b>{t("new_study.preset_custom")}</b></span>
        </label>
        <p class="hint">{t("new_study.fitted")}</p>
      </fieldset>
      <fieldset>
        <legend>{t("new_study.layout")}</legend>
        <div class="inline">
          {(["rows", "columns"] as const).map((layout) => (
            <label key={layout} class="choice">
              <input type="radio" name="layout" checked={design.layout === layout} onChange={() => plan.set({ design: { ...design, layout } })} />
              {t(`new_study.layout_${layout}`)}
            </label>
          ))}
        </div>
      </fieldset>
      <details>
        <summary>{t("new_study.texts")}</summary>
        <p class="hint">{t("new_study.texts_hint")}</p>
        <div class="texts">
          {Object.keys(plan.chosen.texts).map((key) => <TextFields key={key} plan={plan} name={key} />)}
        </div>
      </details>
    </Step>
  );
}

function TextFields({ plan, name }: { plan: Plan; name: string }) {
  const label = t(`new_study.text_${name.replaceAll("-", "_")}`);
  const heading = label.startsWith("new_study.") ? name : label;
  return (
    <fieldset>
      <legend>{heading}</legend>
      <div class="fields">
        {(["zh", "en"] as Lang[]).map((lang) => {
          const text = plan.chosen.texts[name]?.[lang] ?? "";
          return (
            <textarea
              key={lang}
              lang={lang === "zh" ? "zh-Hans" : "en"}
              aria-label={`${heading} (${lang === "zh" ? "中文" : "English"})`}
              rows={Math.min(8, Math.max(2, Math.ceil(text.length / (lang === "zh" ? 28 : 50))))}
              value={text}
              onInput={(event) => plan.setText(name, lang, event.currentTarget.value)}
            />
          );
        })}
      </div>
    </fieldset>
  );
}

// Items -------------------------------------------------------------------------------------------------------------

function ItemsStep({ plan }: { plan: Plan }) {
  const { uids } = plan.chosen;
  const { paradigms } = plan.form;
  const phenomena = [...new Set(paradigms.map(({ phenomenon }) => phenomenon))];
  return (
    <Step name="items">
      <fieldset>
        <legend>{t("new_study.paradigms", { n: uids.length, all: paradigms.length })}</legend>
        <div class="inline">
          <button type="button" onClick={() => plan.set({ uids: paradigms.filter(({ status }) => status !== "excluded").map(({ uid }) => uid) })}>
            {t("new_study.all_included")}
          </button>
          <button type="button" onClick={() => plan.set({ uids: [] })}>{t("new_study.no_paradigm")}</button>
        </div>
        <ul class="groups">
          {phenomena.map((name) => (
            <Group key={name} plan={plan} name={name} own={paradigms.filter(({ phenomenon }) => phenomenon === name)} />
          ))}
        </ul>
      </fieldset>
      <div class="fields">
        <Count plan={plan} name="per_paradigm" min={1} />
        <Count plan={plan} name="most_per_paradigm" min={1} hint />
        <Count plan={plan} name="catch" min={0} hint />
        <Count plan={plan} name="practice" min={0} />
        <Count plan={plan} name="fillers" min={0} />
        <Count plan={plan} name="seed" min={0} hint />
      </div>
    </Step>
  );
}

function Group({ plan, name, own }: { plan: Plan; name: string; own: ParadigmChoice[] }) {
  const chosen = new Set(plan.chosen.uids);
  const inside = own.filter(({ uid }) => chosen.has(uid)).length;
  const order = (uids: Set<string>): string[] => plan.form.paradigms.map(({ uid }) => uid).filter((uid) => uids.has(uid));
  const toggle = (some: ParadigmChoice[], on: boolean): void => {
    for (const { uid } of some) if (on) chosen.add(uid); else chosen.delete(uid);
    plan.set({ uids: order(chosen) });
  };
  return (
    <li class="group">
      <input
        type="checkbox"
        aria-label={t("new_study.all_of", { phenomenon: name })}
        checked={inside === own.length}
        indeterminate={inside > 0 && inside < own.length}
        onChange={(event) => toggle(own, event.currentTarget.checked)}
      />
      <details>
        <summary>
          {name} <span class="muted small">{`${inside} / ${own.length}`}</span>
        </summary>
        <ul>
          {own.map((each) => (
            <li key={each.uid}>
              <label class="choice">
                <input type="checkbox" checked={chosen.has(each.uid)} onChange={(event) => toggle([each], event.currentTarget.checked)} />
                <span class="mono">{each.uid}</span>
                {each.status === "excluded" ? <span class="badge">{t("new_study.excluded")}</span> : null}
                {each.errors ? <span class="badge bad">{t("shell.errors", { n: each.errors })}</span> : null}
              </label>
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}

// People ------------------------------------------------------------------------------------------------------------

function PeopleStep({ plan }: { plan: Plan }) {
  const { design, earlier } = plan.chosen;
  return (
    <Step name="people">
      <div class="fields">
        <Count plan={plan} name="lists" min={0} disabled={design.list_per_paradigm} />
        <Count plan={plan} name="rating_lists" min={0} hint />
        <Count plan={plan} name="raters" min={1} />
        <NumberField
          id="patience"
          label={t("new_study.patience")}
          hint={t("new_study.patience_hint")}
          value={Math.round(design.patience / 60)}
          min={1}
          most={100_000}
          step={1}
          disabled={false}
          set={(minutes) => plan.set({ design: { ...design, patience: 60 * minutes } })}
        />
      </div>
      <label class="choice">
        <input type="checkbox" checked={design.list_per_paradigm} onChange={(event) => plan.setDesign({ list_per_paradigm: event.currentTarget.checked })} />
        {t("new_study.list_per_paradigm")}
      </label>
      <fieldset>
        <legend>{t("new_study.rules")}</legend>
        <p class="hint">{t("new_study.rules_hint")}</p>
        <div class="fields">
          <Rule plan={plan} name="catch_failures" step={1} most={1000} />
          <Rule plan={plan} name="floor_ms" step={50} most={600_000} />
          <Rule plan={plan} name="fast_share" step={0.05} most={1} />
          <Rule plan={plan} name="side_bias" step={0.001} most={1} />
          <Rule plan={plan} name="filler_accuracy" step={0.05} most={1} />
          <Rule plan={plan} name="least_share" step={0.05} most={1} />
          <Rule plan={plan} name="threshold" step={0.01} most={0.99} />
        </div>
      </fieldset>
      <fieldset>
        <legend>{t("new_study.background")}</legend>
        <div class="inline">
          {QUESTIONS.map((question) => (
            <label key={question} class="choice">
              <input
                type="checkbox"
                checked={design.background.includes(question)}
                onChange={(event) => {
                  const on = event.currentTarget.checked;
                  const background = QUESTIONS.filter((each) => (each === question ? on : design.background.includes(each)));
                  plan.set({ design: { ...design, background } });
                }}
              />
              {t(`new_study.background_${question}`)}
            </label>
          ))}
        </div>
      </fieldset>
      {plan.form.others.length ? (
        <div class="field">
          <label for="earlier">{t("new_study.earlier")}</label>
          <select
            id="earlier"
            value={earlier === null ? "" : String(earlier)}
            disabled={plan.form.id !== null}
            onChange={(event) => plan.set({ earlier: event.currentTarget.value ? Number(event.currentTarget.value) : null })}
          >
            <option value="">{t("new_study.no_earlier")}</option>
            {plan.form.others.map(({ id, name }) => <option key={id} value={String(id)}>{name}</option>)}
          </select>
        </div>
      ) : null}
    </Step>
  );
}

type CountName = { [Key in keyof FullDesign]: FullDesign[Key] extends number ? Key : never }[keyof FullDesign];

function Count({ plan, name, min, hint, disabled }: { plan: Plan; name: CountName; min: number; hint?: boolean; disabled?: boolean }) {
  const set = (value: number): void =>
    name === "seed" ? plan.set({ design: { ...plan.chosen.design, seed: value } }) : plan.setDesign({ [name]: value });
  return (
    <NumberField id={`design-${name}`} label={t(`new_study.${name}`)} hint={hint ? t(`new_study.${name}_hint`) : ""} value={plan.chosen.design[name]} {...{ min, set }} disabled={disabled ?? false} step={1} most={name === "seed" ? 2 ** 31 : 10_000} />
  );
}

function Rule({ plan, name, step, most }: { plan: Plan; name: keyof Required<Rules>; step: number; most: number }) {
  const value = plan.chosen.design.rules[name];
  return (
    <NumberField id={`rule-${name}`} label={t(`new_study.rule_${name}`)} hint="" value={value} min={0} set={(next) => plan.setRules({ [name]: next })} disabled={false} {...{ step, most }} />
  );
}

interface NumberProps {
  id: string;
  label: string;
  hint: string;
  value: number;
  min: number;
  most: number;
  step: number;
  disabled: boolean;
  set: (value: number) => void;
}

function NumberField({ id, label, hint, value, min, most, step, disabled, set }: NumberProps) {
  const whole = step >= 1;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...{ id, min, disabled }}
        type="number"
        max={most}
        step={whole ? step : "any"}
        value={value}
        required
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={(event) => {
          const typed = event.currentTarget.valueAsNumber;
          if (Number.isNaN(typed) || typed < min || typed > most || (whole && !Number.isInteger(typed))) return;
          set(typed);
        }}
      />
      {hint ? <span class="hint" id={`${id}-hint`}>{hint}</span> : null}
    </div>
  );
}

// Check -------------------------------------------------------------------------------------------------------------

interface CostState {
  size: Size | null;
  reason: Node | null;
}

/** What the design costs, asked for again after every change. */
function useCost(plan: Plan): CostState {
  const [cost, setCost] = useState<CostState>({ size: null, reason: null });
  const { design, uids } = plan.chosen;
  useEffect(() => {
    if (!uids.length) return setCost({ size: null, reason: document.createTextNode(t("new_study.none_chosen")) });
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.studySize(page.project, { design, paradigms: uids.length }, { signal: stop.signal }).then(
        (size) => setCost({ size, reason: null }),
        (error: unknown) => {
          if (!api.isAbort(error)) setCost({ size: null, reason: failure(error) });
        },
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [design, uids.length]);
  return cost;
}

/** What is wrong; where it is said a second time, it does not interrupt. */
function Reason({ of, again = false }: { of: Node | null; again?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.replaceChildren(...(of ? [of.cloneNode(true)] : [])), [of]);
  return <div class="notice bad" role={again ? undefined : "alert"} ref={box} />;
}

function Cost({ cost: { size, reason } }: { cost: CostState }) {
  return (
    <section class="cost" aria-labelledby="cost-title">
      <h2 id="cost-title">{t("new_study.cost")}</h2>
      {size ? (
        <>
          <dl class="figures">
            <div><dt>{t("new_study.cost_people")}</dt><dd>{number(size.people)}</dd></div>
            <div><dt>{t("new_study.cost_minutes")}</dt><dd>{Math.max(1, Math.round(size.minutes))}</dd></div>
            {size.judgements ? <div><dt>{t("new_study.cost_judgements")}</dt><dd>{number(size.per_paradigm)}</dd></div> : null}
            {size.half_width !== null ? <div><dt>{t("new_study.cost_width")}</dt><dd>±{(100 * size.half_width).toFixed(1)}</dd></div> : null}
          </dl>
          <ul class="plain-list small">{size.lines.map((line) => <li key={line}>{line}</li>)}</ul>
        </>
      ) : null}
      <Reason of={reason} />
    </section>
  );
}

function CheckStep({ plan, cost }: { plan: Plan; cost: CostState }) {
  const [reason, setReason] = useState<Node | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const wrong = document.querySelector<HTMLInputElement>(".study-form input:invalid");
    if (busy || (wrong && !wrong.reportValidity())) return; // what is shown is what is drawn
    setBusy(true);
    setReason(null);
    try {
      const { id } = await api.saveStudy(page.project, plan.form.id, plan.request);
      plan.forget();
      sayNext(t("new_study.saved"));
      location.assign(`${home}/${id}`);
    } catch (error) {
      setBusy(false);
      setReason(failure(error));
    }
  };
  return (
    <Step name="check">
      <form onSubmit={(event) => void save(event)} aria-busy={busy}>
        <div class="field">
          <label for="study-name">{t("new_study.name")}</label>
          <input id="study-name" required maxLength={100} value={plan.chosen.name} onInput={(event) => plan.set({ name: event.currentTarget.value })} autocomplete="off" />
        </div>
        {cost.size ? <ul class="plain-list">{cost.size.lines.map((line) => <li key={line}>{line}</li>)}</ul> : null}
        <Reason of={cost.reason} again />
        <p class="hint">{t("new_study.check_hint")}</p>
        <div class="actions">
          <button class="primary" disabled={busy || !cost.size}>{t(busy ? "new_study.drawing" : "new_study.save")}</button>
          <a class="button" href={plan.form.id === null ? home : `${home}/${plan.form.id}`} onClick={() => plan.forget()}>{t("shell.cancel")}</a>
        </div>
        <Reason of={reason} />
      </form>
    </Step>
  );
}

const root = document.getElementById("new-study");
if (root) {
  void openInto(root, async () => <StudyPage plan={new Plan(await api.studyForm(page.project, String(page["query"] ?? "")))} />);
}
