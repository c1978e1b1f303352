// The mail of a dashboard: its texts.
import { expect, it } from "vitest";
import { mailContent } from "./mail-content.ts";

it("shows headings of texts as headings, without the marks of Markdown", () => {
  const place = { x: 0, y: 0, w: 12, h: 2 };
  const text = "# Sales & more\nFigures of **your** store.\n#1 of all";
  const { text: plain, html } = mailContent({
    title: "Week",
    description: "",
    controls: [],
    footer: "main",
    widgets: [{ ...place, content: { kind: "text", text } }],
  });
  expect(plain).toBe("Week\n\nSales & more\nFigures of your store.\n#1 of all\n\nmain");
  expect(html).toContain("<h3>Sales &amp; more</h3>Figures of your store.<br>#1 of all<br>");
});

it("links to the page of the dashboard for recipients who can open it", () => {
  const picture = { title: "Week", description: "", controls: [], footer: "main", widgets: [] };
  const link = "https://acme.example.com/embed/dashboard/abc";
  const { text, html } = mailContent(picture, { link });
  expect(text).toBe(`Week\n\n${link}\n\nmain`);
  expect(html).toContain(`<a href="${link}">Open the dashboard</a>`);
  expect(mailContent(picture).html).not.toContain("<a ");
});
