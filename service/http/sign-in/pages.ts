// The sign-in pages: HTML without scripts, one function each.
import { limits } from "../../../core/limits/limits.ts";
import { externalSignInPath, type IdentityProvider } from "../../identity/external-sign-in.ts";
import { Html, html } from "./html.ts";

/** The style sheet of all pages, with the colors and sizes of the pages of dashboards. */
export const styleSheet = `
:root {
  color-scheme: light dark; font: 14px/1.45 "Inter Variable", Inter, system-ui, sans-serif;
  --border: light-dark(#8a94a3, #5b6573); --accent: light-dark(#1d4ed8, #82aaff); --card: light-dark(#ffffff, #1a2028);
}
body { margin: 0; display: grid; place-items: center; min-height: 100vh; background: light-dark(#f4f5f7, #12161c); color: light-dark(#1b2330, #e8ecf1); }
main { width: min(24rem, 100vw - 3rem); padding: 2rem 0; }
h1 { font-size: 20px; line-height: 1.3; margin: 0 0 16px; }
.workspace { margin: 0 0 8px; font-weight: 600; }
label { display: block; margin: 16px 0 4px; font-weight: 600; }
input { box-sizing: border-box; width: 100%; padding: 8px 12px; font: inherit; background: var(--card); color: inherit; border: 1px solid var(--border); border-radius: 8px; }
input.code { font-family: ui-monospace, monospace; letter-spacing: .15em; text-transform: uppercase; }
button { padding: 8px 16px; margin: 24px 8px 0 0; font: inherit; font-weight: 600; background: var(--card); color: inherit; border: 1px solid var(--border); border-radius: 8px; cursor: pointer; }
a.button { display: inline-block; padding: 8px 16px; font-weight: 600; color: inherit; text-decoration: none; border: 1px solid var(--border); border-radius: 8px; }
button.main { background: var(--accent); border-color: var(--accent); color: light-dark(#ffffff, #0b1220); }
:focus-visible { outline: 2px solid light-dark(#b45309, #f5b04c); outline-offset: 2px; }
.problem { border-left: 4px solid light-dark(#a61b12, #ff9a90); padding: 8px 12px; }
.code { font-size: 20px; }
dt { font-weight: 600; margin-top: 8px; }
dd { margin: 0; overflow-wrap: anywhere; }
`;

/** A page, with the origin to which its form may finally redirect. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly redirectOrigin?: string;
  readonly status?: number;
}

/** Returns the document of a page, with the title of the account's workspace above the page's title. */
export function document({ title, body }: Page, workspace?: string): string {
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>${workspace === undefined ? title : `${title} · ${workspace}`}</title>
        <link rel="stylesheet" href="/auth/style.css" />
      </head>
      <body>
        <main>
          ${workspace === undefined ? undefined : html`<p class="workspace">${workspace}</p>`}
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;
  return text;
}

/** The page that asks for a name and a password, or for an identity provider. `next` is the path to continue at. */
export function signInPage(of: {
  next: string;
  providers: readonly Pick<IdentityProvider, "name" | "display_name">[];
  name?: string;
  problem?: string;
}): Page {
  return {
    title: "Sign in",
    ...(of.problem === undefined ? {} : { status: 400 }),
    body: html`${problemText(of.problem)}
      <form method="post" action="/auth/sign-in">
        <input type="hidden" name="next" value="${of.next}" />
        <label for="name">Username or email</label>
        <input
          id="name"
          name="name"
          value="${of.name ?? ""}"
          autocomplete="username"
          maxlength="320"
          required
          autofocus${describedBy(of.problem)}
        />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxlength="${String(limits.passwordMax)}"
          required
        />
        <button class="main" type="submit">Sign in</button>
      </form>
      ${of.providers.map(({ name, display_name: label }) => {
        const path = `${externalSignInPath(name)}?next=${encodeURIComponent(of.next)}`;
        return html`<p><a class="button" href="${path}">Sign in with ${label ?? name}</a></p>`;
      })}`,
  };
}

/** The page on which a signed-in user enters the code of a device. */
export function codePage(of: { code?: string; problem?: string }): Page {
  return {
    title: "Connect a device",
    ...(of.problem === undefined ? {} : { status: 400 }),
    body: html`${problemText(of.problem)}
      <p>Enter the code that the device or the command line shows.</p>
      <form method="get" action="/auth/device">
        <label for="user_code">Code</label>
        <input
          class="code"
          id="user_code"
          name="user_code"
          value="${of.code ?? ""}"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          maxlength="12"
          required
          autofocus${describedBy(of.problem)}
        />
        <button class="main" type="submit">Continue</button>
      </form>`,
  };
}

/** The request that a user approves or denies. */
export interface ApprovalRequest {
  /** Its name, which is not verified. */
  readonly client: string;
  /** Unique in the account. */
  readonly clientId: string;
  readonly username: string;
  /** The host of the account, if the server has several accounts. */
  readonly account: string | undefined;
  readonly scopes: readonly string[];
}

/** The page on which a user approves or denies a device. */
export function deviceApprovalPage(
  of: ApprovalRequest & { code: string; address: string; agent: string },
): Page {
  return {
    title: "Connect this device?",
    body: html`<p>Approve only if you started this yourself, and the device shows this code:</p>
      <p class="code"><strong>${of.code}</strong></p>
      ${details(of, [
        ["Address of the device", of.address],
        ["Program", of.agent],
      ])}
      <form method="post" action="/auth/device">
        <input type="hidden" name="user_code" value="${of.code}" />
        ${decisionButtons}
      </form>`,
  };
}

/** The page on which a user approves or denies a client. */
export function clientApprovalPage(
  of: ApprovalRequest & { uid: string; redirectOrigin: string },
): Page {
  return {
    title: "Allow access?",
    redirectOrigin: of.redirectOrigin,
    body: html`${details(of, [["Continues at", of.redirectOrigin]])}
      <form method="post" action="/auth/authorize/${of.uid}">${decisionButtons}</form>`,
  };
}

/** The page on which the user of a link chooses a password. */
export function passwordPage(of: { token: string; username: string; problem?: string }): Page {
  const { passwordMin, passwordMax } = limits;
  return {
    title: "Choose a password",
    ...(of.problem === undefined ? {} : { status: 400 }),
    body: html`${problemText(of.problem)}
      <form method="post" action="/auth/password">
        <input type="hidden" name="token" value="${of.token}" />
        <label for="name">Username</label>
        <input id="name" value="${of.username}" autocomplete="username" readonly />
        <label for="password">New password, ${String(passwordMin)} characters or more</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="new-password"
          minlength="${String(passwordMin)}"
          maxlength="${String(passwordMax)}"
          required
          autofocus${describedBy(of.problem)}
        />
        <button class="main" type="submit">Set the password</button>
      </form>`,
  };
}

/** A page with one message. */
export function messagePage(title: string, message: string, status = 200): Page {
  return { title, status, body: html`<p role="status">${message}</p>` };
}

/** The page of a signed-in user. */
export function homePage(username: string): Page {
  return {
    title: "Signed in",
    body: html`<p>You are signed in as <strong>${username}</strong>.</p>
      <p><a href="/auth/device">Connect a device</a></p>
      <form method="post" action="/auth/sign-out"><button type="submit">Sign out</button></form>`,
  };
}

const decisionButtons = html`<button class="main" type="submit" name="decision" value="approve">
    Approve
  </button>
  <button type="submit" name="decision" value="deny">Deny</button>`;

function details(of: ApprovalRequest, more: readonly (readonly [string, string])[]): Html {
  const rights = of.scopes.includes("api") ? "everything that you may do" : of.scopes.join(", ");
  const rows = [
    ["Client", of.client],
    ["Client ID", of.clientId],
    ...(of.account === undefined ? [] : [["Account", of.account] as const]),
    ["You are", of.username],
    ["It may do", rights],
    ...more,
  ] as const;
  return html`<dl>
    ${rows.map(
      ([term, value]) =>
        html`<dt>${term}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

function problemText(problem: string | undefined): Html | undefined {
  return problem === undefined
    ? undefined
    : html`<p class="problem" id="problem" role="alert">${problem}</p> `;
}

function describedBy(problem: string | undefined): Html | undefined {
  return problem === undefined ? undefined : new Html(' aria-describedby="problem"');
}
