// The page of a viewer: a published dashboard, or the home with all dashboards.
import { render } from "preact";
import "../ui/tokens.css";
import "../ui/components.css";
import "./dashboard.css";
import { isObject } from "../../core/json.ts";
import { languageOf } from "../ui/i18n/languages.ts";
import { showLanguage, t } from "../ui/i18n/text.ts";
import { createBackOff } from "../embed/back-off.ts";
import { createApi, type FailureKind, RequestFailure } from "./state/api.ts";
import { DashboardPage } from "./DashboardPage.tsx";
import { actOnHost, addressProblems, reportHeight } from "./host-actions.ts";
import { connectHost, type Host } from "./state/messages.ts";
import { preloadChart } from "./echarts/load.ts";
import { PageMessage } from "./PageMessage.tsx";
import { dashboardPath, publicIdOf } from "./state/first-requests.ts";
import { idsInFirstView } from "./state/first-view.ts";
import { readPageInfo, readPlacement, withPageParameters } from "./state/page-info.ts";
import type { Opening } from "./state/open.ts";
import { createSession, readOpened, type Session } from "./state/session.ts";
import { createStore, type Store } from "./state/store.ts";
import { applyTheme, settingText } from "./state/theme.ts";
import { readDashboard } from "./state/widgets.ts";

const meta = document.querySelector<HTMLMetaElement>('meta[name="svc-page"]');
const info = readPageInfo(meta?.content ?? "", location.pathname);
const { sessionId, answer: firstAnswer, isOnScreen }: Opening = opening;
const parameters = new URLSearchParams(location.search);
const placement = readPlacement(parameters);
/** A page that opens sooner shows no message that it loads. */
const waitingMs = 150;
/** The parameter of a window that a frame opens for the viewer to sign in. It hands its token to the frame, and closes. */
const signInWindow = "signInWindow";
const opener = window.opener as Window | null;
const isSignInWindow = opener !== null && parameters.get(signInWindow) === "true";
const isFramed = window.parent !== window;
const opened = firstAnswer && readOpened(firstAnswer);
/** The dashboard of the address, asked for before this file was there; undefined once it was taken. */
let firstDashboard = opened?.then(({ dashboard }) => dashboard);
// The start of the session takes its failure.
firstDashboard?.catch(() => undefined);
/** The dashboard that is shown. */
let store: Store | undefined;
/** Whether the host knows the viewer. */
let isReady = false;
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

async function showDashboard(target: HTMLElement): Promise<void> {
  // Nearly every dashboard has charts: what draws them starts while the service answers.
  preloadChart("bar");
  const { allowedOrigins } = info;
  const host = connectHost(allowedOrigins, "dashboard");
  const askHost = host && (() => host.send("session-needed", {}));
  const session = createSession({
    sessionId,
    publicId: info.publicId,
    firstToken: opened?.then(({ token }) => token),
    askHost,
  });
  let turns = 0;
  const attempts = createBackOff(() => void open());
  const open = async (): Promise<void> => {
    const turn = ++turns;
    const isLast = (): boolean => turn === turns;
    render(null, target);
    const waiting = setTimeout(() => {
      if (isLast()) render(<PageMessage text={t("dashboard.loading")} isBusy />, target);
    }, waitingMs);
    try {
      await openDashboard(target, { host, session, navigate, isLast });
      if (isLast()) attempts.reset();
    } catch (error) {
      if (!isLast()) return;
      const kind = error instanceof RequestFailure ? error.kind : "failed";
      showFailure(target, kind, { host, open });
      if (kind === "offline") attempts.plan();
    } finally {
      clearTimeout(waiting);
    }
  };
  const navigate = (path: string): boolean => {
    // Only dashboards of this page.
    if (!/^\/embed\/dashboard\/[\w-]+(?:\?[^#]*)?$/u.test(path)) return false;
    const { pathname: previousPath, search } = location;
    if (path !== `${previousPath}${search}`) {
      history.pushState(null, "", withPageParameters(path, new URLSearchParams(search)));
    }
    host?.send("navigate", { path, previousPath });
    void open();
    return true;
  };
  // A host may hand in a session at any time: at first, and for one that ends.
  host?.listen(({ type, payload }) => {
    const next = payload["sessionId"];
    if (type !== "set-session" || typeof next !== "string") return;
    session.accept(next).then(
      (isSame) => {
        host.send("session-renewed", {});
        return isSame ? store?.recover() : open();
      },
      () => host.report("session", t("error.sessionUsed")),
    );
  });
  // The token of a viewer who signed in in a window that this frame opened.
  window.addEventListener("message", ({ origin, data }: MessageEvent<unknown>) => {
    const token = isObject(data) ? data["token"] : undefined;
    if (!isFramed || origin !== location.origin || typeof token !== "string") return;
    if (session.take(token)) store?.recover();
    else void open();
  });
  if (host) actOnHost(host, { shown: () => store, reopen: () => void open() });
  await open();
}

interface OpenParts {
  readonly host: Host | undefined;
  readonly session: Session;
  readonly navigate: (path: string) => boolean;
  /** Whether no dashboard was opened after this one. */
  readonly isLast: () => boolean;
}

async function openDashboard(
  target: HTMLElement,
  { host, session, navigate, isLast }: OpenParts,
): Promise<void> {
  const publicId = publicIdOf(location.pathname);
  store?.dispose();
  store = undefined;
  const requested = firstDashboard;
  firstDashboard = undefined;
  const viewer = await session.start();
  if (isSignInWindow) {
    opener?.postMessage({ token: await session.current() }, location.origin);
    return window.close();
  }
  const { settings, deploymentId, tenant } = viewer;
  const locale = localesOf(settingText(settings, "locale"));
  await showLanguage(languageOf(locale)).catch(() => undefined);
  if (host && !isReady) {
    isReady = true;
    host.send("ready", {
      ...(tenant !== undefined && { embedTenant: tenant }),
      deploymentId,
      mode: sessionId === undefined ? "private" : "signed",
      surface: "dashboard",
      publicId,
    });
    reportHeight(host);
  }
  const api = createApi(session);
  const answer = (await requested) ?? (await api.send(dashboardPath(publicId)));
  const isSeen = await isOnScreen;
  if (!isLast()) return;
  const content = readDashboard(answer, publicId);
  const { title } = content;
  document.title = [title, info.account].filter(Boolean).join(" · ");
  applyTheme({ name: viewer.embedTheme, dashboard: content.theme });
  const timezone = placement.timezone ?? settingText(settings, "timezone") ?? info.timezone;
  store = createStore({ api, host, viewer, placement, content, timezone, navigate });
  if (isSeen) {
    const { clientWidth: width, clientHeight: height } = document.documentElement;
    for (const id of idsInFirstView(content, { width, height })) store.charts.get(id)?.need();
    // Their requests leave before the page is drawn, which takes longer.
    await new Promise((resolve) => void setTimeout(resolve));
    if (!isLast()) return;
  }
  host?.send("view", { surface: "dashboard", path: location.pathname, publicId, title });
  const asked = new URLSearchParams(location.search);
  for (const problem of addressProblems(asked, store)) host?.report("address", problem);
  render(<DashboardPage store={store} />, target);
}

/** Returns where a viewer signs in: in a frame, a window of its own, because browsers keep the cookies of a sign-in from frames. */
function signInAddress(): string {
  const { pathname, search } = location;
  if (isFramed) return withPageParameters(`${pathname}?${signInWindow}=true`, parameters);
  return `/auth/sign-in?next=${encodeURIComponent(`${pathname}${search}`)}`;
}

/** Returns the preferred languages: those of the address, the session, the account, and the browser, in this order. */
function localesOf(session: string | undefined): readonly string[] {
  return [placement.locale, session, info.locale, ...navigator.languages].filter(
    (one): one is string => one !== undefined,
  );
}

function showFailure(
  target: HTMLElement,
  kind: FailureKind,
  { host, open }: { readonly host: Host | undefined; readonly open: () => Promise<void> },
): void {
  const isSignedOut = kind === "session" && sessionId === undefined;
  if (isSignedOut && isSignInWindow) return location.replace(signInAddress());
  const texts = {
    session: isSignedOut ? t("error.signIn") : t("error.sessionUsed"),
    offline: t("error.offline"),
    forbidden: t("error.forbidden"),
    missing: t("error.dashboardMissing"),
    busy: t("error.slow"),
    refused: t("error.dashboardMissing"),
    failed: t("error.page"),
  };
  const text = texts[kind];
  host?.send("error", { message: text, context: kind, fatal: true });
  if (kind === "session" && sessionId !== undefined) host?.send("session-needed", {});
  render(
    <PageMessage
      text={text}
      {...(isSignedOut && { signIn: { address: signInAddress(), isFramed } })}
      {...(["offline", "busy"].includes(kind) && { onRetry: () => void open() })}
    />,
    target,
  );
}
