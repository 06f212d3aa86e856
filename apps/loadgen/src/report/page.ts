/** A self-contained HTML page without scripts, in light and dark. */

interface Page {
  readonly title: string;
  /** Configuration and environment, shown as a list. */
  readonly facts: Readonly<Record<string, string>>;
  /** HTML. */
  readonly sections: readonly string[];
}

const STYLE = `
:root { color-scheme: light dark; --ground: #fff; --text: #1a1d21; --soft: #59616b; --line: #d5dae0;
  --c0: #0b61a4; --c1: #b34700; --c2: #1b7f3b; --c3: #8a2be2; --c4: #a3195b; --c5: #4d5a00; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --text: #e8ebee; --soft: #a4adb8; --line: #373e46;
  --c0: #6cb6ff; --c1: #ffa657; --c2: #6bd08a; --c3: #cba6ff; --c4: #ff8fb8; --c5: #d3d36b; } }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.2; } h3 { margin: 0 0 .25rem; font-size: 1.05rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1.5rem; }
figure { margin: 0; } figure p { margin: .25rem 0; color: var(--soft); }
svg { width: 100%; height: auto; } .sample { width: 30px; height: 6px; vertical-align: middle; }
.grid { stroke: var(--line); } .scale { fill: var(--soft); font-size: 11px; } .line { fill: none; stroke-width: 2; }
.spread { fill: none; stroke-width: 6; opacity: .35; } .bar { stroke: none; }
${Array.from({ length: 6 }, (_, index) => `.c${index} { stroke: var(--c${index}); } .bar.c${index} { fill: var(--c${index}); }`).join(' ')}
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0; list-style: none; }
table { border-collapse: collapse; margin-bottom: 1.25rem; } caption { text-align: left; color: var(--soft); } th, td { padding: .15rem .6rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child { text-align: left; } .numbers { max-height: 16rem; overflow: auto; }
@media (max-width: 32rem) { body { padding: 1rem; } th, td { padding: .15rem .3rem; font-size: .85rem; }
  .scale { font-size: 18px; } }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: var(--soft); } dd { margin: 0; }
`;

export function pageHtml({ title, facts, sections }: Page): string {
  const listed = Object.entries(facts).map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>`,
    `<body><main><h1>${escapeHtml(title)}</h1><dl>${listed.join('')}</dl>`,
    ...sections,
    '</main></body></html>',
    '',
  ].join('\n');
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
