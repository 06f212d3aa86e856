/** In a page: a light client whose two nodes are in the page too. One of them lies. */
import { openLightClient } from '../../../packages/client/src/light/index.ts';

export interface PageRequest {
  readonly genesis: unknown;
  /** Messages of each node's stream, and its answers by path. */
  readonly nodes: Readonly<Record<string, { readonly messages: readonly unknown[]; readonly answers: Answers }>>;
}

type Answers = Readonly<Record<string, unknown>>;

export interface PageAnswer {
  readonly height: number;
  readonly node: string;
  readonly faults: readonly (string | undefined)[];
  /** Scripts and workers that the page loaded. */
  readonly loaded: readonly string[];
}

declare const window: { measure?: (request: PageRequest) => Promise<PageAnswer> };

type Listener = (event: { readonly data?: unknown }) => void;

window.measure = async ({ genesis, nodes }) => {
  const nodeOf = (url: string) => nodes[new URL(url).hostname];

  class PageSocket {
    readonly #listeners: Listener[] = [];

    constructor(url: string) {
      setTimeout(() => {
        for (const message of nodeOf(url)?.messages ?? []) {
          for (const listener of this.#listeners) listener({ data: JSON.stringify(message) });
        }
      }, 10);
    }

    addEventListener(type: string, listener: Listener): void {
      if (type === 'message') this.#listeners.push(listener);
    }

    close(): void {}
  }

  const light = openLightClient({
    genesis,
    urls: Object.keys(nodes).map((name) => `http://${name}`),
    WebSocket: PageSocket,
    fetch: async (url) => Response.json(nodeOf(url)?.answers[new URL(url).pathname] ?? {}),
  });
  const head = await light.headAt();
  while (!light.nodes().some(({ lastFault }) => lastFault !== null))
    await new Promise((resolve) => setTimeout(resolve, 20));
  const faults = light.nodes().map(({ lastFault }) => lastFault?.code);
  light.close();
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
  return { height: head.height, node: head.node, faults, loaded };
};
