/** An identity chain, and a chain that trusts it, for a test file: real processes in temporary folders. */
import type { Client } from '@slipstream/client';
import {
  freePortRange,
  type IdentityChain,
  openIdentityChain,
  removeFolder,
  type TemporaryNetwork,
  temporaryFolder,
  temporaryNetwork,
} from '@slipstream/devnet';

export interface TwoChains {
  /** The identity chain's folder; the test may add files. */
  readonly folder: string;
  readonly identity: IdentityChain;
  /** The chain that trusts it. */
  readonly network: TemporaryNetwork;
  /** Client of a node of the identity chain. */
  readonly home: Client;
  /** Client of a node of the other chain. */
  readonly target: Client;
  remove(): Promise<void>;
}

/** `validators`: of the chain that trusts, whose nodes follow the identity chain; that one has one. */
export async function startTwoChains(validators: number): Promise<TwoChains> {
  const folder = await temporaryFolder();
  const port = await freePortRange(2);
  const identity = await openIdentityChain({ folder, basePort: port, apiPort: port + 1 });
  const url = `http://127.0.0.1:${port + 1}`;
  const flags = ['--sessions-follow', url];
  const network = await temporaryNetwork({ validators, trustedIssuers: [identity.rootKey], flags });
  const chains: TwoChains = {
    folder,
    identity,
    network,
    home: (identity.cluster.nodes[0] as { readonly client: Client }).client,
    target: (network.nodes[0] as { readonly client: Client }).client,
    async remove() {
      await identity.cluster.stop();
      await network.remove();
      await removeFolder(folder);
    },
  };
  await Promise.all([identity.cluster.start(), network.start()]).catch(async (error: unknown) => {
    await chains.remove();
    throw error;
  });
  return chains;
}
