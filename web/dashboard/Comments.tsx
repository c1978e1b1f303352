// The comments on a dashboard: threads, replies and mentions.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { t } from "../ui/i18n/text.ts";
import { CommentBox } from "./CommentBox.tsx";
import { type Person, partsOf } from "./state/mentions.ts";
import type { Store } from "./state/store.ts";
import { clockText } from "./state/times.ts";
import { listOf, objectOf, textOf } from "./state/widgets.ts";

interface Comment {
  readonly id: number;
  readonly body: string;
  /** Undefined if the user was deleted. */
  readonly author: Person | undefined;
  readonly mentions: readonly number[];
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
  const people = useSignal<readonly Person[]>([]);
  const dashboard = `/api/v1/embed/dashboard/${encodeURIComponent(store.content.publicId)}`;
  const base = `${dashboard}/comments`;
  const findPeople = async (search: string, signal?: AbortSignal, first = 8) => {
    const asked = new URLSearchParams({ first: String(first), ...(search !== "" && { search }) });
    const path = `${dashboard}/mentionable-users?${asked.toString()}`;
    return itemsOf(await store.api.send(path, { signal })).flatMap(readPerson);
  };
  const read = async (): Promise<void> => {
    const all = readThreads(await store.api.send(base));
    const comments = all.flatMap((thread) => [thread, ...thread.replies]);
    const known = new Set(people.value.map(({ id }) => id));
    const isKnown = comments.every(({ mentions }) => mentions.every((id) => known.has(id)));
    if (!isKnown) people.value = await findPeople("", undefined, mostPeople);
    threads.value = all;
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
      <CommentBox
        label={t("comments.add")}
        findPeople={findPeople}
        onSend={(body, mentions) => change("", { body, mentions })}
      />
      {problem.value !== "" && <p role="alert">{problem.value}</p>}
      {threads.value?.length === 0 && <p class="hint">{t("comments.empty")}</p>}
      <ul class="threads">
        {threads.value?.map((thread) => (
          <li key={thread.id} class="thread">
            {titleOf(store, thread.widgetId) !== "" && (
              <p class="hint">{titleOf(store, thread.widgetId)}</p>
            )}
            <CommentText comment={thread} people={people.value} />
            {thread.replies.map((reply) => (
              <CommentText key={reply.id} comment={reply} people={people.value} />
            ))}
            <CommentBox
              label={t("comments.reply")}
              findPeople={findPeople}
              onSend={(body, mentions) => change("", { body, mentions, threadId: thread.id })}
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

/** People whose mentions stand out in comments. */
const mostPeople = 100;

function CommentText({
  comment: { author, body, mentions, createdAt },
  people,
}: {
  readonly comment: Comment;
  readonly people: readonly Person[];
}) {
  const mentioned = people.filter(({ id }) => mentions.includes(id));
  return (
    <article class="comment">
      <p class="comment-head">
        <strong>{author?.name}</strong>{" "}
        <time dateTime={createdAt}>{clockText(createdAt, undefined)}</time>
      </p>
      <p class="comment-body">
        {partsOf(body, mentioned).map(({ text, isMention }, at) =>
          isMention ? <strong key={at}>{text}</strong> : text,
        )}
      </p>
    </article>
  );
}

function itemsOf(answer: JsonValue): readonly JsonObject[] {
  const items = isObject(answer) ? listOf(answer["data"] ?? answer["items"]) : listOf(answer);
  return items.filter(isObject);
}

function readPerson(one: JsonObject): readonly Person[] {
  const name = textOf(one["name"]);
  return name === "" ? [] : [{ id: Number(one["id"]), name }];
}

function readThreads(answer: JsonValue): readonly Thread[] {
  return itemsOf(answer).map((one) => ({
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
    author: readPerson(objectOf(one["author"]))[0],
    mentions: listOf(one["mentions"]).map(Number),
    createdAt: textOf(one["createdAt"]),
  };
}
