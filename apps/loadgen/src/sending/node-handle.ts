/** A node that a load is sent to: known by its address, or a process that the caller may kill. */
import type { Client } from '@slipstream/client';

export interface NodeHandle {
  readonly name: string;
  readonly client: Client;
  /** False while the caller knows that it is down. */
  readonly running: boolean;
  /** Known restarts. A restart loses accepted transactions that the node had not passed on. */
  readonly restarts: number;
}

export function remoteNode(client: Client): NodeHandle {
  return { name: new URL(client.url).host, client, running: true, restarts: 0 };
}
