// One source: its state, what one may do, its pipelines, its plan and its history.
import type { SourceOverview } from "../../controller/api-types.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { Actions, HeldPlan } from "./Actions.tsx";
import { Health } from "./Health.tsx";
import { History } from "./History.tsx";
import { Moment, TimedText } from "./Moment.tsx";
import { Plan } from "./Plan.tsx";
import { Promotions } from "./Promotions.tsx";
import { Running } from "./Running.tsx";
import { details } from "./store.ts";

const modes: Readonly<Record<SourceOverview["mode"], string>> = {
  plan: "plans only",
  "report-drift": "applies commits, reports live edits",
  apply: "applies",
};

export function Source({ source }: { readonly source: SourceOverview }) {
  const { name, stack, mode, from, health, result, commit, since, time, next } = source;
  const { failure, suspension, held, opens, running } = source;
  const shown = details.value?.name === name ? details.value : undefined;
  // The plan that waits says why.
  const isHeld = held !== undefined && health === "waiting";
  const place = from.folder ?? [from.url, from.path].filter(Boolean).join(" · ");
  return (
    <>
      <p class="back">
        <a href="#">All sources</a>
      </p>
      <header class="source-head">
        <h2>{name}</h2>
        <Health health={health} />
        {since !== undefined && (
          <span class="hint">
            since <Moment time={since} />
          </span>
        )}
      </header>
      <Actions source={source} />
      <Running running={running} />
      {suspension !== undefined && (
        <p class="card">
          Suspended by {suspension.by}: {escapeInvisible(suspension.reason)}, ends{" "}
          <Moment time={suspension.expires} />
          {suspension.configured && " (in the configuration)"}
        </p>
      )}
      {failure !== undefined && health !== "suspended" && !isHeld && (
        <div class={`card ${health === "failing" ? "danger" : ""}`}>
          <p>
            <TimedText text={failure.message} />
          </p>
          {failure.remedy !== undefined && health === "failing" && (
            <p class="hint">{escapeInvisible(failure.remedy)}</p>
          )}
          {opens !== undefined && (
            <p class="hint">
              The window opens <Moment time={opens} />.
            </p>
          )}
        </div>
      )}
      {held !== undefined && <HeldPlan name={name} held={held} mode={mode} />}
      <dl class="facts">
        <Fact title="Stack" text={stack} />
        <Fact title="From" text={place} />
        <Fact title="Follows" text={from.ref} />
        <Fact title="Mode" text={modes[mode]} />
        <Fact title="Commit" text={commit} />
        <Fact title="Last result" text={result} />
        <div>
          <dt>Reconciled</dt>
          <dd>{time === undefined ? "not yet" : <Moment time={time} />}</dd>
        </div>
        {next !== undefined && (
          <div>
            <dt>Next</dt>
            <dd>
              <Moment time={next} />
            </dd>
          </div>
        )}
      </dl>
      {shown === undefined ? (
        <p class="hint">Loading …</p>
      ) : (
        <>
          {shown.promotions !== undefined && (
            <Promotions name={name} promotions={shown.promotions} />
          )}
          <Plan plan={shown.plan} />
          <History entries={shown.history} />
        </>
      )}
    </>
  );
}

function Fact({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <div>
      <dt>{title}</dt>
      <dd>{text}</dd>
    </div>
  );
}
