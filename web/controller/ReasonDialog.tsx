// Asks for the reason of an action, and acts.
import { useId, useState } from "preact/hooks";
import type { JsonObject } from "../../core/json.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { act, type ActionName, problem } from "./store.ts";

export function ReasonDialog({
  title,
  verb,
  action,
  name,
  body = {},
  isOptional = false,
  hasEnd = false,
  onClose,
}: {
  readonly title: string;
  /** What the button says. */
  readonly verb: string;
  readonly action: ActionName;
  /** Of the source. */
  readonly name: string;
  /** The members of the request besides the reason and the end. */
  readonly body?: JsonObject;
  /** Whether the reason may be left out. */
  readonly isOptional?: boolean;
  /** Whether the action ends by itself. */
  readonly hasEnd?: boolean;
  readonly onClose: () => void;
}) {
  const id = useId();
  const [reason, setReason] = useState("");
  const [expires, setExpires] = useState("4h");
  const [isBusy, setIsBusy] = useState(false);
  const request = {
    ...body,
    ...(reason.trim() !== "" && { reason: reason.trim() }),
    ...(hasEnd && { expires: expires.trim() }),
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          setIsBusy(true);
          void act(name, action, request).then((isDone) => {
            setIsBusy(false);
            if (isDone) onClose();
          });
        }}
      >
        <label for={`${id}-reason`}>Reason{isOptional && " (optional)"}</label>
        <input
          id={`${id}-reason`}
          class="field"
          autofocus
          maxLength={500}
          required={!isOptional}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
        {hasEnd && <End value={expires} onChange={setExpires} />}
        {problem.value !== undefined && (
          <p class="problem" role="alert">
            {problem.value.message} {problem.value.remedy}
          </p>
        )}
        <button type="submit" class="button primary" disabled={isBusy}>
          {verb}
        </button>
      </form>
    </Dialog>
  );
}

function End({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <>
      <label for={id}>Until</label>
      <input
        id={id}
        class="field"
        required
        value={value}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <p class="hint" id={`${id}-hint`}>
        A duration such as 4h, or a last day such as 2027-03-01 in UTC.
      </p>
    </>
  );
}
