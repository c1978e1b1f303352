// The order of the sources: waves, of which each waits for the ones before.
import type { SourceOverview } from "../../controller/api-types.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { Health } from "./Health.tsx";
import { Running } from "./Running.tsx";
import { listed, list } from "./store.ts";

/** Sources of one pattern in one wave that are shown without a fold. */
const shownOfPattern = 5;

export function Order() {
  const waves = [...Map.groupBy(listed.value, ({ order }) => order?.wave ?? 0)].toSorted(
    ([left], [right]) => left - right,
  );
  const all = list.value?.sources.length ?? 0;
  return (
    <>
      <p class="back">
        <a href="#">All sources</a>
      </p>
      <h2>Order of the sources</h2>
      <p class="hint">
        A source waits until those that it comes after are applied and healthy.
        {listed.value.length < all && ` ${listed.value.length} of ${all} match the search.`}
      </p>
      <ol class="waves">
        {waves.map(([wave, sources]) => (
          <li key={wave}>
            <h3>{wave === 0 ? "Wait for nothing" : `Wave ${wave + 1}`}</h3>
            <Wave sources={sources} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Wave({ sources }: { readonly sources: readonly SourceOverview[] }) {
  const groups = Map.groupBy(sources, ({ pattern = "" }) => pattern);
  const isFolded = (pattern: string, group: readonly SourceOverview[]): boolean =>
    pattern !== "" && group.length > shownOfPattern;
  return (
    <>
      <ul>
        {[...groups].flatMap(([pattern, group]) =>
          (isFolded(pattern, group) ? group.filter(needsSomeone) : group).map((source) => (
            <Node key={source.name} source={source} />
          )),
        )}
      </ul>
      {[...groups]
        .filter(([pattern, group]) => isFolded(pattern, group))
        .map(([pattern, group]) => {
          const rest = group.filter((source) => !needsSomeone(source));
          return (
            rest.length > 0 && (
              <details key={pattern}>
                <summary>
                  {rest.length} of {pattern}
                </summary>
                <ul>
                  {rest.map((source) => (
                    <Node key={source.name} source={source} />
                  ))}
                </ul>
              </details>
            )
          );
        })}
    </>
  );
}

function needsSomeone({ health, running }: SourceOverview): boolean {
  return running !== undefined || (health !== "ok" && health !== "unknown");
}

function Node({ source }: { readonly source: SourceOverview }) {
  const { name, health, order, suspension, failure, running } = source;
  const { after = [], more = 0 } = order ?? {};
  const why =
    suspension === undefined ? failure?.message : `${suspension.by}: ${suspension.reason}`;
  return (
    <li class="node">
      <span class="name">
        <a href={addressOf(name)}>{name}</a>
      </span>
      <Health health={health} />
      {after.length > 0 && (
        <span class="hint">
          after{" "}
          {after.slice(0, shownOfPattern).map((other, index) => (
            <>
              {index > 0 && ", "}
              <a href={addressOf(other)}>{other}</a>
            </>
          ))}
          {after.length + more > shownOfPattern &&
            ` and ${after.length + more - shownOfPattern} more`}
        </span>
      )}
      <Running running={running} />
      {why !== undefined && health !== "ok" && <p class="hint">{escapeInvisible(why)}</p>}
    </li>
  );
}

function addressOf(name: string): string {
  return `#/${encodeURIComponent(name)}`;
}
