/** Swagger UI on /openapi.json (decision 0039). */
import { docsPage } from './page.ts';

export function routesPage(version: string): string {
  return docsPage({
    title: `Slipstream API ${version}`,
    styles: ['swagger-ui.css'],
    scripts: ['swagger-ui-bundle.js', 'start.js'],
    body: '<main id="routes"><noscript>This page needs scripts; <a href="/openapi.json">openapi.json</a> says the same.</noscript></main>',
  });
}

/** No validator: it would send the description to another machine. */
export const START_SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#routes',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;
