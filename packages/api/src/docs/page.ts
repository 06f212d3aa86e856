/** The frame of the documentation's pages. What they load is in files.ts. */
interface Page {
  readonly title: string;
  /** In the documentation's folder. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
  readonly body: string;
}

export function docsPage({ title, styles = [], scripts = [], body }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
${['docs.css', ...styles].map((name) => `<link rel="stylesheet" href="/docs/${name}">`).join('\n')}
</head>
<body>
<nav aria-label="Documentation">
<a href="/docs">Routes</a> <a href="/docs/streams">Streams</a> <a href="/docs/problems">Problems</a>
<a href="/openapi.json">openapi.json</a> <a href="/asyncapi.json">asyncapi.json</a>
</nav>
${body}
${scripts.map((name) => `<script src="/docs/${name}"></script>`).join('\n')}
</body>
</html>
`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Code spans become elements; our descriptions use no other Markdown. */
export function formatted(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export const DOCS_STYLE = `
:root { --line: #d8dce3; --soft: #5a6472; --link: #0b5fa5; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; background: #fff; color: #1b1f24; }
nav { padding: .75rem 1rem; border-bottom: 1px solid var(--line); }
nav a { margin-right: 1rem; }
a { color: var(--link); }
.text { max-width: 62rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
.text h2 { margin: 2rem 0 .25rem; border-bottom: 1px solid var(--line); font-size: 1.2rem; }
.text h3 { margin: 1.75rem 0 .25rem; font-size: 1rem; }
.text p { margin: .25rem 0; }
.text code { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
.text h2 code, .text h3 code { font-size: 16px; font-weight: 600; }
.text h2 .soft, .text h3 .soft { font-weight: 400; }
.text ul { margin: .25rem 0; padding-left: 1.25rem; }
.soft { color: var(--soft); }
`;
