/** Writes the configuration of a node with a chain, and the public files that it names. */
import { join } from 'node:path';
import { configFile } from '../config/load.ts';
import { keepApplications } from './artifact-files.ts';
import { writeText } from './files.ts';
import type { FoundedChain } from './found-chain.ts';
import { HOME } from './layout.ts';

interface NodePlace {
  readonly name: string;
  readonly validates: boolean;
  /** `host:port`. */
  readonly listen: string;
  /** Validators to connect to, each `<peer key>@<host:port>`. */
  readonly peers: readonly string[];
  /** Peer keys of full nodes with reserved connections. */
  readonly reserved: readonly string[];
  readonly apiHost: string;
  readonly apiPort: number;
  readonly preset: 'local' | 'wan';
  readonly faucet: boolean;
  /** It has an account that pays for its reports. */
  readonly account: boolean;
}

/** Writes the configuration last: it makes the folder a node's home. */
export async function writeNodeConfig(
  home: string,
  place: NodePlace,
  { text, certificate, artifacts }: Pick<FoundedChain, 'text' | 'certificate' | 'artifacts'>,
): Promise<void> {
  await writeText(join(home, HOME.genesis), text);
  await keepApplications(home, artifacts);
  if (certificate !== undefined) await writeText(join(home, HOME.committeeCertificate), certificate);
  const config = configFile({
    name: place.name,
    genesis: HOME.genesis,
    ...(place.validates ? { 'keys.bls': HOME.blsKeystore, 'keys.blsPassword': HOME.blsPassword } : {}),
    ...(certificate === undefined ? {} : { 'sessions.committeeCertificate': HOME.committeeCertificate }),
    'keys.peer': HOME.peerSeed,
    ...(place.account ? { 'account.keyFile': HOME.accountKey } : {}),
    'network.listen': place.listen,
    'network.peers': place.peers,
    ...(place.reserved.length > 0 ? { 'network.reserved': place.reserved } : {}),
    'api.host': place.apiHost,
    'api.port': place.apiPort,
    'api.adminTokenFile': HOME.adminToken,
    'consensus.preset': place.preset,
    ...(place.faucet ? { 'development.faucetKey': HOME.faucetKey } : {}),
  });
  await writeText(join(home, HOME.config), config);
}
