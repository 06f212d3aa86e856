/** Changes of the committee and the parameters, in turn. Each can be tried again at any time, through any node; nodes report their readiness. */
import type { Client, KeyPair } from '@slipstream/client';
import type { Cluster, ClusterNode } from '@slipstream/devnet';
import { fromHex, to0x } from '@slipstream/primitives';
import type { EpochRecordJson } from '@slipstream/schema';
import type { SeededRandom } from '@slipstream/simulator';
import { asId, type Change, changeFromJson, changeToJson, type ProposalId, type ValidatorId } from '@slipstream/types';
import {
  act,
  consentOf,
  giveFreshKeys,
  giveNextKeys,
  type NewKeys,
  operatorOf,
  retireKeys,
} from '../devnet/governing.ts';
import type { EpochWatch } from './epoch-watch.ts';

export interface CommitteeChange {
  readonly kind: ChangeKind;
  readonly what: string;
  isIn(record: EpochRecordJson): boolean;
  /** Keys, before any fault. */
  prepare(): Promise<void>;
  /** What is still missing on the chain. Throws when an action was not executed. */
  attempt(client: Client): Promise<void>;
}

export const CHANGE_KINDS = ['weight', 'add', 'remove', 'rotate', 'parameters'] as const;
type ChangeKind = (typeof CHANGE_KINDS)[number];
type Member = EpochRecordJson['members'][number];
type IsIn = (record: EpochRecordJson) => boolean;

export interface Governed {
  readonly cluster: Pick<Cluster, 'nodes' | 'node'>;
  readonly epochs: EpochWatch;
  /** By the name of its node; it stays when keys change. */
  readonly operators: ReadonlyMap<string, KeyPair>;
}

const LEAST_MEMBERS = 4;
const PAGE = 100;
const WINDOW_BLOCKS_STEP = 1;
const INTERVAL_STEP_MS = 10;

export async function governedCluster(cluster: Cluster, epochs: EpochWatch): Promise<Governed> {
  const entries = cluster.nodes.map(async (node) => [node.name, await operatorOf(node)] as const);
  return { cluster, epochs, operators: new Map(await Promise.all(entries)) };
}

/** Where the committee allows no change of the kind in turn: a weight. */
export function changeInTurn(governed: Governed, number: number, random: SeededRandom): CommitteeChange {
  const record = governed.epochs.current();
  const member = random.pick(record.members);
  switch (CHANGE_KINDS[(number - 1) % CHANGE_KINDS.length]) {
    case 'add': {
      const others = governed.cluster.nodes.filter(({ name }) => !governed.epochs.validators().includes(name));
      return others.length === 0 ? weightOf(governed, member) : addition(governed, random.pick(others), number);
    }
    case 'remove': {
      const lightest = record.members.toSorted((a, b) => a.weight - b.weight)[0] as Member;
      return record.members.length > LEAST_MEMBERS ? removal(governed, lightest) : weightOf(governed, member);
    }
    case 'rotate':
      return rotation(governed, member);
    case 'parameters':
      return parameters(governed, record, number);
    default:
      return weightOf(governed, member);
  }
}

function weightOf(governed: Governed, { validatorId, name, weight: before }: Member): CommitteeChange {
  const weight = before === 1 ? 2 : 1;
  const change: Change = { kind: 'setWeight', validatorId: idOf(validatorId), weight };
  const isIn: IsIn = ({ members }) =>
    members.some((each) => each.validatorId === validatorId && each.weight === weight);
  return {
    kind: 'weight',
    what: `weight of ${name} ${before} to ${weight}`,
    prepare: async () => {},
    attempt: (client) => decided(governed, client, change, isIn),
    isIn,
  };
}

function removal(governed: Governed, { validatorId, name }: Member): CommitteeChange {
  const change: Change = { kind: 'removeValidator', validatorId: idOf(validatorId) };
  const isIn: IsIn = ({ members }) => members.every((each) => each.validatorId !== validatorId);
  return {
    kind: 'remove',
    what: `${name} removed`,
    prepare: async () => {},
    attempt: (client) => decided(governed, client, change, isIn),
    isIn,
  };
}

function addition(governed: Governed, node: ClusterNode, number: number): CommitteeChange {
  const owner = governed.operators.get(node.name) as KeyPair;
  let keys: NewKeys | undefined;
  const isIn: IsIn = ({ members }) => hasKeys(members, keys);
  return {
    kind: 'add',
    what: `${node.name} added`,
    async prepare() {
      await node.process.stop();
      keys = await giveFreshKeys(node);
      node.process.start();
    },
    async attempt(client) {
      if (keys === undefined) throw new Error(`${node.name} has no keys`);
      const { blsPublicKey, peerKey } = keys;
      const change: Change = {
        kind: 'addValidator',
        name: `${node.name}.${number}`,
        weight: 1,
        blsPublicKey,
        peerKey,
        address: `127.0.0.1:${node.networkPort}`,
        operator: owner.account,
        feeAccount: owner.account,
        consent: await consentOf(client, keys, owner),
      };
      await decided(governed, client, change, isIn);
    },
    isIn,
  };
}

function rotation(governed: Governed, { validatorId, name, address }: Member): CommitteeChange {
  const node = governed.cluster.nodes.find(({ networkPort }) => address.endsWith(`:${networkPort}`)) as ClusterNode;
  const owner = governed.operators.get(node.name) as KeyPair;
  let keys: NewKeys | undefined;
  return {
    kind: 'rotate',
    what: `keys of ${name} rotated`,
    async prepare() {
      await retireKeys(node);
      keys = await giveNextKeys(node);
    },
    async attempt(client) {
      if (keys === undefined) throw new Error(`${node.name} has no next keys`);
      const { blsPublicKey, peerKey } = keys;
      const known = await client.validator(validatorId);
      if (known.rotation?.blsPublicKey !== to0x(blsPublicKey)) {
        await act(client, owner, {
          kind: 'rotateKeys',
          validatorId: idOf(validatorId),
          blsPublicKey,
          peerKey,
          address,
          feeAccount: owner.account,
          consent: await consentOf(client, keys, owner),
        });
      }
    },
    isIn: ({ members }) => hasKeys(members, keys),
  };
}

/** A window of other length, or another block interval. */
function parameters(
  governed: Governed,
  { parameters: { fees, times } }: EpochRecordJson,
  number: number,
): CommitteeChange {
  const isFees = Math.floor(number / CHANGE_KINDS.length) % 2 === 1;
  const windowBlocks = fees.windowBlocks + (isFees ? WINDOW_BLOCKS_STEP : 0);
  // Up and down again: epochs stay as long as they were.
  const isRaised = times.minBlockIntervalMs % (2 * INTERVAL_STEP_MS) !== 0;
  const step = isRaised ? -INTERVAL_STEP_MS : INTERVAL_STEP_MS;
  const minBlockIntervalMs = times.minBlockIntervalMs + (isFees ? 0 : step);
  const change = changeFromJson({
    kind: 'setParameters',
    fees: { ...fees, windowBlocks },
    times: { ...times, minBlockIntervalMs },
  });
  const isIn: IsIn = ({ parameters: given }) =>
    given.fees.windowBlocks === windowBlocks && given.times.minBlockIntervalMs === minBlockIntervalMs;
  return {
    kind: 'parameters',
    what: isFees ? `price window of ${windowBlocks} blocks` : `block interval of ${minBlockIntervalMs} ms`,
    prepare: async () => {},
    attempt: (client) => decided(governed, client, change, isIn),
    isIn,
  };
}

/** The operators of all members approve; enough of them suffice. */
async function decided({ epochs, operators }: Governed, client: Client, change: Change, isIn: IsIn): Promise<void> {
  const governors = epochs.validators().flatMap((name) => operators.get(name) ?? []);
  const [proposer] = governors;
  if (proposer === undefined) throw new Error('a committee has members');
  const wanted = JSON.stringify(changeToJson(change), sorted);
  const open = async () => {
    const { items } = await client.proposals({ limit: PAGE });
    return items.find(({ changes }) => changes.some((each) => JSON.stringify(each, sorted) === wanted));
  };
  let proposal = await open();
  if (proposal === undefined) {
    // It may have been sealed since.
    if (isIn(await newestOf(client))) return;
    await act(client, proposer, { kind: 'propose', changes: [change], notBeforeMs: 0 });
    proposal = await open();
  }
  if (proposal === undefined || proposal.approvedWeight >= proposal.neededWeight) return;
  const proposalId = asId<ProposalId>(fromHex(proposal.id.slice(2)));
  const approved = new Set(proposal.approvals.map(({ account }) => account));
  const missing = governors.filter(({ accountText }) => !approved.has(accountText));
  await Promise.allSettled(missing.map((governor) => act(client, governor, { kind: 'approve', proposalId })));
}

async function newestOf(client: Client): Promise<EpochRecordJson> {
  const { items } = await client.epochs({ limit: 1 });
  return client.epoch(items[0]?.epoch ?? 'current');
}

/** Of keys: nodes and this program list them in different orders. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function hasKeys(members: readonly Member[], keys: NewKeys | undefined): boolean {
  if (keys === undefined) return false;
  const [bls, peer] = [to0x(keys.blsPublicKey), `0x${keys.peerKey}`];
  return members.some((each) => each.blsPublicKey === bls && each.peer === peer);
}

function idOf(text: string): ValidatorId {
  return fromHex(text.slice(2)) as ValidatorId;
}
