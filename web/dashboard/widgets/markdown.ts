// Turns Markdown and HTML of dashboards into HTML that cannot run anything.
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });

const formTags =
  "form fieldset legend label input textarea button output select datalist optgroup option".split(
    " ",
  );

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (element) => {
  if (element.tagName === "IMG" && !element.hasAttribute("alt")) element.setAttribute("alt", "");
  if (element.tagName !== "A") return;
  element.setAttribute("target", "_blank");
  element.setAttribute("rel", "noopener noreferrer");
});

/** Returns Markdown as HTML. */
export function markdownHtml(text: string): string {
  return cleanHtml(markdown.render(text));
}

/** Returns HTML without scripts, styles, forms and their fields, frames, and addresses other than http, https and mailto. */
export function cleanHtml(html: string): string {
  return purifier.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ["style", "iframe", "audio", "video", ...formTags],
    FORBID_ATTR: ["style", "class", "id", "name"],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#)/iu,
  });
}
