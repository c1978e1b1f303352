// The plan of the last reconciliation: each change with its fields, before and after, and which side changed.
import { useId, useState } from "preact/hooks";
import type { RecordedPlan } from "../../controller/api-types.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { differenceOf } from "./difference.ts";
import { Moment } from "./Moment.tsx";

const directions = {
  pending: "the manifests changed",
  drifted: "the server changed",
  conflict: "both changed",
} as const;
type Direction = keyof typeof directions;

/** Changes that are shown at first. */
const shownAtFirst = 50;

export function Plan({ plan }: { readonly plan: RecordedPlan | undefined }) {
  const id = useId();
  const [direction, setDirection] = useState<Direction | "">("");
  const [shown, setShown] = useState(shownAtFirst);
  if (plan === undefined) {
    return (
      <section aria-labelledby={id}>
        <h3 id={id}>Plan</h3>
        <p class="hint">No reconciliation had a plan yet.</p>
      </section>
    );
  }
  const { time, commit, report, moreChanges = 0 } = plan;
  const all = objectsIn(report["changes"]).filter(({ action }) => action !== "none");
  const changes = all.filter((change) => direction === "" || change["direction"] === direction);
  const diagnostics = objectsIn(report["diagnostics"]);
  const findings = diagnostics.filter(({ severity }) => severity !== "info");
  const lastChanges = new Map(
    diagnostics.flatMap(({ code, address, summary }) =>
      code === "last-change" ? [[address, textOf(summary)] as const] : [],
    ),
  );
  const present = (Object.keys(directions) as Direction[]).filter((name) =>
    all.some((change) => change["direction"] === name),
  );
  return (
    <section aria-labelledby={id}>
      <header class="section-head">
        <h3 id={id}>Plan</h3>
        <span class="hint">
          of <Moment time={time} />
          {commit !== undefined && `, commit ${commit.slice(0, 8)}`}
        </span>
        {present.length > 1 && (
          <select
            class="field"
            aria-label="Which side changed"
            value={direction}
            onChange={({ currentTarget }) => setDirection(currentTarget.value as Direction | "")}
          >
            <option value="">all changes</option>
            {present.map((name) => (
              <option key={name} value={name}>
                {directions[name]}
              </option>
            ))}
          </select>
        )}
      </header>
      {findings.map((finding, index) => (
        <p class={`card ${finding["severity"] === "error" ? "danger" : ""}`} key={index}>
          {textOf(finding["summary"])} <span class="hint">{textOf(finding["remedy"])}</span>
        </p>
      ))}
      {all.length === 0 && <p class="hint">No changes.</p>}
      {changes.slice(0, shown).map((change) => (
        <Change
          key={textOf(change["address"])}
          change={change}
          lastChange={lastChanges.get(change["address"])}
        />
      ))}
      {changes.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + 500)}>
          Show more of {changes.length}
        </button>
      )}
      {moreChanges > 0 && (
        <p class="hint">
          {moreChanges} more changes were not kept. svc controller plan --config shows all.
        </p>
      )}
    </section>
  );
}

function Change({
  change,
  lastChange,
}: {
  readonly change: JsonObject;
  /** Who changed it on the server last, and when. */
  readonly lastChange: string | undefined;
}) {
  const action = textOf(change["action"]);
  const fields = objectsIn(change["fields"]);
  return (
    <article class="change">
      <h4>
        <span class={`action ${action}`}>{action}</span> {textOf(change["address"])}{" "}
        <Side direction={change["direction"]} />
      </h4>
      {lastChange !== undefined && <p class="hint">{lastChange}</p>}
      {fields.map((field) => (
        <div class="field-change" key={textOf(field["path"])}>
          <p>
            {textOf(field["path"])}{" "}
            {field["direction"] !== change["direction"] && <Side direction={field["direction"]} />}
          </p>
          <pre>
            {differenceOf(field["before"], field["after"]).map(({ side, text }, index) => {
              if (side === "both") return <span key={index}>{`  ${text}\n`}</span>;
              return side === "before" ? (
                <del key={index}>{`- ${text}\n`}</del>
              ) : (
                <ins key={index}>{`+ ${text}\n`}</ins>
              );
            })}
          </pre>
        </div>
      ))}
    </article>
  );
}

function Side({ direction }: { readonly direction: JsonValue | undefined }) {
  const text = directions[direction as Direction] as string | undefined;
  return text === undefined ? null : <span class={`side ${textOf(direction)}`}>{text}</span>;
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isObject) : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? escapeInvisible(value) : "";
}
