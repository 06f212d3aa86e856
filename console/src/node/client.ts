/** REST clients of the selected node and of the node that serves this page. */
import { type Client, createClient } from '@slipstream/client';
import { chosenUrl, onChosen } from './chosen.ts';

/** Of the node that serves this page, whichever is selected. */
export const homeClient: Client = createClient({ url: location.origin });

/** Of the chosen node: importers see the new one when another is chosen. */
export let client: Client = createClient({ url: chosenUrl() });

onChosen(() => {
  client = createClient({ url: chosenUrl() });
});

export function adminClient(token: string): Client {
  return createClient({ url: chosenUrl(), token });
}

/** What went wrong and what to do: the node says both. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
