/** A node that a load is sent to, as the caller knows it: by its address alone, or as a process that it may kill. */
import type { Client } from '@slipstream/client';

export interface NodeHandle {
  readonly name: string;
  readonly client: Client;
  /** False while it is known not to run. */
  readonly running: boolean;
  /** Starts after the first, where they are known: after another one it has forgotten what it had not passed on. */
  readonly restarts: number;
}

/** A node that this program knows by its address alone. */
export function remoteNode(client: Client): NodeHandle {
  return { name: new URL(client.url).host, client, running: true, restarts: 0 };
}
