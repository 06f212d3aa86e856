/** A script that starts a network in a given folder, pauses one node, prints their process ids, and never ends. */
import { createCluster, freePortRange } from '@slipstream/devnet';

const VALIDATORS = 3;

const basePort = await freePortRange(2 * VALIDATORS);
const cluster = await createCluster({
  folder: process.argv[2] as string,
  validators: VALIDATORS,
  fullNodes: 0,
  basePort,
  apiPort: basePort + VALIDATORS,
});
await cluster.start();
cluster.node('validator-1').process.pause();
process.stdout.write(`${JSON.stringify(cluster.nodes.map((node) => node.process.pid))}\n`);
setInterval(() => {}, 60_000);
