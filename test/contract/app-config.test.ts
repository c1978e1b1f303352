// The configuration of the application: the theme, and the defaults of embedded pages.
import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { startService } from "../support/test-service.ts";

it("keeps what is omitted, and embedded pages show it unless their session says otherwise", async () => {
  const service = await startService();
  try {
    const put = async (body: object) => service.send("PUT", "/api/v1/app-config", { body });
    await put({ appTheme: { light: { accentColor: "#123456" } }, applyThemeGlobally: true });
    const embedding = { showDashboardChat: false, locale: "de-DE" };
    expect((await put({ embedding })).body).toEqual({
      applyThemeGlobally: true,
      restrictDataDownload: false,
      sheetsAgentChatEnabled: false,
      appTheme: { light: { accentColor: "#123456" } },
      embedding,
    });
    const style = async () => (await fetch(`${service.url}/auth/style.css`)).text();
    expect(await style()).toContain("button.main { background: #123456;");
    await put({ applyThemeGlobally: false });
    expect(await style()).not.toContain("#123456");
    await put({ applyThemeGlobally: true });
    const key = await service.key({ admin: false });
    expect((await service.send("GET", "/api/v1/app-theme", { key })).body).toEqual({
      applyThemeGlobally: true,
      light: { accentColor: "#123456" },
      dark: {},
    });
    const refused = await service.send("PUT", "/api/v1/app-config", { key, body: {} });
    expect(refused.status).toBe(403);
    expect((await put({ embedding: { timezone: "Mars/Olympus" } })).status).toBe(400);
    const settingsOf = async (settings: object) => {
      const body = { deploymentId: 1, externalId: "visitor", settings };
      const created = await service.send("POST", "/api/v1/embed/generate-session", { body });
      const exchanged = await service.send("POST", "/api/v1/embed/session/token", {
        body: created.body,
      });
      return decodeJwt((exchanged.body as { token: string }).token)["settings"];
    };
    expect(await settingsOf({ showDashboardChat: true })).toEqual({
      showDashboardChat: true,
      locale: "de-DE",
    });
    expect(await settingsOf({})).toEqual(embedding);
    const forPages = {
      allowAi: false,
      showAiWidgets: false,
      showDashboardChat: true,
      showWorkbookChat: false,
    };
    expect((await put({ embedding: forPages, sheetsAgentChatEnabled: true })).body).toMatchObject({
      embedding: forPages,
      sheetsAgentChatEnabled: true,
    });
    const own = { allowAi: true, allowChatWorkspaceAuthoring: false };
    expect(await settingsOf(own)).toEqual({ ...forPages, ...own });
    await put({ appTheme: null });
    const { body } = await service.send("GET", "/api/v1/app-config");
    expect(Object.keys(body as object)).toEqual([
      "applyThemeGlobally",
      "restrictDataDownload",
      "sheetsAgentChatEnabled",
      "embedding",
    ]);
  } finally {
    await service.close();
  }
});

it("names the workspace on sign-in pages and in the tokens of creators, in their language", async () => {
  const service = await startService({ account: { useCreatorMode: true } });
  try {
    const put = async (body: object) => service.send("PUT", "/api/v1/app-config", { body });
    const page = async (language: string) => {
      const answer = await fetch(`${service.url}/auth/sign-in`, {
        headers: { "accept-language": language },
      });
      return answer.text();
    };
    const creatorOf = async (body: object) => {
      const created = await service.send("POST", "/api/v1/embed/generate-session", {
        body: { deploymentId: 1, externalId: "visitor", embedTenantName: "globex", ...body },
      });
      const exchanged = await service.send("POST", "/api/v1/embed/session/token", {
        body: created.body,
      });
      return decodeJwt((exchanged.body as { token: string }).token)["creator"];
    };
    expect(await page("de")).toContain("<title>Sign in</title>");
    const localizedTitles = [{ locale: "de", title: "Auswertungen" }];
    const creatorMode = { workspaceTitle: "Sales & more", localizedTitles, showSemanticSql: false };
    await put({ creatorMode, embedding: { locale: "de-DE" } });
    expect(await page("fr, en;q=0.5")).toContain("<title>Sign in · Sales &amp; more</title>");
    expect(await page("fr;q=0.5, de-AT")).toContain('<p class="workspace">Auswertungen</p>');
    expect(await creatorOf({ creatorMode: true })).toEqual({
      workspaceTitle: "Auswertungen",
      showSemanticSql: false,
    });
    expect(await creatorOf({ creatorMode: true, settings: { locale: "en" } })).toMatchObject({
      workspaceTitle: "Sales & more",
    });
    expect(await creatorOf({})).toBeUndefined();
    await put({ creatorMode: { ...creatorMode, showWorkspaceTitle: false } });
    expect(await page("de")).toContain("<title>Sign in</title>");
    expect(await creatorOf({ creatorMode: true })).toEqual({ showSemanticSql: false });
  } finally {
    await service.close();
  }
});
