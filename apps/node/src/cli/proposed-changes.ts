/** The changes that the options of `governance propose` name, in the order of the options. */
import type { Client } from '@slipstream/client';
import { inFolder, type OptionValues, type Terminal, text, usageError } from '@slipstream/command-line';
import { readText } from '@slipstream/node-home';
import {
  type Change,
  type ChangeJson,
  COMMITTEE_WEIGHT_MAX,
  changeFromJson,
  feeFaults,
  PROPOSAL_CHANGES_MAX,
} from '@slipstream/types';
import { NodeError } from '../errors.ts';
import { validatorIdNamed } from './member-named.ts';

export const PROPOSE = 'slipstream governance propose';

export const changeOptions = {
  add: text('FILE,...', 'Candidates to add: validator.json of each (slipstream validator candidate).'),
  remove: text('ID,...', 'Validators to remove: an id, or the name of a member.'),
  weight: text('W|ID=W,...', 'Weight of the added candidates (default 1), and new weights of members: ID=W.'),
  parameters: text('FILE', 'New fees and times: a JSON object with "fees" and "times", as in genesis.json.'),
  issuers: text('FILE', 'New trusted issuers: a JSON array of root keys, 0x....'),
  version: text('N', 'Version of the rules that the next epoch follows.'),
  artifact: text(
    'FILE,...',
    'Artifacts of applications that the next epoch runs, each of the next version (slipstream app accept).',
  ),
  governance: text('FILE', 'Who decides: a JSON object with "administrators" and "approvals", as in genesis.json.'),
} as const;

type ChangeValues = OptionValues<typeof changeOptions>;

interface Weights {
  readonly ofAdded: number;
  readonly ofMembers: readonly (readonly [name: string, weight: number])[];
}

/** Throws NodeError or CommandLineError with the faults. */
export async function changesOf(client: Client, options: ChangeValues, terminal: Terminal): Promise<readonly Change[]> {
  const weights = weightsOf(options);
  const changes = [
    ...(await additionsOf(client, options.add, weights.ofAdded, terminal)),
    ...(await Promise.all(listOf(options.remove).map(removalOf(client)))),
    ...(await Promise.all(weights.ofMembers.map(weightChange(client)))),
    ...(await fromFiles(options, terminal)),
    ...versionOf(options.version),
    ...(await upgradesOf(options.artifact, terminal)),
  ];
  if (changes.length >= 1 && changes.length <= PROPOSAL_CHANGES_MAX) return changes;
  const fault = `a proposal has 1 to ${PROPOSAL_CHANGES_MAX} changes, this one ${changes.length}`;
  throw usageError(PROPOSE, [fault]);
}

const removalOf =
  (client: Client) =>
  async (name: string): Promise<Change> => {
    return { kind: 'removeValidator', validatorId: await validatorIdNamed(client, name) };
  };

const weightChange =
  (client: Client) =>
  async ([name, weight]: readonly [string, number]): Promise<Change> => {
    return { kind: 'setWeight', validatorId: await validatorIdNamed(client, name), weight };
  };

function weightsOf({ weight, add }: ChangeValues): Weights {
  const parts = listOf(weight).map((part) => {
    const at = part.lastIndexOf('=');
    return at < 0
      ? ([undefined, numberOf(part)] as const)
      : ([part.slice(0, at), numberOf(part.slice(at + 1))] as const);
  });
  const plain = parts.filter(([name]) => name === undefined).map(([, value]) => value);
  const isSound = parts.every(([, value]) => value >= 1 && value <= COMMITTEE_WEIGHT_MAX);
  if (!isSound)
    throw usageError(PROPOSE, [`--weight must be from 1 to ${COMMITTEE_WEIGHT_MAX}, or ID=W with such a W`]);
  if (plain.length > 1) throw usageError(PROPOSE, ['--weight: all added candidates get one weight']);
  if (plain.length === 1 && add === undefined) {
    throw usageError(PROPOSE, ['--weight without an ID is of candidates that --add names: give ID=W for a member']);
  }
  return {
    ofAdded: plain[0] ?? 1,
    ofMembers: parts.flatMap(([name, value]) => (name === undefined ? [] : [[name, value] as const])),
  };
}

async function additionsOf(
  client: Client,
  files: string | undefined,
  weight: number,
  terminal: Terminal,
): Promise<readonly Change[]> {
  if (files === undefined) return [];
  const { parseCandidate } = await import('../validator/candidate-file.ts');
  const genesisHash = await client.genesisHash();
  const candidates = listOf(files).map(async (file) => {
    const path = inFolder(terminal, file);
    return parseCandidate(await readText(path, 'candidate'), path, genesisHash);
  });
  return (await Promise.all(candidates)).map((candidate) => ({ kind: 'addValidator', weight, ...candidate }));
}

async function fromFiles(
  { parameters, issuers, governance }: ChangeValues,
  terminal: Terminal,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const take = async (option: string, file: string | undefined, change: (json: unknown) => object) => {
    if (file === undefined) return;
    const path = inFolder(terminal, file);
    const json = jsonIn(await readText(path, `file of --${option}`), path);
    try {
      changes.push(sound(changeFromJson(change(json) as ChangeJson)));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new NodeError('usage', `--${option}: ${path}: ${error.message}`, { path });
    }
  };
  await take('parameters', parameters, (json) => ({ ...(json as object), kind: 'setParameters' }));
  await take('issuers', issuers, (trustedIssuers) => ({ kind: 'setTrustedIssuers', trustedIssuers }));
  await take('governance', governance, (json) => ({ kind: 'setGovernance', governance: json }));
  return changes;
}

/** What the chain would refuse. Throws RangeError with all faults. */
function sound(change: Change): Change {
  const faults = change.kind === 'setParameters' ? feeFaults(change.fees) : [];
  if (faults.length > 0) throw new RangeError(faults.join('; '));
  return change;
}

async function upgradesOf(files: string | undefined, terminal: Terminal): Promise<readonly Change[]> {
  if (files === undefined) return [];
  const { readArtifact } = await import('@slipstream/node-home/applications');
  const all = listOf(files).map(async (file) => {
    const { hash, manifest } = await readArtifact(inFolder(terminal, file));
    return { kind: 'upgradeApplication' as const, name: manifest.name, version: manifest.version, hash };
  });
  return Promise.all(all);
}

function versionOf(given: string | undefined): readonly Change[] {
  if (given === undefined) return [];
  const version = numberOf(given);
  if (version >= 1 && version < 2 ** 16) return [{ kind: 'setVersion', version }];
  throw usageError(PROPOSE, [`--version must be a whole number from 1 to ${2 ** 16 - 1}, not "${given}"`]);
}

function jsonIn(content: string, path: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new NodeError('usage', `${path} is not JSON`, { path }, cause);
  }
}

function listOf(given: string | undefined): readonly string[] {
  return given === undefined ? [] : given.split(',').filter((part) => part !== '');
}

function numberOf(digits: string): number {
  return /^[0-9]{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
}
