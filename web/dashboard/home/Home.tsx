// The home of a signed-in viewer: the dashboards that the viewer may open, by folder, with a search.
import { useId, useState } from "preact/hooks";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { t } from "../../ui/i18n/text.ts";
import { Menu } from "../../ui/Menu.tsx";
import { initialsOf } from "../state/page-info.ts";
import { listOf, objectOf, textOf } from "../state/widgets.ts";

interface HomeDashboard {
  readonly publicId: string;
  readonly title: string;
  readonly description: string;
  readonly folder: string;
  readonly deployment: string;
  readonly viewedAt: string;
}

interface HomeProps {
  readonly user: string;
  readonly account: string;
  readonly dashboards: readonly HomeDashboard[];
  readonly isCut: boolean;
}

const recentMost = 5;

/** Reads what the signed-in user may open. Throws if the service cannot be reached. */
export async function readHome(): Promise<HomeProps> {
  const response = await fetch("/auth/home", { credentials: "same-origin" });
  if (response.status === 401) location.assign("/auth/sign-in?next=%2F");
  if (!response.ok) throw new Error("the home cannot be read");
  const answer: unknown = await response.json();
  const home: JsonObject = isObject(answer) ? answer : {};
  const folders = new Map(
    listOf(home["folders"])
      .filter(isObject)
      .map((one) => [one["id"], textOf(one["name"])]),
  );
  const user = objectOf(home["user"]);
  return {
    user: textOf(user["displayName"]) || textOf(user["username"]),
    account: textOf(home["account"]),
    isCut: home["isCut"] === true,
    dashboards: listOf(home["dashboards"])
      .filter(isObject)
      .map((one) => ({
        publicId: textOf(one["publicId"]),
        title: textOf(one["title"]) || textOf(one["workbook"]),
        description: textOf(one["description"]),
        folder: folders.get(one["folderId"] ?? null) ?? "",
        deployment: textOf(one["deployment"]),
        viewedAt: textOf(one["viewedAt"]),
      })),
  };
}

/** Shows the home. */
export function Home({ user, account, dashboards, isCut }: HomeProps) {
  const id = useId();
  const [search, setSearch] = useState("");
  const words = search.toLocaleLowerCase().split(/\s+/u).filter(Boolean);
  const matching = dashboards.filter(({ title, description, folder, deployment }) => {
    const text = [title, description, folder, deployment].join(" ").toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
  const recent = dashboards
    .filter(({ viewedAt }) => viewedAt !== "")
    .toSorted((a, b) => b.viewedAt.localeCompare(a.viewedAt))
    .slice(0, recentMost);
  const folders = [...Map.groupBy(matching, groupOf)].toSorted(([a], [b]) => a.localeCompare(b));
  return (
    <main class="home">
      <header class="header">
        <div class="header-text">
          {account !== "" && <p class="header-description">{account}</p>}
          <h1>{t("home.title")}</h1>
        </div>
        <Menu
          label={`${t("account.menu")}: ${user}`}
          text={<span class="avatar">{initialsOf(user)}</span>}
          className="icon-menu"
          actions={[
            { title: t("account.devices"), run: () => location.assign("/auth/device") },
            { title: t("account.signOut"), run: signOut },
          ]}
        />
      </header>
      <label class="visually-hidden" for={id}>
        {t("home.search")}
      </label>
      <input
        id={id}
        class="field home-search"
        type="search"
        placeholder={t("home.search")}
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {dashboards.length === 0 && <p class="hint">{t("home.empty")}</p>}
      {dashboards.length > 0 && matching.length === 0 && (
        <p class="hint">{t("home.noMatch", { text: search })}</p>
      )}
      {search === "" && recent.length > 0 && (
        <Section title={t("home.recent")} dashboards={recent} />
      )}
      {folders.map(([folder, held]) => (
        <Section key={folder} title={folder} dashboards={held} />
      ))}
      {isCut && <p class="hint">{t("chart.moreRows", { shown: dashboards.length })}</p>}
    </main>
  );
}

function groupOf({ deployment, folder }: HomeDashboard): string {
  return folder === "" ? deployment : `${deployment} / ${folder}`;
}

function Section({
  title,
  dashboards,
}: {
  readonly title: string;
  readonly dashboards: readonly HomeDashboard[];
}) {
  return (
    <section class="home-section">
      <h2>{title}</h2>
      <ul class="home-list">
        {dashboards.map(({ publicId, title: name, description }) => (
          <li key={publicId}>
            <a class="home-card" href={`/embed/dashboard/${encodeURIComponent(publicId)}`}>
              <strong>{name}</strong>
              {description !== "" && <span class="hint">{description}</span>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Ends the sign-in. The service takes it only as a form of its own pages. */
function signOut(): void {
  const form = Object.assign(document.createElement("form"), {
    method: "post",
    action: "/auth/sign-out",
  });
  document.body.append(form);
  form.submit();
}
