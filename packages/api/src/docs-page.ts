/** Route, event and problem tables as HTML, without external resources. */
import {
  EVENT_TYPES,
  EVENTS,
  PROBLEM_CODES,
  PROBLEMS,
  ROUTE_NAMES,
  ROUTE_TABLE,
  type Route,
  type RouteName,
} from '@slipstream/schema';
import type { TSchema } from 'typebox';

export const DOCS_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dce3, #333a45); --soft: light-dark(#5a6472, #9aa5b4); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
h3 { margin: 1.75rem 0 .25rem; font-size: 1rem; }
p { margin: .25rem 0; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow: auto; max-height: 24rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.soft { color: var(--soft); }
summary { cursor: pointer; }
`;

export function docsPage(version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Slipstream API ${escaped(version)}</title>
<style>${DOCS_STYLE}</style>
</head>
<body>
<h1>Slipstream API</h1>
<p>Version ${escaped(version)}. For machines: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<p>Amounts are decimal strings; bytes are 0x and lower-case hexadecimal digits; heights and times are numbers. Every answer
carries the chain, height and epoch it is of in <code>slipstream-*</code> headers. Errors are problem+json with a stable
<code>code</code>.</p>
<h2>Routes</h2>
${ROUTE_NAMES.map((name) => routeSection(name, ROUTE_TABLE[name])).join('\n')}
<h2>Events</h2>
<p>Over <code>/v1/stream</code> (WebSocket) and <code>/v1/events</code> (server-sent events): <code>hello</code>, then the
whole <code>state</code>, then events with rising sequence numbers. Resume with <code>?resume=run:sequence</code>.</p>
<table><thead><tr><th>Event</th><th>Topic</th><th>Says</th><th>Data</th></tr></thead><tbody>
${EVENT_TYPES.map((type) => `<tr><td><code>${type}</code></td><td>${EVENTS[type].topic}</td><td>${escaped(EVENTS[type].summary)}</td><td class="soft">${Object.keys(EVENTS[type].data.properties).join(', ')}</td></tr>`).join('\n')}
</tbody></table>
<h2>Problems</h2>
<table><thead><tr><th>Code</th><th>Status</th><th>Says</th><th>Remedy</th></tr></thead><tbody>
${PROBLEM_CODES.map((code) => `<tr id="problem-${code}"><td><code>${code}</code></td><td>${PROBLEMS[code].status}</td><td>${escaped(PROBLEMS[code].title)}</td><td>${escaped(PROBLEMS[code].remedy)}</td></tr>`).join('\n')}
</tbody></table>
</body>
</html>
`;
}

function routeSection(name: RouteName, route: Route): string {
  const parameters = [...Object.entries(route.params.properties), ...Object.entries(route.query.properties)];
  const lines = [
    `<h3 id="${name}"><code>${route.method} ${escaped(route.path)}</code></h3>`,
    `<p>${escaped(route.summary)}.</p>`,
    ...(route.description === undefined ? [] : [`<p class="soft">${escaped(route.description)}</p>`]),
    ...(parameters.length > 0
      ? [`<ul>${parameters.map(([key, schema]) => parameterItem(key, schema)).join('')}</ul>`]
      : []),
    ...(route.body ? [schemaDetails(route.body.bytes ? 'Body (JSON, or SSZ bytes)' : 'Body', route.body.json)] : []),
    ...Object.entries(route.answers).map(([status, schema]) =>
      schema ? schemaDetails(`Answer ${status}`, schema) : '',
    ),
    route.problems.length > 0
      ? `<p class="soft">Problems: ${[...new Set(route.problems)].map((code) => `<a href="#problem-${code}">${code}</a>`).join(', ')}</p>`
      : '',
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function parameterItem(key: string, schema: TSchema): string {
  const { description = '', examples } = schema as {
    readonly description?: string;
    readonly examples?: readonly unknown[];
  };
  const example = examples?.[0] === undefined ? '' : ` <span class="soft">e.g. ${escaped(String(examples[0]))}</span>`;
  return `<li><code>${escaped(key)}</code> ${escaped(description)}${example}</li>`;
}

function schemaDetails(title: string, schema: TSchema): string {
  return `<details><summary>${escaped(title)}</summary><pre>${escaped(JSON.stringify(schema, undefined, 2))}</pre></details>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
