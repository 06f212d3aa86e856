/** The node that served this page, asked over REST. */
import { type Client, createClient } from '@slipstream/client';

export const client: Client = createClient({ url: location.origin });

export function adminClient(token: string): Client {
  return createClient({ url: location.origin, token });
}

/** What went wrong and what to do: the node says both. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
