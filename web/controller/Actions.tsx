// What the token may do to a source. Actions with a reason ask for it in a dialog.
import { useState } from "preact/hooks";
import type { HeldInfo, SourceOverview } from "../../controller/api-types.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { Moment } from "./Moment.tsx";
import { ReasonDialog } from "./ReasonDialog.tsx";
import { act, may } from "./store.ts";

/** Shows the actions of an operator. */
export function Actions({ source }: { readonly source: SourceOverview }) {
  const { name, suspension } = source;
  const [isAsking, setIsAsking] = useState(false);
  if (!may("operator")) return null;
  return (
    <div class="actions">
      {suspension === undefined ? (
        <>
          <button type="button" class="button" onClick={() => void act(name, "reconcile", {})}>
            Reconcile now
          </button>
          <button type="button" class="button" onClick={() => setIsAsking(true)}>
            Suspend …
          </button>
        </>
      ) : (
        !suspension.configured && (
          <button type="button" class="button" onClick={() => void act(name, "resume", {})}>
            Resume
          </button>
        )
      )}
      {isAsking && (
        <ReasonDialog
          title={`Suspend ${name}`}
          verb="Suspend"
          action="suspend"
          name={name}
          hasEnd
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}

/** Shows a plan that waits for a decision, and the actions of an approver. */
export function HeldPlan({
  name,
  held,
  mode,
}: {
  readonly name: string;
  readonly held: HeldInfo;
  readonly mode: SourceOverview["mode"];
}) {
  // With the plan that was shown then: another may be held while the dialog is open.
  const [asked, setAsked] = useState<
    { readonly action: "approve" | "reject"; readonly plan: string } | undefined
  >(undefined);
  const { plan, deletes, changes, others = 0, decision } = held;
  return (
    <section class="card" aria-label="Plan that waits">
      <h3>
        Plan {plan} deletes or replaces {deletes} {deletes === 1 ? "object" : "objects"}
      </h3>
      <ul class="held">
        {changes.map((change) => (
          <li key={change}>{escapeInvisible(change)}</li>
        ))}
        {others > 0 && (
          <li>
            and {others} other {others === 1 ? "change" : "changes"}
          </li>
        )}
      </ul>
      {mode === "report-drift" && (
        <p class="hint">Without the live edits, which the plan below also shows.</p>
      )}
      {decision !== undefined && (
        <p>
          {decision.verdict === "approved" ? "Approved" : "Rejected"} by {decision.by}{" "}
          <Moment time={decision.at} />
          {decision.reason !== undefined && `: ${escapeInvisible(decision.reason)}`}
        </p>
      )}
      {may("approver") && (
        <div class="actions">
          {decision?.verdict !== "approved" && (
            <button
              type="button"
              class="button primary"
              onClick={() => setAsked({ action: "approve", plan })}
            >
              Approve …
            </button>
          )}
          {decision?.verdict !== "rejected" && (
            <button
              type="button"
              class="button"
              onClick={() => setAsked({ action: "reject", plan })}
            >
              Reject …
            </button>
          )}
        </div>
      )}
      {asked !== undefined && (
        <ReasonDialog
          title={`${asked.action === "approve" ? "Approve" : "Reject"} plan ${asked.plan} of ${name}`}
          verb={asked.action === "approve" ? "Approve" : "Reject"}
          action={asked.action}
          name={name}
          body={{ plan: asked.plan }}
          isOptional={asked.action === "approve"}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}
