// The list of sources, with a search and a count of each health.
import { Health } from "./Health.tsx";
import { Moment } from "./Moment.tsx";
import { healths, list, listed, onlyHealth, search, shownName } from "./store.ts";

export function SourceList() {
  const all = list.value?.sources ?? [];
  const counts = Map.groupBy(all, ({ health }) => health);
  return (
    <nav class="sources" aria-label="Sources">
      <input
        class="field"
        type="search"
        placeholder="Search"
        aria-label="Search sources"
        value={search.value}
        onInput={({ currentTarget }) => {
          search.value = currentTarget.value;
        }}
      />
      <div class="counts" role="group" aria-label="Health">
        {healths
          .filter((health) => counts.has(health))
          .map((health) => (
            <button
              type="button"
              class="button"
              key={health}
              aria-pressed={onlyHealth.value === health}
              onClick={() => {
                onlyHealth.value = onlyHealth.value === health ? undefined : health;
              }}
            >
              <Health health={health} /> {counts.get(health)?.length}
            </button>
          ))}
      </div>
      <p class="visually-hidden" role="status">
        {listed.value.length} of {all.length} sources
      </p>
      <ul>
        {listed.value.map(({ name, health, result, commit, since, mode, running }) => (
          <li key={name}>
            <a
              href={`#/${encodeURIComponent(name)}`}
              aria-current={name === shownName.value ? "page" : undefined}
            >
              <span class="name">{name}</span>
              <Health health={health} />
              <span class="hint">
                {[
                  running && "in progress",
                  result,
                  mode === "plan" && "plans only",
                  commit?.slice(0, 8),
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </span>
              <span class="hint">{since !== undefined && <Moment time={since} />}</span>
            </a>
          </li>
        ))}
      </ul>
      {listed.value.length === 0 && <p class="hint">No source matches.</p>}
    </nav>
  );
}
