import { type Client, createClient } from '@slipstream/client';
import { chosenUrl, onChosen } from './chosen.ts';

/** Of the node that serves this page. */
export const homeClient: Client = createClient({ url: location.origin });

/** Of the selected node; importers see each change. */
export let client: Client = createClient({ url: chosenUrl() });

onChosen(() => {
  client = createClient({ url: chosenUrl() });
});

export function adminClient(token: string): Client {
  return createClient({ url: chosenUrl(), token });
}

/** Fault and remedy, as the node states them. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
