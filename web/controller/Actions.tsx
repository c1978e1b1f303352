// What the token may do to a source. Actions with a reason ask for it in a dialog.
import { useId, useState } from "preact/hooks";
import type { HeldInfo, SourceOverview } from "../../controller/api-types.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Moment } from "./Moment.tsx";
import { act, type ActionName, may, problem } from "./store.ts";

/** Shows the actions of an operator. */
export function Actions({ source }: { readonly source: SourceOverview }) {
  const { name, suspension } = source;
  const [isAsking, setIsAsking] = useState(false);
  if (!may("operator")) return null;
  return (
    <div class="actions">
      <button type="button" class="button" onClick={() => void act(name, "reconcile", {})}>
        Reconcile now
      </button>
      {suspension === undefined ? (
        <button type="button" class="button" onClick={() => setIsAsking(true)}>
          Suspend …
        </button>
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
          action="suspend"
          name={name}
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
          action={asked}
          name={name}
          plan={plan}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}

function ReasonDialog({
  title,
  action,
  name,
  plan,
  onClose,
}: {
  readonly title: string;
  readonly action: ActionName;
  readonly name: string;
  readonly plan?: string;
  readonly onClose: () => void;
}) {
  const id = useId();
  const [reason, setReason] = useState("");
  const [expires, setExpires] = useState("4h");
  const isSuspension = action === "suspend";
  const body = {
    ...(reason.trim() !== "" && { reason: reason.trim() }),
    ...(plan !== undefined && { plan }),
    ...(isSuspension && { expires: expires.trim() }),
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void act(name, action, body).then((isDone) => isDone && onClose());
        }}
      >
        <label for={`${id}-reason`}>Reason{action === "approve" && " (optional)"}</label>
        <input
          id={`${id}-reason`}
          class="field"
          autofocus
          maxLength={500}
          required={action !== "approve"}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
        {isSuspension && (
          <>
            <label for={`${id}-expires`}>Until</label>
            <input
              id={`${id}-expires`}
              class="field"
              required
              value={expires}
              aria-describedby={`${id}-hint`}
              onInput={({ currentTarget }) => setExpires(currentTarget.value)}
            />
            <p class="hint" id={`${id}-hint`}>
              A duration such as 4h, or a last day such as 2027-03-01 in UTC.
            </p>
          </>
        )}
        {problem.value !== undefined && (
          <p class="problem" role="alert">
            {problem.value.message} {problem.value.remedy}
          </p>
        )}
        <button type="submit" class="button primary">
          {
            { suspend: "Suspend", approve: "Approve", reject: "Reject", resume: "", reconcile: "" }[
              action
            ]
          }
        </button>
      </form>
    </Dialog>
  );
}
