/** REST clients of the selected node and of the node that serves this page. */
import { type Client, createClient } from '@slipstream/client';
import { chosenUrl, onChosen } from './chosen.ts';

/** Of the node that serves this page, whichever is selected. */
export const homeClient: Client = createClient({ url: location.origin });

/** Of the selected node; importers see the new one after a change. */
export let client: Client = createClient({ url: chosenUrl() });

onChosen(() => {
  client = createClient({ url: chosenUrl() });
});

export function adminClient(token: string): Client {
  return createClient({ url: chosenUrl(), token });
}

/** The fault and the remedy, as the node states them. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
