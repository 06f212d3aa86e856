/** The node that the page looks at, asked over REST. */
import { type Client, createClient } from '@slipstream/client';
import { chosenUrl, onChosen } from './chosen.ts';

/** Of the node that served this page, whichever is looked at. */
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
