// The page of a viewer: a published dashboard, or the home with all dashboards.
import { render } from "preact";
import "../ui/tokens.css";
import "../ui/components.css";
import "./dashboard.css";
import { languageOf } from "../ui/i18n/languages.ts";
import { showLanguage, t } from "../ui/i18n/text.ts";
import { createApi, RequestFailure } from "./state/api.ts";
import { DashboardPage } from "./DashboardPage.tsx";
import { actOnHost, reportHeight } from "./host-actions.ts";
import { connectHost, type Host } from "./state/messages.ts";
import { PageMessage } from "./PageMessage.tsx";
import { readPageInfo, readPlacement } from "./state/page-info.ts";
import { createSession, type Session, usedSession } from "./state/session.ts";
import { createStore, type Store } from "./state/store.ts";
import { applyTheme, settingText } from "./state/theme.ts";
import { readDashboard } from "./state/widgets.ts";

const meta = document.querySelector<HTMLMetaElement>('meta[name="svc-page"]');
const info = readPageInfo(meta?.content ?? "", location.pathname);
const parameters = new URLSearchParams(location.search);
const placement = readPlacement(parameters);
const sessionId = parameters.get("session") ?? undefined;
// The session leaves the address before anything else is loaded. That it had one stays, so that a reload asks its host
// for another.
if (sessionId !== undefined) {
  parameters.set("session", usedSession);
  history.replaceState(null, "", `${location.pathname}?${parameters.toString()}`);
}
const root = document.getElementById("app");
if (root !== null) void (info.surface === "home" ? showHome(root) : showDashboard(root));

async function showHome(target: HTMLElement): Promise<void> {
  await showLanguage(languageOf([...localesOf(undefined)])).catch(() => undefined);
  const { Home, readHome } = await import("./home/Home.tsx");
  try {
    render(<Home {...await readHome()} />, target);
  } catch {
    render(<PageMessage text={t("error.page")} />, target);
  }
}

/** The dashboard that is shown. */
let store: Store | undefined;

async function showDashboard(target: HTMLElement): Promise<void> {
  const { allowedOrigins } = info;
  const host = connectHost(allowedOrigins, "dashboard");
  const askHost = host && (() => host.send("session-needed", {}));
  const session = createSession({ sessionId, publicId: info.publicId, askHost });
  const open = async (): Promise<void> => {
    render(<PageMessage text={t("dashboard.loading")} isBusy />, target);
    try {
      await openDashboard(target, { host, session, navigate });
    } catch (error) {
      showFailure(target, error, { host, open });
    }
  };
  const navigate = (path: string): void => {
    // Only dashboards of this page; any other path is ignored.
    if (!/^\/embed\/dashboard\/[\w-]+(?:\?[^#]*)?$/u.test(path)) return;
    const { pathname: previousPath, search } = location;
    if (path !== `${previousPath}${search}`) history.pushState(null, "", path);
    host?.send("navigate", { path, previousPath });
    void open();
  };
  // A host may hand in a session at any time: at first, and for one that ends.
  host?.listen(({ type, payload }) => {
    const next = payload["sessionId"];
    if (type !== "set-session" || typeof next !== "string") return;
    const isOpen = session.isStarted();
    session.accept(next).then(
      () => (isOpen ? undefined : open()),
      () => undefined,
    );
  });
  if (host) actOnHost(host, () => store);
  await open();
}

interface OpenParts {
  readonly host: Host | undefined;
  readonly session: Session;
  readonly navigate: (path: string) => void;
}

async function openDashboard(
  target: HTMLElement,
  { host, session, navigate }: OpenParts,
): Promise<void> {
  const { publicId } = readPageInfo(meta?.content ?? "", location.pathname);
  store?.dispose();
  store = undefined;
  const isFirst = !session.isStarted();
  const viewer = await session.start();
  const { settings, deploymentId, tenant } = viewer;
  const locale = localesOf(settingText(settings, "locale"));
  await showLanguage(languageOf(locale)).catch(() => undefined);
  if (isFirst) {
    host?.send("ready", {
      ...(tenant !== undefined && { embedTenant: tenant }),
      deploymentId,
      mode: sessionId === undefined ? "private" : "signed",
      surface: "dashboard",
      publicId,
    });
    if (host) reportHeight(host);
  }
  const api = createApi(session);
  const answer = await api.send(`/api/v1/embed/dashboard/${encodeURIComponent(publicId)}`);
  const content = readDashboard(answer, publicId);
  const { title } = content;
  document.title = [title, info.account].filter(Boolean).join(" · ");
  applyTheme({ name: viewer.embedTheme, dashboard: content.theme });
  const timezone = placement.timezone ?? settingText(settings, "timezone") ?? info.timezone;
  store = createStore({ api, host, viewer, placement, content, timezone, navigate });
  host?.send("view", { surface: "dashboard", path: location.pathname, publicId, title });
  render(<DashboardPage store={store} />, target);
}

/** Returns the preferred languages: those of the address, the session, the account, and the browser, in this order. */
function localesOf(session: string | undefined): readonly string[] {
  return [placement.locale, session, info.locale, ...navigator.languages].filter(
    (one): one is string => one !== undefined,
  );
}

function showFailure(
  target: HTMLElement,
  error: unknown,
  { host, open }: { readonly host: Host | undefined; readonly open: () => Promise<void> },
): void {
  const kind = error instanceof RequestFailure ? error.kind : "failed";
  const isSignedOut = kind === "session" && sessionId === undefined;
  const texts = {
    session: isSignedOut ? t("error.signIn") : t("error.sessionUsed"),
    offline: t("error.offline"),
    forbidden: t("error.forbidden"),
    missing: t("error.dashboardMissing"),
    busy: t("error.slow"),
    failed: t("error.page"),
  };
  const text = texts[kind];
  host?.send("error", { message: text, context: kind, fatal: true });
  if (kind === "session" && sessionId !== undefined) host?.send("session-needed", {});
  render(
    <PageMessage
      text={text}
      {...(isSignedOut && { signIn: info.signIn })}
      {...(["offline", "busy"].includes(kind) && { onRetry: () => void open() })}
    />,
    target,
  );
}
