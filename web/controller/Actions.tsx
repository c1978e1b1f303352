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
export function HeldPlan({ name, held }: { readonly name: string; readonly held: HeldInfo }) {
  const [asked, setAsked] = useState<"approve" | "reject" | undefined>(undefined);
  const { plan, deletes, changes, decision } = held;
  return (
    <section class="card" aria-label="Plan that waits">
      <h3>
        Plan {plan} deletes or replaces {deletes} {deletes === 1 ? "object" : "objects"}
      </h3>
      <ul class="held">
        {changes.map((change) => (
          <li key={change}>{escapeInvisible(change)}</li>
        ))}
      </ul>
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
            <button type="button" class="button primary" onClick={() => setAsked("approve")}>
              Approve …
            </button>
          )}
          {decision?.verdict !== "rejected" && (
            <button type="button" class="button" onClick={() => setAsked("reject")}>
              Reject …
            </button>
          )}
        </div>
      )}
      {asked !== undefined && (
        <ReasonDialog
          title={`${asked === "approve" ? "Approve" : "Reject"} plan ${plan} of ${name}`}
          verb={asked === "approve" ? "Approve" : "Reject"}
          action={asked}
          name={name}
          body={{ plan }}
          isOptional={asked === "approve"}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}
