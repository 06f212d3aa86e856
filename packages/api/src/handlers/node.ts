import type { Clock } from '@slipstream/ports';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import { openApiDocument } from '@slipstream/schema';
import { bytes, type Handler, json, refuse } from '../answer.ts';
import type { NodeBackend } from '../backend.ts';
import { revalidatedHeaders } from '../caching.ts';
import { docsPage } from '../docs-page.ts';

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

type NodeRoute = 'status' | 'peers' | 'healthz' | 'readyz' | 'metrics' | 'openapi' | 'docs';

export function createNodeHandlers(components: NodeHandlerComponents): Readonly<Record<NodeRoute, Handler>> {
  const { backend, clock, metrics, version } = components;
  const startedMs = clock.monotonicMs();
  const document = openApiDocument({ version });
  const documentTag = toHex(sha256(utf8(JSON.stringify(document))));
  const page = docsPage(version);

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
    openapi: () => json(document, 200, revalidatedHeaders(documentTag)),
    docs: () => bytes('text/html; charset=utf-8', page),
  };
}
