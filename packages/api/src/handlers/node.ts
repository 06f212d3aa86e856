import type { Clock } from '@slipstream/ports';
import { asyncApiDocument, type JsonObject, openApiDocument } from '@slipstream/schema';
import { type Answer, bytes, type Handler, json, refuse } from '../answer.ts';
import type { NodeBackend } from '../backend.ts';
import { revalidatedHeaders, tagOf } from '../caching.ts';
import { problemsPage } from '../docs/problems-page.ts';
import { routesPage } from '../docs/routes-page.ts';
import { streamsPage } from '../docs/streams-page.ts';

function whyNot(syncing: boolean): string {
  return syncing ? 'It is catching up with the chain.' : 'It does not follow the chain.';
}

/** Of a prom-client registry. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

interface NodeHandlerComponents {
  readonly backend: NodeBackend;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly metrics: MetricsSource;
  readonly version: string;
}

type NodeRoute = 'status' | 'peers' | 'healthz' | 'readyz' | 'metrics' | Description;
type Description = 'openapi' | 'asyncapi' | 'docs' | 'streamDocs' | 'problemDocs';

export function createNodeHandlers(components: NodeHandlerComponents): Readonly<Record<NodeRoute, Handler>> {
  const { backend, clock, metrics, version } = components;
  const startedMs = clock.monotonicMs();

  return {
    status: async () => json(await backend.status()),
    peers: async () => json({ items: await backend.peers() }),
    healthz: () => json({ status: 'ok', uptimeMs: clock.monotonicMs() - startedMs }),

    async readyz() {
      const { ready, syncing, draining, height, alerts } = await backend.status();
      if (ready) return json({ ready, height, syncing });
      const alarms = alerts.map(({ message }) => message);
      const why = draining ? 'It drains: an operator asked for that.' : whyNot(syncing);
      const alertTexts = alarms.length === 0 ? [] : [`Alerts: ${alarms.join('; ')}.`];
      return refuse('not-ready', {
        detail: [`The node is not ready at height ${height}. ${why}`, ...alertTexts].join(' '),
      });
    },

    metrics: async () => bytes(metrics.contentType, await metrics.metrics()),
    ...createDescriptions(version),
  };
}

/** Of the interface, for programs and for people. */
function createDescriptions(version: string): Readonly<Record<Description, Handler>> {
  const streams = asyncApiDocument({ version });
  const answers: Readonly<Record<Description, Answer>> = {
    openapi: description(openApiDocument({ version })),
    asyncapi: description(streams),
    docs: page(routesPage(version)),
    streamDocs: page(streamsPage(streams)),
    problemDocs: page(problemsPage(version)),
  };
  return {
    openapi: () => answers.openapi,
    asyncapi: () => answers.asyncapi,
    docs: () => answers.docs,
    streamDocs: () => answers.streamDocs,
    problemDocs: () => answers.problemDocs,
  };
}

function description(document: JsonObject): Answer {
  return json(document, 200, revalidatedHeaders(tagOf(JSON.stringify(document))));
}

function page(html: string): Answer {
  return bytes('text/html; charset=utf-8', html, revalidatedHeaders(tagOf(html)));
}
