// Where a comment is written. After "@" it offers the people whom comments can mention: arrows, Enter and Escape choose.
import { useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { announce } from "../ui/announce.ts";
import { t } from "../ui/i18n/text.ts";
import {
  mentionBefore,
  mentionedIn,
  type OpenMention,
  type Person,
  withMention,
} from "./state/mentions.ts";

type FindPeople = (search: string, signal: AbortSignal) => Promise<readonly Person[]>;

/** Shows the box with its button. `onSend` resolves to whether the comment was taken. */
export function CommentBox({
  label,
  findPeople,
  onSend,
}: {
  readonly label: string;
  /** Returns people whose names contain a text. */
  readonly findPeople: FindPeople;
  readonly onSend: (body: string, mentions: readonly number[]) => Promise<boolean>;
}) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const [body, setBody] = useState("");
  const mentions = useMentions(box, { body, setBody, findPeople });
  const { people, active } = mentions;
  const isOpen = people.length > 0;
  const send = async (): Promise<void> => {
    if (body.trim() === "" || !(await onSend(body, mentions.ids()))) return;
    setBody("");
    mentions.forget();
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
      <div class="comment-box">
        <textarea
          ref={box}
          id={id}
          class="field"
          rows={2}
          maxLength={5000}
          value={body}
          aria-autocomplete="list"
          aria-controls={isOpen ? `${id}-people` : undefined}
          aria-activedescendant={isOpen ? `${id}-people-${active}` : undefined}
          onInput={mentions.onInput}
          onBlur={mentions.close}
          onKeyDown={mentions.onKeyDown}
        />
        {isOpen && <People id={`${id}-people`} {...mentions} />}
      </div>
      <button type="submit" class="button" disabled={body.trim() === ""}>
        {t("comments.send")}
      </button>
    </form>
  );
}

function People({
  id,
  people,
  active,
  choose,
}: {
  readonly id: string;
  readonly people: readonly Person[];
  readonly active: number;
  readonly choose: (person: Person) => void;
}) {
  return (
    <ul id={id} class="people" role="listbox" aria-label={t("comments.people")}>
      {people.map((person, at) => (
        <li
          key={person.id}
          id={`${id}-${at}`}
          class="menu-item"
          role="option"
          aria-selected={at === active}
          onPointerDown={(event) => {
            // The box keeps the focus.
            event.preventDefault();
            choose(person);
          }}
        >
          {person.name}
        </li>
      ))}
    </ul>
  );
}

interface Written {
  readonly body: string;
  readonly setBody: (body: string) => void;
  readonly findPeople: FindPeople;
}

/** Returns the people that a box offers, and what its events do. */
function useMentions(
  box: { readonly current: HTMLTextAreaElement | null },
  { body, setBody, findPeople }: Written,
) {
  const [open, setOpen] = useState<OpenMention | undefined>(undefined);
  const [active, setActive] = useState(0);
  const chosen = useRef<readonly Person[]>([]);
  const caret = useRef<number | undefined>(undefined);
  const people = usePeople(open?.search, findPeople);
  useEffect(() => setActive(0), [people]);
  useLayoutEffect(() => {
    if (caret.current !== undefined) box.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  }, [body]);
  const choose = (person: Person | undefined): void => {
    if (open === undefined || person === undefined) return;
    const next = withMention(body, open, person);
    chosen.current = [...chosen.current, person];
    caret.current = next.caret;
    setBody(next.text);
    setOpen(undefined);
  };
  return {
    people,
    active,
    choose,
    close: () => setOpen(undefined),
    forget: () => {
      chosen.current = [];
    },
    ids: () => [...new Set(mentionedIn(body, chosen.current).map(({ id }) => id))],
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }) => {
      const { value, selectionStart } = currentTarget;
      setBody(value);
      setOpen(mentionBefore(value, selectionStart, chosen.current));
    },
    onKeyDown: (event: KeyboardEvent): void => {
      const { length } = people;
      if (length === 0) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) setActive((active + step + length) % length);
      else if (event.key === "Enter" || event.key === "Tab") choose(people[active]);
      else if (event.key === "Escape") setOpen(undefined);
      else return;
      // Escape would close the dialog too.
      event.preventDefault();
    },
  };
}

/** Returns the people for what is written; none while nothing is. */
function usePeople(search: string | undefined, findPeople: FindPeople): readonly Person[] {
  const found = useSignal<readonly Person[]>([]);
  /** What nobody's name contains: nor does any contain more. */
  const unknown = useRef<string | undefined>(undefined);
  useEffect(() => {
    found.value = [];
    if (search === undefined) return undefined;
    if (unknown.current !== undefined && search.startsWith(unknown.current)) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void findPeople(search, stop.signal).then(
        (people) => {
          if (stop.signal.aborted) return;
          found.value = people;
          unknown.current = people.length === 0 ? search : undefined;
          if (people.length > 0) announce(t("comments.found", { count: people.length }));
        },
        () => undefined,
      );
    }, 150);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [search]);
  return found.value;
}
