// The comments on a dashboard: threads, replies and mentions.
import { useSignal } from "@preact/signals";
import { useEffect, useId, useState } from "preact/hooks";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { t } from "../ui/i18n/text.ts";
import type { Store } from "./state/store.ts";
import { clockText } from "./state/times.ts";
import { listOf, objectOf, textOf } from "./state/widgets.ts";

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly author: string;
  readonly createdAt: string;
}

interface Thread extends Comment {
  readonly isResolved: boolean;
  readonly widgetId: string;
  readonly replies: readonly Comment[];
}

/** Shows a button that opens the comments. */
export function Comments({ store }: { readonly store: Store }) {
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={t("comments.title")}
        title={t("comments.title")}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        <Icon name="comment" />
      </button>
      {isOpen.value && (
        <Dialog
          title={t("comments.title")}
          onClose={() => {
            isOpen.value = false;
          }}
        >
          <Threads store={store} />
        </Dialog>
      )}
    </>
  );
}

function Threads({ store }: { readonly store: Store }) {
  const threads = useSignal<readonly Thread[] | undefined>(undefined);
  const problem = useSignal("");
  const base = `/api/v1/embed/dashboard/${encodeURIComponent(store.content.publicId)}/comments`;
  const read = async (): Promise<void> => {
    threads.value = readThreads(await store.api.send(base));
  };
  const change = async (path: string, body: JsonObject): Promise<boolean> => {
    problem.value = "";
    try {
      await store.api.send(`${base}${path}`, { method: "POST", body });
      await read();
      return true;
    } catch {
      problem.value = t("error.page");
      return false;
    }
  };
  useEffect(() => {
    void read().catch(() => {
      problem.value = t("error.page");
    });
  }, []);
  return (
    <div class="comments">
      <NewComment label={t("comments.add")} onSend={(body) => change("", { body })} />
      {problem.value !== "" && <p role="alert">{problem.value}</p>}
      {threads.value?.length === 0 && <p class="hint">{t("comments.empty")}</p>}
      <ul class="threads">
        {threads.value?.map((thread) => (
          <li key={thread.id} class="thread">
            {titleOf(store, thread.widgetId) !== "" && (
              <p class="hint">{titleOf(store, thread.widgetId)}</p>
            )}
            <CommentText comment={thread} />
            {thread.replies.map((reply) => (
              <CommentText key={reply.id} comment={reply} />
            ))}
            <NewComment
              label={t("comments.reply")}
              onSend={(body) => change("", { body, threadId: thread.id })}
            />
            {thread.isResolved ? (
              <span class="hint">{t("comments.resolved")}</span>
            ) : (
              <button
                type="button"
                class="button"
                onClick={() => void change(`/${thread.id}/resolve`, {})}
              >
                {t("comments.resolve")}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns the title of the widget that a thread is about; "" if it has none. */
function titleOf({ content }: Store, widgetId: string): string {
  const widget = content.widgets.find(({ id }) => id === widgetId);
  return textOf(widget?.config["title"]);
}

function CommentText({ comment: { author, body, createdAt } }: { readonly comment: Comment }) {
  return (
    <article class="comment">
      <p class="comment-head">
        <strong>{author}</strong>{" "}
        <time dateTime={createdAt}>{clockText(createdAt, undefined)}</time>
      </p>
      <p class="comment-body">{body}</p>
    </article>
  );
}

function NewComment({
  label,
  onSend,
}: {
  readonly label: string;
  readonly onSend: (body: string) => Promise<boolean>;
}) {
  const id = useId();
  const [body, setBody] = useState("");
  const send = async (): Promise<void> => {
    if (body.trim() !== "" && (await onSend(body))) setBody("");
  };
  return (
    <form
      class="new-comment"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label class="control-label" for={id}>
        {label}
      </label>
      <textarea
        id={id}
        class="field"
        rows={2}
        maxLength={5000}
        value={body}
        onInput={({ currentTarget }) => setBody(currentTarget.value)}
      />
      <button type="submit" class="button" disabled={body.trim() === ""}>
        {t("comments.send")}
      </button>
    </form>
  );
}

function readThreads(answer: JsonValue): readonly Thread[] {
  const items = isObject(answer) ? listOf(answer["data"] ?? answer["items"]) : listOf(answer);
  return items.filter(isObject).map((one) => ({
    ...readComment(one),
    isResolved: one["resolvedAt"] !== undefined,
    widgetId: textOf(one["widgetId"]),
    replies: listOf(one["replies"]).filter(isObject).map(readComment),
  }));
}

function readComment(one: JsonObject): Comment {
  return {
    id: Number(one["id"]),
    body: textOf(one["body"]),
    author: textOf(objectOf(one["author"])["name"]),
    createdAt: textOf(one["createdAt"]),
  };
}
