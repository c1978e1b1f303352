// The mail of a dashboard: what it contains, in which order.
import { expect, it } from "vitest";
import { lookOf } from "../../charts/index.ts";
import type { Picture } from "./draw/picture-input.ts";
import { mailContent, withUnsubscribeLink } from "./mail-content.ts";

const picture: Picture = {
  title: "Week",
  look: lookOf({}),
  description: "",
  controls: [],
  footer: "As of 9",
  widgets: [],
};

it("shows headings of texts as headings, without the marks of Markdown", () => {
  const text = "# Sales & more\nFigures of **your** store.\n#1 of all";
  const widgets = [{ x: 0, y: 0, w: 12, h: 2, content: { kind: "text", text } as const }];
  const { text: plain, html } = mailContent({ ...picture, widgets }, { hasPicture: false });
  expect(plain).toBe("Week\n\nAs of 9\n\nSales & more\nFigures of your store.\n#1 of all");
  expect(html).toContain("<h3>Sales &amp; more</h3>Figures of your store.<br>#1 of all<br>");
  expect(html).not.toContain("<img");
});

it("has the picture first, then title, freshness and link, then results, and last how to unsubscribe", () => {
  const link = "https://acme.example.com/embed/dashboard/abc";
  const result = {
    columns: [{ name: "c", title: "City", kind: "dimension", type: "string" } as const],
    rows: [["Oslo"]],
    isCut: false,
  };
  const content = { kind: "chart", title: "Cities", config: {}, result, now: "" } as const;
  const { text, html } = withUnsubscribeLink(
    mailContent(
      {
        ...picture,
        link,
        controls: ["Status is paid"],
        widgets: [{ x: 0, y: 0, w: 1, h: 1, content }],
      },
      { hasPicture: true, summary: ["All is well."] },
    ),
    "https://acme.example.com/stop",
  );
  const order = [
    "cid:dashboard",
    "<h2>Week",
    "As of 9",
    `href="${link}"`,
    "Status is paid",
    "All is well.",
    "<table",
    "stop",
  ];
  const places = order.map((part) => html.indexOf(part));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(text).toBe(
    `Week\n\nAs of 9\n\n${link}\n\nStatus is paid\n\nAll is well.\n\nCities\nCity\nOslo\n\nUnsubscribe: https://acme.example.com/stop`,
  );
});

it("has no link for recipients who cannot open the dashboard", () => {
  expect(mailContent(picture, { hasPicture: true }).html).not.toContain("<a ");
});

it("has the name, the colors and the fonts of the account's theme", () => {
  const account = {
    light: { accentColor: "#aa0000", backgroundColor: "#fffff0" },
    typography: { body: "Noto Sans, Arial" },
  };
  const link = "https://acme.example.com/embed/dashboard/abc";
  const themed = { ...picture, account: "Acme & Co", look: lookOf({ account }), link };
  const { text, html } = mailContent(themed, { hasPicture: false });
  expect(html).toContain("font-family: 'Noto Sans', 'Arial', sans-serif; background: #fffff0");
  expect(html).toContain('style="color: #aa0000">Open the dashboard');
  expect(html).toContain("Acme &amp; Co · As of 9");
  expect(text).toBe(`Week\n\nAcme & Co · As of 9\n\n${link}`);
});

it("has links of values to pages of the web, and to nothing else", () => {
  const result = {
    columns: [{ name: "c", title: "City", kind: "dimension", type: "string" } as const],
    rows: [["Oslo"], ["Rome"], ["Faro"]],
    isCut: false,
    addresses: { c: ['https://x.example/?a="1"&b=<2>', "javascript:alert(1)", null] },
  };
  const content = { kind: "chart", title: "Cities", config: {}, result, now: "" } as const;
  const widgets = [{ x: 0, y: 0, w: 1, h: 1, content }];
  const { html, text } = mailContent({ ...picture, widgets }, { hasPicture: false });
  expect(html.match(/<a [^>]*>/gu)).toEqual([
    `<a href="https://x.example/?a=&quot;1&quot;&amp;b=&lt;2&gt;" style="color: ${picture.look.accent}">`,
  ]);
  expect(html).not.toContain("javascript:");
  // Without it, programs that draw mails as old pages do would show black texts on any background.
  expect(html).toContain(`<table style="border-collapse: collapse; color: ${picture.look.text}">`);
  expect(text).toContain("City\nOslo\nRome\nFaro");
});
