/** A real network for console tests: four validators, one with invalid signatures. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { consoleFolder } from '@slipstream/checkout';
import { type Gateway, logEnd, startGateway, type TemporaryNetwork, temporaryNetwork } from '@slipstream/devnet';

export interface WatchedNetwork extends TemporaryNetwork {
  /** Of the node under test. */
  readonly url: string;
  readonly adminToken: string;
  readonly corrupt: number;
  /** All nodes behind one address. */
  readonly gateway: Gateway;
}

const ADMIN_TOKEN = 'token-of-the-browser-tests';
/** In the home of each node. */
export const ADMIN_TOKEN_FILE = 'admin-token';
const CORRUPT = 3;

export interface WatchedShape {
  /** Default 4. */
  readonly validators?: number;
  readonly fullNodes?: number;
  /** False: no invalid signatures. */
  readonly offender?: boolean;
  /** Nodes report readiness and evidence. */
  readonly accounts?: boolean;
  /** Further flags of each node. */
  readonly flagsOf?: Shape['flagsOf'];
  /** Options of Node itself, of each node. */
  readonly runtimeFlagsOf?: Shape['runtimeFlagsOf'];
  /** Of genesis. */
  readonly applications?: Shape['applications'];
  /** Changes the folders before any node starts. */
  readonly prepare?: (network: TemporaryNetwork) => void;
}

type Shape = NonNullable<Parameters<typeof temporaryNetwork>[0]>;

export async function startNetwork(shape: WatchedShape = {}): Promise<WatchedNetwork> {
  const {
    validators = 4,
    fullNodes = 0,
    offender = true,
    accounts = false,
    flagsOf,
    runtimeFlagsOf,
    applications,
    prepare,
  } = shape;
  const network = await temporaryNetwork({
    validators,
    fullNodes,
    ...(offender && { corrupt: CORRUPT }),
    ...(flagsOf && { flagsOf }),
    ...(runtimeFlagsOf && { runtimeFlagsOf }),
    ...(applications && { applications }),
    // Offenders stay in the committee.
    flags: [
      ...['--api-admin-token-file', ADMIN_TOKEN_FILE, '--development-faults', 'true'],
      ...(accounts ? [] : ['--account-key-file=']),
    ],
  });
  prepare?.(network);
  await Promise.all(
    network.nodes.map(({ home }) => writeFile(join(home, ADMIN_TOKEN_FILE), ADMIN_TOKEN, { mode: 0o600 })),
  );
  network.onDeath(async (node, death) => {
    process.stderr.write(`${node.name} died: ${JSON.stringify(death)}\n${await logEnd(node)}\n`);
  });
  await network.start();
  const gateway = await startGateway(network, { port: 0, consoleFolder: consoleFolder() });
  return {
    ...network,
    url: network.node('validator-0').url,
    adminToken: ADMIN_TOKEN,
    corrupt: CORRUPT,
    gateway,
    async remove() {
      await gateway.stop();
      await network.remove();
    },
  };
}
