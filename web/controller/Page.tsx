// The frame of the page: the sign-in, or the list of sources beside the one that is shown.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { Session } from "./api.ts";
import { Health } from "./Health.tsx";
import { Order } from "./Order.tsx";
import { Source } from "./Source.tsx";
import { SourceList } from "./SourceList.tsx";
import { login } from "./sign-in.ts";
import {
  enter,
  isLive,
  isOrderShown,
  list,
  orderAddress,
  problem,
  session,
  shown,
  shownName,
  signIn,
  signInWithToken,
  signOut,
} from "./store.ts";

export function Page() {
  const sources = list.value;
  if (session.value === undefined) return <SignIn />;
  if (sources === undefined) return <Loading session={session.value} />;
  const counts = sources.sources.filter(({ health }) => health === "failing").length;
  document.title = counts === 0 ? "svc controller" : `(${counts}) svc controller`;
  return (
    <div class={`page ${shownName.value === undefined && !isOrderShown.value ? "" : "has-source"}`}>
      <header class="top">
        <h1>
          <a href="#">svc controller</a>
        </h1>
        <a href={orderAddress} aria-current={isOrderShown.value ? "page" : undefined}>
          Order
        </a>
        <p class="hint">
          <span class="who">
            {sources.token.name}, {sources.token.role}
          </span>
          <span class="live">{isLive.value ? "live" : "reconnecting"}</span>
        </p>
        <button type="button" class="button" onClick={signOut}>
          Sign out
        </button>
      </header>
      <main class="columns">
        <SourceList />
        <div class="shown">
          <Problem />
          {shown.value !== undefined ? (
            <Source source={shown.value} key={shown.value.name} />
          ) : isOrderShown.value ? (
            <Order />
          ) : shownName.value !== undefined ? (
            <p>There is no source {shownName.value}.</p>
          ) : (
            <Overview />
          )}
        </div>
      </main>
    </div>
  );
}

function Loading({ session: used }: { readonly session: Session }) {
  return (
    <main class="message">
      <h1>svc controller</h1>
      <Problem />
      {problem.value === undefined ? (
        <p>Loading …</p>
      ) : (
        <div class="actions">
          <button type="button" class="button" onClick={() => void enter(used)}>
            Try again
          </button>
          <button type="button" class="button" onClick={signOut}>
            Sign out
          </button>
        </div>
      )}
    </main>
  );
}

/** Shows what needs someone, while no source is chosen. */
function Overview() {
  const sources = list.value?.sources ?? [];
  const needy = (["failing", "waiting"] as const).flatMap((state) =>
    sources.filter(({ health }) => health === state),
  );
  if (needy.length === 0) return <p class="empty">Nothing needs you. Choose a source.</p>;
  return (
    <>
      <h2>Needs someone</h2>
      {needy.slice(0, 20).map(({ name, health, failure, held }) => (
        <article class="card" key={name}>
          <h3>
            <a href={`#/${encodeURIComponent(name)}`}>{name}</a> <Health health={health} />
          </h3>
          <p>{failure?.message ?? (held && `A plan waits: ${held.changes.join(", ")}`)}</p>
        </article>
      ))}
      {needy.length > 20 && <p class="hint">And {needy.length - 20} more in the list.</p>}
    </>
  );
}

function Problem() {
  const failure = problem.value;
  return (
    <div role="alert">
      {failure !== undefined && (
        <p class="problem">
          {failure.message} {failure.remedy}
        </p>
      )}
    </div>
  );
}

function SignIn() {
  return (
    <main class="message">
      <h1>svc controller</h1>
      <div class="form">
        <Problem />
        {login === undefined ? (
          <TokenForm>
            <button type="submit" class="button primary">
              Sign in
            </button>
          </TokenForm>
        ) : (
          <>
            <p class="hint">With your login at {new URL(login.server).host}.</p>
            <button type="button" class="button primary" onClick={() => void signIn()}>
              Sign in
            </button>
            <details>
              <summary>Use a token</summary>
              <TokenForm>
                <button type="submit" class="button">
                  Use token
                </button>
              </TokenForm>
            </details>
          </>
        )}
      </div>
    </main>
  );
}

function TokenForm({ children }: { readonly children: ComponentChildren }) {
  const id = useId();
  const [value, setValue] = useState("");
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void signInWithToken(value.trim());
      }}
    >
      <label for={id}>Token</label>
      <input
        id={id}
        class="field"
        type="password"
        autocomplete="current-password"
        required
        value={value}
        onInput={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <p class="hint">
        A token of listen.tokens in the configuration, or your access token of listen.login.server.
        This tab forgets it when it is closed.
      </p>
      {children}
    </form>
  );
}
