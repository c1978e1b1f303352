// The style and the script of reports in HTML.

/** The style sheet. Its colors are those of the pages in `web/ui/tokens.css`. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f4f5f7, #12161c);
  --card: light-dark(#ffffff, #1a2028);
  --border: light-dark(#dfe3e8, #303945);
  --text: light-dark(#1b2330, #e8ecf1);
  --muted: light-dark(#5b6573, #a3adba);
  --accent: light-dark(#1d4ed8, #82aaff);
  --red: light-dark(#a61b12, #ff9a90);
  --green: light-dark(#126b37, #7ddba3);
  --yellow: light-dark(#7a5300, #f5c66b);
  --magenta: light-dark(#86198f, #f0abfc);
  --cyan: light-dark(#0e6172, #7dd3e8);
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 16px; max-width: 1200px; background: var(--page); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
h1 { margin: 0; font-size: 22px; overflow-wrap: anywhere; }
p { margin: 6px 0; color: var(--muted); overflow-wrap: anywhere; }
.headline { color: var(--text); font-weight: 600; }
input { width: 100%; max-width: 400px; padding: 6px 10px; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--border); border-radius: 8px; }
.section { margin-top: 12px; background: var(--card); border: 1px solid var(--border); border-radius: 8px; }
summary { padding: 10px 14px; font-weight: 600; cursor: pointer; }
.block { padding: 2px 14px 8px; border-top: 1px solid var(--border); }
.block:target { outline: 2px solid var(--accent); }
pre { margin: 6px 0; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: var(--accent); }
.links { margin: 0 0 4px; font-size: 13px; }
.graph { overflow-x: auto; padding: 8px 14px 14px; }
svg path { fill: none; stroke: var(--muted); }
svg rect { fill: var(--page); stroke: var(--border); }
svg text { fill: var(--text); font: 12px ui-monospace, monospace; }
.red { color: var(--red); } svg .red { fill: var(--red); }
.green { color: var(--green); } svg .green { fill: var(--green); }
.yellow { color: var(--yellow); } svg .yellow { fill: var(--yellow); }
.magenta { color: var(--magenta); } svg .magenta { fill: var(--magenta); }
.cyan { color: var(--cyan); } svg .cyan { fill: var(--cyan); }
.dim { color: var(--muted); }
.bold { font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media print { input { display: none; } .section { break-inside: avoid-page; } }
`;

/** The script: searches the changes and messages, and opens the section of a change that a link leads to. */
export const pageScript = `
const search = document.getElementById("search");
const matches = document.getElementById("matches");
const blocks = [...document.querySelectorAll(".block")].map((element) => ({
  element,
  text: element.querySelector("pre").textContent.toLowerCase(),
}));
const wasOpen = new Map([...document.querySelectorAll("details")].map((one) => [one, one.open]));
search.hidden = blocks.length < 2;
search.addEventListener("input", () => {
  const wanted = search.value.trim().toLowerCase();
  let count = 0;
  for (const [section, isOpen] of wasOpen) section.open = isOpen;
  for (const { element, text } of blocks) {
    const isMatch = text.includes(wanted);
    element.hidden = !isMatch;
    if (!isMatch) continue;
    count++;
    if (wanted !== "") element.closest("details").open = true;
  }
  matches.textContent = wanted === "" ? "" : count + " of " + blocks.length;
});
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  const section = target && target.closest("details");
  if (section) section.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", openTarget);
openTarget();
`;
