// The links of a value of a table, in a dialog.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { LinkedValues } from "../../../charts/index.ts";
import { isObject } from "../../../core/json.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { t } from "../../ui/i18n/text.ts";
import { RequestFailure } from "../state/api.ts";
import { dashboardPath } from "../state/first-requests.ts";
import { type Link, linkQuery, linksIn } from "../state/links.ts";
import { type LoadedResult, readResult } from "../state/results.ts";
import type { Store } from "../state/store.ts";
import { textOf } from "../state/widgets.ts";

/** A value whose links a viewer asks for. */
export interface LinksTarget {
  readonly result: LoadedResult;
  readonly linked: LinkedValues;
  readonly text: string;
}

interface OpenableLink {
  readonly label: string;
  readonly href: string;
  /** Undefined for a dashboard, which opens in this page. */
  readonly isSameTab?: boolean;
}

/** Shows the links until the dialog is closed. */
export function Links({
  store,
  target,
  onClose,
}: {
  readonly store: Store;
  readonly target: LinksTarget;
  readonly onClose: () => void;
}) {
  const links = useSignal<readonly OpenableLink[] | undefined>(undefined);
  const problem = useSignal("");
  useEffect(() => {
    const stop = new AbortController();
    readLinks(store, target, stop.signal).then(
      (found) => {
        links.value = found;
        if (found.length === 0) problem.value = t("links.none");
      },
      () => {
        if (!stop.signal.aborted) problem.value = t("error.chart");
      },
    );
    return () => stop.abort();
  }, [target]);
  return (
    <Dialog title={t("links.of", { value: target.text })} onClose={onClose}>
      <div class="cell-links">
        {problem.value !== "" && <p role="alert">{problem.value}</p>}
        <ul>
          {links.value?.map(({ label, href, isSameTab }) => (
            <li key={label}>
              {isSameTab === undefined ? (
                <a
                  href={href}
                  onClick={(event) => {
                    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                    event.preventDefault();
                    onClose();
                    store.navigate(href);
                  }}
                >
                  {label}
                </a>
              ) : (
                <a href={href} target={isSameTab ? "_top" : "_blank"} rel="noopener noreferrer">
                  {label}
                </a>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

/** Returns the links that the viewer can open: not those of dashboards that the viewer may not see. */
async function readLinks(
  store: Store,
  { result, linked }: LinksTarget,
  signal: AbortSignal,
): Promise<readonly OpenableLink[]> {
  const query = linkQuery(result, linked);
  const answer = await store.queue.load({ query, priority: -1, isFresh: false }, signal);
  const found = linksIn(readResult(answer), linked);
  const opened = await Promise.all(found.map(async (link) => openable(link, store, signal)));
  return opened.filter((link) => link !== undefined);
}

async function openable(
  link: Link,
  { api, content }: Store,
  signal: AbortSignal,
): Promise<OpenableLink | undefined> {
  if ("href" in link) return link;
  const { label, dashboard, parameters } = link;
  const path = `${dashboardPath(content.publicId)}/links/${encodeURIComponent(dashboard)}`;
  try {
    const answer = await api.send(path, { signal });
    const publicId = isObject(answer) ? textOf(answer["publicId"]) : "";
    const search = parameters === "" ? "" : `?${parameters}`;
    return { label, href: `/embed/dashboard/${publicId}${search}` };
  } catch (error) {
    if (error instanceof RequestFailure && ["missing", "forbidden"].includes(error.kind))
      return undefined;
    throw error;
  }
}
