/**
 * Takes a genesis into the folder of a node that made a candidacy before. The genesis' maker is not trusted: this node verifies each
 * member's proofs and signatures again, and the genesis must contain the folder's own candidacy unchanged.
 *
 *   chain.json --> form --> members = candidacies? --> certificate --> the agreed hash? --> own candidacy unchanged? --> config.yaml
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { bytesEqual, to0x } from '@slipstream/primitives';
import { type Candidacy, candidacyToJson, committeeOf, type Genesis, genesisHashOf } from '@slipstream/types';
import { HomeError } from '../errors.ts';
import { requireApplications } from './applications.ts';
import { readCandidate } from './candidate.ts';
import { type ChainFile, type GenesisFault, parseChainFile, refuseGenesis } from './chain-file.ts';
import { checkCandidacies } from './check-candidacies.ts';
import { checkCommitteeCertificate, parseCommitteeCertificate } from './committee-certificate.ts';
import { membersOf } from './create-chain.ts';
import { genesisText, readJson } from './files.ts';
import { HOME } from './layout.ts';
import { writeNodeConfig } from './node-config.ts';

interface AcceptOptions {
  readonly home: string;
  readonly file: string;
  /** The agreed genesis hash: 0x and 64 digits. Undefined: any. */
  readonly hash: string | undefined;
  /** `host:port`; undefined: the port of its address (9000 for a full node) on every interface. */
  readonly listen: string | undefined;
  readonly apiHost: string;
  readonly apiPort: number;
}

interface AcceptedGenesis {
  readonly genesis: Genesis;
  readonly preset: ChainFile['preset'];
  readonly candidacies: readonly Candidacy[];
  readonly own: Candidacy;
  readonly listen: string;
}

type ReportProgress = (done: number, total: number) => void;
type GenesisChoice = Pick<AcceptOptions, 'home' | 'file' | 'hash'>;

const FULL_NODE_PORT = 9000;

/** Reads and verifies, writes nothing. Throws HomeError `genesis-refused`, `home-incomplete` or `key-mismatch`. */
export async function inspectGenesis(
  { home, file, hash }: GenesisChoice,
  reportProgress?: ReportProgress,
): Promise<Omit<AcceptedGenesis, 'listen'> & ChainFile> {
  const own = await readCandidate(home);
  const name = basename(file);
  const chain = parseChainFile(await readJson(file, 'chain file'), name);
  const { genesis } = chain;
  const { candidacies, faults } = checkCandidacies(
    chain.sources,
    { chain: genesis.chain, place: name },
    reportProgress,
  );
  const all = [
    ...hashFaults(genesis, hash, name),
    ...ownFaults(candidacies, genesis, own, name),
    ...faults,
    ...(faults.length === 0 ? [...memberFaults(genesis, candidacies, name), ...certificateFaults(chain, name)] : []),
  ];
  if (all.length > 0) refuseGenesis(all);
  return { ...chain, candidacies, own };
}

/**
 * Takes artifacts of applications from beside the file. Also throws HomeError `application-missing`, `application-differs`, and `usage` when the folder has a chain. Afterwards the folder is a node's home. */
export async function acceptGenesis(options: AcceptOptions, reportProgress?: ReportProgress): Promise<AcceptedGenesis> {
  const { home } = options;
  const inspected = await inspectGenesis(options, reportProgress);
  const { genesis, certificate, preset, candidacies, own } = inspected;
  const text = genesisText(genesis);
  await refuseChain(home, text);
  const port = own.validator?.address.split(':').at(-1) ?? FULL_NODE_PORT;
  const listen = options.listen ?? `0.0.0.0:${port}`;
  const others = candidacies.filter(({ peerKey }) => peerKey !== own.peerKey);
  const place = {
    name: own.name,
    validates: own.validator !== undefined,
    peers: others.flatMap(({ validator, peerKey }) => (validator ? [`${peerKey}@${validator.address}`] : [])),
    reserved: others.flatMap(({ validator, peerKey }) => (validator ? [] : [peerKey])),
    listen,
    preset,
    apiHost: options.apiHost,
    apiPort: options.apiPort,
    faucet: false,
    account: false,
  };
  const artifacts = await requireApplications(dirname(options.file), genesis);
  await writeNodeConfig(home, place, { text, certificate, artifacts });
  return { genesis, preset, candidacies, own, listen };
}

/** An identical genesis file is allowed: an interrupted acceptance leaves it. */
async function refuseChain(home: string, text: string): Promise<void> {
  const has = (name: string) => existsSync(join(home, name));
  const isOther = async () => (await readFile(join(home, HOME.genesis), 'utf8')) !== text;
  const there = [
    ...[HOME.config, HOME.data].filter(has),
    ...(has(HOME.genesis) && (await isOther()) ? [HOME.genesis] : []),
  ];
  if (there.length === 0) return;
  const message = `${home} is of a chain already (${there.join(', ')}): nothing is written over it`;
  throw new HomeError('usage', message, { home });
}

function hashFaults(genesis: Genesis, agreed: string | undefined, file: string): readonly GenesisFault[] {
  const hash = to0x(genesisHashOf(genesis));
  if (agreed === undefined || hash === agreed.toLowerCase()) return [];
  return [{ code: 'other-genesis', file, field: 'genesis', message: `has the hash ${hash}, agreed is ${agreed}` }];
}

/** Differences between the folder's own candidacy and the one in the chain file. */
function ownFaults(
  candidacies: readonly Candidacy[],
  genesis: Genesis,
  own: Candidacy,
  file: string,
): readonly GenesisFault[] {
  if (genesis.chain !== own.chain) {
    const message = `is "${genesis.chain}", the candidacy of this folder is for "${own.chain}"`;
    return [{ code: 'other-chain', file, field: 'genesis.chain', message }];
  }
  const there = candidacies.find(({ peerKey }) => peerKey === own.peerKey);
  if (there === undefined) {
    const message = `${own.name} with the network key ${own.peerKey.slice(0, 16)}... is not among them`;
    return [{ code: 'not-in-it', file, field: 'candidacies', message }];
  }
  const [ours, theirs] = [own, there].map(candidacyToJson);
  // Without signatures, which differ only when the signed fields do.
  const fields = ['name', 'role', 'address', 'weight', 'operator', 'feeAccount', 'blsPublicKey', 'proofOfPossession'];
  return fields
    .filter((field) => ours?.[field] !== theirs?.[field])
    .map((field) => {
      const message = `is ${shown(theirs?.[field])} for this node, its candidacy says ${shown(ours?.[field])}`;
      return { code: 'changed', file, field, message };
    });
}

const shown = (value: unknown) => (value === undefined ? 'missing' : String(value).slice(0, 80));

/** Every member must be a candidate, and every candidate a member with the requested fields. */
function memberFaults(genesis: Genesis, candidacies: readonly Candidacy[], file: string): readonly GenesisFault[] {
  const wanted = membersOf(candidacies);
  const hash = (members: Genesis['members']) => genesisHashOf({ ...genesis, members });
  if (bytesEqual(hash(genesis.members), hash(wanted))) return [];
  const message = `are not the ${wanted.length} validators of the candidacies, with their keys and weights, in the order of their names`;
  return [{ code: 'other-members', file, field: 'genesis.members', message }];
}

function certificateFaults({ genesis, certificate }: ChainFile, file: string): readonly GenesisFault[] {
  if (certificate === undefined) return [];
  const field = 'committeeCertificate';
  try {
    const parsed = parseCommitteeCertificate(certificate, file);
    checkCommitteeCertificate(parsed, file, { genesisHash: genesisHashOf(genesis), committee: committeeOf(genesis) });
    const [rootKey] = genesis.trustedIssuers;
    if (rootKey !== undefined && bytesEqual(rootKey, parsed.rootKey)) return [];
    return [{ code: 'bad-certificate', file, field, message: 'is not of the root key in genesis.trustedIssuers' }];
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    return [{ code: 'bad-certificate', file, field, message: error.message }];
  }
}
