// The history of a source: its reconciliations and what people did, the newest first.
import { useId } from "preact/hooks";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { Moment } from "./Moment.tsx";

export function History({ entries }: { readonly entries: readonly JsonObject[] }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>History</h3>
      {entries.length === 0 && <p class="hint">Nothing happened yet.</p>}
      <ol class="history">
        {entries.map((entry, index) => (
          <li key={index}>
            <Moment time={textOf(entry["time"])} /> <Entry entry={entry} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Entry({ entry }: { readonly entry: JsonObject }) {
  const { action, by, reason, result, commit, failure, approved, suspension, changes } = entry;
  const { stage, version } = entry;
  if (entry["event"] === "action") {
    return (
      <span>
        <strong>{textOf(action).replaceAll("-", " ")}</strong>
        {[version, stage].map((text) => text !== undefined && ` ${textOf(text)}`)} by {textOf(by)}
        {reason !== undefined && `: ${textOf(reason)}`}
      </span>
    );
  }
  const written = Array.isArray(changes) ? (changes as readonly JsonValue[]).filter(isObject) : [];
  const why = [memberText(failure, "message"), memberText(suspension, "reason")].find(Boolean);
  return (
    <>
      <strong>{textOf(result)}</strong>
      {typeof commit === "string" && ` at ${commit.slice(0, 8)}`}
      {isObject(approved) && `, approved by ${textOf(approved["by"])}`}
      {why !== undefined && `: ${why}`}
      {written.length > 0 && (
        <details>
          <summary>
            {written.length} {written.length === 1 ? "change" : "changes"}
          </summary>
          <ul>
            {written.map((change) => (
              <li key={textOf(change["address"])}>
                {["action", "address", "direction", "result"]
                  .map((name) => textOf(change[name]))
                  .join(" ")}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function memberText(value: JsonValue | undefined, name: string): string {
  return isObject(value) ? textOf(value[name]) : "";
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? escapeInvisible(value) : "";
}
