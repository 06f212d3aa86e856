import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from '@slipstream/schema';
import { docsPage, formatted } from './page.ts';

export function problemsPage(version: string): string {
  return docsPage({
    title: `Slipstream problems ${version}`,
    body: `<main class="text">
<h1>Problems</h1>
<p>Errors are problem+json (RFC 9457). Their <code>code</code> is stable; their <code>type</code> links to its section here.</p>
${PROBLEM_CODES.map(section).join('\n')}
</main>`,
  });
}

function section(code: ProblemCode): string {
  const { status, title, remedy } = PROBLEMS[code];
  return `<h2 id="${code}"><code>${code}</code> <span class="soft">${status}</span></h2>
<p>${formatted(title)}. ${formatted(remedy)}</p>`;
}
