// The pipelines of a source: which version is where and why not further, and what one may do about it.
import { useId, useState } from "preact/hooks";
import type {
  PipelineCell,
  PipelineReport,
  PipelineStage,
  RecordedPromotions,
} from "../../controller/api-types.ts";
import { whoText } from "../../core/text/who-text.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { Moment, TimedText } from "./Moment.tsx";
import { ReasonDialog } from "./ReasonDialog.tsx";
import { may } from "./store.ts";

/** Deployments of a stage that are shown at first. */
const shownAtFirst = 20;
/** Events of a pipeline that are shown. */
const shownHistory = 10;

export function Promotions({
  name,
  promotions: { time, pipelines, morePipelines = 0, failure },
}: {
  readonly name: string;
  readonly promotions: RecordedPromotions;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <header class="section-head">
        <h3 id={id}>Promotions</h3>
        <span class="hint">
          as of <Moment time={time} />
        </span>
      </header>
      {failure !== undefined && (
        <p class="card danger">
          {escapeInvisible(failure.message)} {failure.remedy}
        </p>
      )}
      {pipelines.map((pipeline) => (
        <Pipeline key={pipeline.pipeline} name={name} pipeline={pipeline} />
      ))}
      {morePipelines > 0 && (
        <p class="hint">{morePipelines} more are too long for this page: use svc promote status.</p>
      )}
    </section>
  );
}

function Pipeline({
  name,
  pipeline,
}: {
  readonly name: string;
  readonly pipeline: PipelineReport;
}) {
  const { pipeline: title, stages, versions, titles, cells, omittedVersions } = pipeline;
  return (
    <>
      <h4>{title}</h4>
      <div class="matrix" role="region" aria-label={`Versions of ${title}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Version</th>
              {stages.map(({ stage }) => (
                <th scope="col" key={stage}>
                  {stage}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {versions.map((version) => (
              <tr key={version}>
                <th scope="row">
                  {shortVersion(version)}
                  {titles[version] !== undefined && (
                    <span class="hint"> {escapeInvisible(titles[version])}</span>
                  )}
                </th>
                {cells
                  .filter((cell) => cell.version === version)
                  .map((cell) => (
                    <td key={cell.stage}>
                      <Cell cell={cell} />
                    </td>
                  ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {omittedVersions > 0 && <p class="hint">{omittedVersions} older versions are left out.</p>}
      {stages.map((stage) => (
        <Stage
          key={stage.stage}
          name={name}
          pipeline={title}
          stage={stage}
          cells={cells.filter((cell) => cell.stage === stage.stage)}
        />
      ))}
      <PastEvents pipeline={pipeline} />
    </>
  );
}

const verifications: Readonly<
  Record<NonNullable<PipelineCell["verification"]>, readonly [mark: string, text: string]>
> = {
  promotable: ["✓", "verified"],
  passed: ["…", "passed, soaks"],
  stale: ["?", "verification expired"],
  failed: ["!", "failed"],
  "rolled-back": ["!", "rolled back"],
};

function Cell({ cell }: { readonly cell: PipelineCell }) {
  const { running, total, verification, soak, isApproved, isCandidate, rollout } = cell;
  const words = [
    running > 0 && `runs on ${running} of ${total}`,
    rollout === "in-progress" && "being promoted",
    isCandidate && running < total && "candidate",
    isApproved && running < total && "approved",
  ].filter((word) => word !== false);
  const [mark, text] = verification === undefined ? [] : verifications[verification];
  if (words.length === 0 && text === undefined) return <span class="hint">–</span>;
  return (
    <>
      {words.length > 0 && <div class={running > 0 ? "runs" : ""}>{words.join(", ")}</div>}
      {text !== undefined && (
        <div class={`verification ${verification}`}>
          <span aria-hidden="true">{mark}</span> {text}
          {verification === "passed" && soak !== undefined && (
            <>
              , ends <Moment time={soak.ends} />
            </>
          )}
        </div>
      )}
    </>
  );
}

type StageActionName = "approve-version" | "hold-stage" | "release-stage";

const verbs: Readonly<Record<StageActionName, string>> = {
  "approve-version": "Approve",
  "hold-stage": "Hold",
  "release-stage": "Release",
};

function Stage({
  name,
  pipeline,
  stage: declared,
  cells,
}: {
  /** Of the source. */
  readonly name: string;
  readonly pipeline: string;
  readonly stage: PipelineStage;
  readonly cells: readonly PipelineCell[];
}) {
  const id = useId();
  // With the version that was shown then: another may be the candidate while the dialog is open.
  const [asked, setAsked] = useState<
    { readonly action: StageActionName; readonly version: string | undefined } | undefined
  >(undefined);
  const { stage, running, candidate, reasons, hold, rollout } = declared;
  const wanted = reasons.some(({ code }) => code === "needs-approval") ? candidate : undefined;
  const { action, version } = asked ?? {};
  // The one that is promoted, or else the one that runs.
  const current = cells.find((cell) => cell.version === (rollout?.version ?? running));
  return (
    <article class="card stage" aria-labelledby={id}>
      <h5 id={id}>
        {stage} <State stage={declared} />
      </h5>
      <Facts stage={declared} />
      <StageActions
        wanted={wanted}
        isHeld={hold !== undefined}
        onAsk={(next) =>
          setAsked({ action: next, version: next === "approve-version" ? wanted : undefined })
        }
      />
      <Deployed stage={declared} />
      {current !== undefined && <Checks cell={current} />}
      {action !== undefined && (
        <ReasonDialog
          title={`${verbs[action]} ${version === undefined ? stage : `${shortVersion(version)} for ${stage}`}`}
          verb={verbs[action]}
          action={action}
          name={name}
          body={{ pipeline, stage, ...(version !== undefined && { version }) }}
          isOptional={action !== "hold-stage"}
          onClose={() => setAsked(undefined)}
        />
      )}
    </article>
  );
}

/** Shows the rollout of a stage, its hold, its approvals and what blocks it. */
function Facts({ stage }: { readonly stage: PipelineStage }) {
  const { source, candidate, reasons, hold, rollout, approvals } = stage;
  return (
    <>
      <p class="hint">Takes {source}.</p>
      {rollout !== undefined && (
        <p>
          Being {rollout.cause === "rollback" ? "rolled back" : "promoted"} to{" "}
          {shortVersion(rollout.version)} by {escapeInvisible(whoText(rollout))} since{" "}
          <Moment time={rollout.at} />
        </p>
      )}
      {hold !== undefined && (
        <p>
          Held by {escapeInvisible(whoText(hold))} <Moment time={hold.at} />:{" "}
          {escapeInvisible(hold.reason)}
        </p>
      )}
      {approvals
        .filter(({ isPending }) => isPending)
        .map((approval) => (
          <p key={approval.version}>
            {shortVersion(approval.version)} approved by {escapeInvisible(whoText(approval))}{" "}
            <Moment time={approval.at} />
          </p>
        ))}
      {reasons.length > 0 && (
        <>
          <h6>What blocks {candidate === undefined ? "it" : shortVersion(candidate)}</h6>
          <ul class="reasons">
            {reasons.map(({ code, message, until, remedy }) => (
              <li key={`${code} ${message}`}>
                <TimedText text={message} />
                {until !== undefined && (
                  <>
                    , ends <Moment time={until} />
                  </>
                )}
                {remedy !== undefined && <div class="hint">{escapeInvisible(remedy)}</div>}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Shows whether a stage needs someone, waits, or has what it shall run. */
function State({ stage }: { readonly stage: PipelineStage }) {
  const [health, text] = stateOf(stage);
  const marks = { failing: "!", waiting: "…", changes: "±", ok: "✓" };
  return (
    <span class={`health ${health}`}>
      <span aria-hidden="true">{marks[health]}</span> {text}
    </span>
  );
}

function stateOf({
  running,
  candidate,
  reasons,
  hold,
  rollout,
  step,
}: PipelineStage): readonly ["failing" | "waiting" | "changes" | "ok", string] {
  const codes = new Set(reasons.map(({ code }) => code));
  if (codes.has("failed") || codes.has("attempt-failed")) return ["failing", "failed"];
  if (hold !== undefined) return ["waiting", "held"];
  if (codes.has("needs-request")) return ["waiting", "needs a pull request"];
  if (rollout?.cause === "rollback") return ["changes", "being rolled back"];
  if (rollout !== undefined) return ["changes", "being promoted"];
  if (codes.has("needs-approval")) return ["waiting", "needs an approval"];
  if (step !== undefined) return ["changes", "next promotion goes on"];
  const isBlocked = candidate !== undefined && candidate !== running;
  return isBlocked ? ["waiting", "blocked"] : ["ok", "up to date"];
}

function StageActions({
  wanted,
  isHeld,
  onAsk,
}: {
  /** The version that waits for an approval. */
  readonly wanted: string | undefined;
  readonly isHeld: boolean;
  readonly onAsk: (action: StageActionName) => void;
}) {
  if (!may("operator")) return null;
  const action = isHeld ? "release-stage" : "hold-stage";
  return (
    <div class="actions">
      {wanted !== undefined && may("approver") && (
        <button type="button" class="button primary" onClick={() => onAsk("approve-version")}>
          Approve {shortVersion(wanted)} …
        </button>
      )}
      <button type="button" class="button" onClick={() => onAsk(action)}>
        {verbs[action]} …
      </button>
    </div>
  );
}

function Deployed({ stage: { deployed, candidate } }: { readonly stage: PipelineStage }) {
  const [shown, setShown] = useState(shownAtFirst);
  return (
    <>
      <h6>Deployments</h6>
      <ul class="deployed">
        {deployed.slice(0, shown).map(({ address, version }) => (
          <li key={address}>
            <span>{address}</span>
            <span>
              {version === undefined ? "unknown" : shortVersion(version)}
              {candidate !== undefined && version !== candidate && (
                <span class="hint"> next {shortVersion(candidate)}</span>
              )}
            </span>
          </li>
        ))}
      </ul>
      {deployed.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + 200)}>
          Show more of {deployed.length}
        </button>
      )}
    </>
  );
}

function Checks({ cell: { version, soak, checks } }: { readonly cell: PipelineCell }) {
  if (soak === undefined && checks.length === 0) return null;
  return (
    <>
      <h6>Checks of {shortVersion(version)}</h6>
      {soak !== undefined && (
        <p>
          Soak time began <Moment time={soak.since} />, ends <Moment time={soak.ends} />
          {soak.nextCheck !== undefined && (
            <>
              , next checks <Moment time={soak.nextCheck} />
            </>
          )}
        </p>
      )}
      <ul class="checks">
        {checks.map(({ check, passed, message, at, output }) => (
          <li key={check} class={passed ? "" : "failed"}>
            <span aria-hidden="true">{passed ? "✓" : "!"}</span> {escapeInvisible(check)}{" "}
            {escapeInvisible(message)}, <Moment time={at} />
            {output !== undefined && <pre>{escapeInvisible(output)}</pre>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Shows the last promotions and what people did, the newest first. */
function PastEvents({
  pipeline: { history, manualActions },
}: {
  readonly pipeline: PipelineReport;
}) {
  const events = [
    ...history.map(({ endedAt, stage, to, by, result }) => ({
      at: endedAt,
      text: `${stage} to ${shortVersion(to)}: ${result}, by ${by}`,
    })),
    ...manualActions.map(({ at, stage, action, by, version, reason }) => ({
      at,
      text: [
        `${stage}: ${action.replaceAll("-", " ")}`,
        version !== undefined && ` ${shortVersion(version)}`,
        ` by ${by}`,
        reason !== undefined && `: ${reason}`,
      ]
        .filter(Boolean)
        .join(""),
    })),
  ].toSorted((left, right) => (left.at < right.at ? 1 : -1));
  if (events.length === 0) return null;
  return (
    <details>
      <summary>Last promotions and decisions</summary>
      <ol class="history">
        {events.slice(0, shownHistory).map(({ at, text }) => (
          <li key={`${at} ${text}`}>
            <Moment time={at} /> {escapeInvisible(text)}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Returns a version, or the first digits of a commit. */
function shortVersion(version: string): string {
  return /^[0-9a-f]{40,64}$/u.test(version) ? version.slice(0, 8) : escapeInvisible(version);
}
