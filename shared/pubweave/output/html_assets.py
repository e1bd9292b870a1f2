"""The looks and the behaviour of our pages: one style sheet and one script, with no request to anywhere."""

from typing import Final

STYLE: Final = """
:root {
  color-scheme: light;
  --paper: #fdfcfa; --raised: #f4f1ec; --ink: #1f1d1a; --quiet: #6a645c; --line: #ddd7cd;
  --link: #0b5394; --accent: #8a3b12; --warn: #9b1c1c; --warn-paper: #fdeceb; --good: #1c6b3c;
  --mark: #ffe58a; --bar: #b7663a;
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", "Palatino Linotype", Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) {
  color-scheme: dark;
  --paper: #16171a; --raised: #202226; --ink: #e4e1db; --quiet: #a09a90; --line: #35373c;
  --link: #8ab8f0; --accent: #e5a57a; --warn: #ff9d96; --warn-paper: #3a1f1f; --good: #7fd09c;
  --mark: #6b5713; --bar: #c98a5f;
} }
:root[data-theme="dark"] {
  color-scheme: dark;
  --paper: #16171a; --raised: #202226; --ink: #e4e1db; --quiet: #a09a90; --line: #35373c;
  --link: #8ab8f0; --accent: #e5a57a; --warn: #ff9d96; --warn-paper: #3a1f1f; --good: #7fd09c;
  --mark: #6b5713; --bar: #c98a5f;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 var(--serif); }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; overflow-wrap: anywhere; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
h1, h2, h3, .label, .bar, .facts, .ids, .flags, table, summary, .missing, figure, .note { font-family: var(--sans); }
.bar { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center;
  padding: .6rem max(1rem, calc((100vw - 62rem) / 2)); background: var(--paper); border-bottom: 1px solid var(--line); }
.bar h1 { margin: 0 auto 0 0; font-size: 1rem; font-weight: 600; }
.bar input { flex: 1 1 14rem; max-width: 26rem; padding: .4rem .7rem; font: .95rem var(--sans); color: inherit;
  background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; }
.bar output { min-width: 5.5rem; font-size: .85rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
.bar button { padding: .4rem .7rem; font: .85rem var(--sans); color: inherit; background: none;
  border: 1px solid var(--line); border-radius: .4rem; cursor: pointer; }
.bar button:hover { background: var(--raised); }
main { max-width: 64rem; margin: 0 auto; padding: 0 1rem 4rem; }
article.entry { padding: 2.2rem 0 2rem; border-bottom: 1px solid var(--line);
  content-visibility: auto; contain-intrinsic-size: auto 40rem; }
.entry:target { background: linear-gradient(90deg, var(--raised), transparent); }
.entry h2 { margin: 0 0 .5rem; max-width: 46rem; font: 600 1.5rem/1.28 var(--serif); text-wrap: balance; overflow-wrap: anywhere; }
.entry h2.untitled { color: var(--quiet); font-style: italic; font-weight: 400; }
.ids, .facts { margin: .15rem 0; font-size: .9rem; color: var(--quiet); }
.ids > *, .facts > * { display: inline-block; margin-right: 1.1rem; }
time { white-space: nowrap; }
.flags { margin: .6rem 0 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .4rem; font-size: .8rem; }
.flags li { padding: .1rem .6rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--quiet); }
.flags .good { color: var(--good); border-color: currentColor; }
.flags .bad { color: var(--warn); border-color: currentColor; background: var(--warn-paper); font-weight: 600; }
.part { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 0 2rem; margin-top: 1.5rem; }
.plain .part { display: block; }
.label h3 { margin: .15rem 0 .2rem; font-size: .8rem; font-weight: 700; letter-spacing: .06em; text-transform: uppercase; color: var(--accent); }
.source { margin: 0; font-size: .78rem; line-height: 1.5; color: var(--quiet); }
.content { max-width: 44rem; overflow-wrap: anywhere; hyphens: auto; }
.content p { margin: 0 0 .8em; }
.content p.head { margin: 1.4em 0 .4em; font: 600 1rem/1.4 var(--sans); break-after: avoid; }
.content h4, .content h5, .content h6 { margin: 1.6em 0 .4em; font: 600 1.12rem/1.35 var(--sans); break-after: avoid; }
.content h5 { font-size: 1rem; } .content h6 { font-size: .92rem; color: var(--quiet); }
.content ul, .content ol { padding-left: 1.3rem; } .content ul.words { padding-left: 0; }
.content blockquote { margin: 0 0 .8em; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--quiet); }
.content figure { margin: 1.2rem 0; padding: .8rem 1rem; background: var(--raised); border-radius: .4rem; }
.content figcaption { font-weight: 400; margin: 0; } .content figure .scroll { margin-top: .6rem; }
.content .note { margin: .5rem 0 .8em; } .content sup { line-height: 0; }
.formula { font-style: italic; } .formula.display { display: block; margin: .5em 1.5rem; }
.tree { margin: 0 0 1.4rem; font: .88rem/1.5 var(--sans); }
.tree ol { margin: 0; padding: 0; list-style: none; } .tree ol ol { padding-left: 1.1rem; } .tree a { text-decoration: none; }
.content > :last-child { margin-bottom: 0; }
.words { margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .35rem; font: .9rem/1.5 var(--sans); }
.words li { padding: .05rem .6rem; background: var(--raised); border-radius: 1rem; }
.words .major { font-weight: 600; }
.words small { color: var(--quiet); font-variant-numeric: tabular-nums; }
summary { cursor: pointer; font-size: .9rem; color: var(--quiet); padding: .15rem 0; }
summary:hover { color: var(--ink); }
details[open] > summary { margin-bottom: .6rem; }
details.found > summary::after { content: " \\2022  found inside"; color: var(--accent); }
.brief article.entry > :not(header) { display: none; }
.brief article.entry { padding: .9rem 0 .8rem; contain-intrinsic-size: auto 6rem; } .brief article.entry h2 { font-size: 1.15rem; }
.missing, .note { font-size: .85rem; color: var(--quiet); margin: 1.2rem 0 0; }
.more { margin-top: 1.3rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; line-height: 1.45; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem 1rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--quiet); }
td.number, th.number { text-align: right; } td.none { color: var(--quiet); opacity: .6; }
caption { text-align: left; font-weight: 600; padding: 1rem 0 .3rem; }
table.wide { width: 100%; margin-top: 1.5rem; }
dl { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: .2rem 1rem; margin: 0 0 1rem; font: .85rem/1.5 var(--sans); }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1.5rem 0; } figcaption { font-size: .9rem; font-weight: 600; margin-bottom: .5rem; }
svg text { font: 12px var(--sans); fill: var(--ink); } svg .quiet { fill: var(--quiet); } figure svg { max-width: 60rem; }
.fill-found { fill: #3b8f5e; } .fill-short { fill: #a9b84a; } .fill-pending { fill: #4f86c6; } .fill-blocked { fill: #c4513d; }
.fill-failed { fill: #dc9a3e; } .fill-absent { fill: #8d8a84; } .fill-not-asked { fill: #c9c4ba; }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) .fill-not-asked { fill: #55534e; } }
:root[data-theme="dark"] .fill-not-asked { fill: #55534e; }
::highlight(found) { background: var(--mark); color: inherit; }
.nothing { padding: 3rem 0; font-family: var(--sans); color: var(--quiet); }
@media (max-width: 46rem) {
  .part, dl { grid-template-columns: minmax(0, 1fr); }
  .label h3 { margin-top: 0; } .source { margin-bottom: .4rem; } dd { margin-bottom: .4rem; }
  .entry h2 { font-size: 1.3rem; }
}
@media print {
  :root, :root[data-theme] { color-scheme: light; --paper: #fff; --raised: #fff; --ink: #000; --quiet: #444; --line: #bbb;
    --link: #000; --accent: #000; --warn: #000; --warn-paper: #fff; --good: #000; --bar: #777; }
  body { font-size: 10.5pt; line-height: 1.45; }
  .bar input, .bar output, .bar button { display: none; }
  .bar { position: static; padding: 0 0 .5rem; }
  main { max-width: none; padding: 0; }
  article.entry { content-visibility: visible; padding: 1rem 0; }
  .entry header, .label, figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .content { max-width: none; } .content p { orphans: 3; widows: 3; }
  .part { grid-template-columns: 9rem minmax(0, 1fr); gap: 0 1rem; margin-top: .8rem; }
  details:not([open]) { display: none; }
  .words li { border: 1px solid var(--line); }
}
"""

SCRIPT: Final = """
"use strict";
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const remembered = (value) => {
    // Pages opened from a disk may have no storage.
    try {
      if (value === undefined) return localStorage.getItem("theme");
      localStorage.setItem("theme", value);
    } catch { return null; }
  };

  const themes = { auto: "Light or dark: as the system", light: "Light", dark: "Dark" };
  const themeButton = byId("theme");
  const setTheme = (name) => {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
    themeButton.textContent = { auto: "\\u25D0 Auto", light: "\\u2600 Light", dark: "\\u263E Dark" }[name];
    themeButton.title = themes[name];
    themeButton.dataset.now = name;
  };
  setTheme(Object.hasOwn(themes, remembered() ?? "") ? remembered() : "auto");
  themeButton.addEventListener("click", () => {
    const names = Object.keys(themes);
    const next = names[(names.indexOf(themeButton.dataset.now) + 1) % names.length];
    setTheme(next);
    remembered(next);
  });

  const entries = [...document.querySelectorAll(".entry")];
  const field = byId("find");
  const told = byId("told");
  const nothing = byId("nothing");
  const folded = (text) => text.normalize("NFD").replace(/\\p{M}/gu, "").toLowerCase();
  const texts = new Map();
  const textOf = (node) => {
    if (!texts.has(node)) texts.set(node, folded(node.textContent));
    return texts.get(node);
  };
  const number = new Intl.NumberFormat("en");
  const tell = (shown) => {
    told.textContent = shown === entries.length
      ? number.format(shown) + (shown === 1 ? " entry" : " entries")
      : number.format(shown) + " of " + number.format(entries.length);
    nothing.hidden = shown > 0 || entries.length === 0;
  };
  const highlight = (words) => {
    if (!("highlights" in CSS)) return;
    CSS.highlights.delete("found");
    const ranges = [];
    for (const entry of words.length ? entries.filter((one) => !one.hidden).slice(0, 60) : []) {
      const walker = document.createTreeWalker(entry, NodeFilter.SHOW_TEXT);
      while (walker.nextNode() && ranges.length < 3000) {
        const text = walker.currentNode.data.toLowerCase();
        if (text.length !== walker.currentNode.data.length) continue;
        for (const word of words) {
          for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
            const range = new Range();
            range.setStart(walker.currentNode, at);
            range.setEnd(walker.currentNode, at + word.length);
            ranges.push(range);
          }
        }
      }
    }
    if (ranges.length) CSS.highlights.set("found", new Highlight(...ranges));
  };
  const search = () => {
    const words = folded(field.value).split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const entry of entries) {
      const text = words.length ? textOf(entry) : "";
      entry.hidden = !words.every((word) => text.includes(word));
      shown += entry.hidden ? 0 : 1;
      for (const inside of entry.hidden ? [] : entry.querySelectorAll("details")) {
        inside.classList.toggle("found", words.length > 0 && words.some((word) => textOf(inside).includes(word)));
      }
    }
    highlight(words.filter((word) => word.length > 1));
    tell(shown);
  };
  let waiting = 0;
  field.addEventListener("input", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(search);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field) {
      event.preventDefault();
      field.select();
      field.focus();
    } else if (event.key === "Escape" && document.activeElement === field) {
      field.value = "";
      search();
    }
  });
  tell(entries.length);

  const briefButton = byId("brief");
  if (document.querySelectorAll("article.entry").length < 2) briefButton.hidden = true;
  briefButton.addEventListener("click", () => {
    const brief = document.querySelector("main").classList.toggle("brief");
    briefButton.setAttribute("aria-pressed", String(brief));
    briefButton.textContent = brief ? "Everything" : "Titles";
  });

  const foldButton = byId("fold");
  const details = document.querySelectorAll("main details");
  if (details.length === 0) foldButton.hidden = true;
  foldButton.addEventListener("click", () => {
    const open = foldButton.getAttribute("aria-pressed") !== "true";
    foldButton.setAttribute("aria-pressed", String(open));
    foldButton.textContent = open ? "Close all" : "Open all";
    for (const one of details) one.open = open && !one.closest("[hidden]");
  });
})();
"""
