/** A test network: virtual time, a log in memory, signatures by keyed hash. Time advances only in `pass`. */
import { createCachedVerifier, createVerificationCache, VERIFICATION_CACHE_DEFAULTS } from '@slipstream/crypto';
import type { AccountSignature, Clock, Lane, PeerKey, PeerStatus, Random } from '@slipstream/ports';
import { silentTelemetry } from '@slipstream/ports';
import { sha256, toHex, uint32le } from '@slipstream/primitives';
import {
  type Action,
  addUnits,
  asId,
  type BlockId,
  type BlockReason,
  blockIdOf,
  type ChunkId,
  ed25519Account,
  epoch,
  type Genesis,
  type GenesisHash,
  type GenesisMember,
  genesisBlock,
  NO_UNITS,
  OPERATORS_DECIDE,
  recordOfGenesis,
  type Transaction,
  transactionCodec,
  transactionIdOf,
  type Units,
} from '@slipstream/types';
import { genesisMember, TEST_TIMES } from '../../../types/test/genesis-member.ts';
import {
  type AckMode,
  type AttestedChunk,
  type ChunkEquivocation,
  createDissemination,
  createHedgedFetch,
  type Dissemination,
  type DisseminationComponents,
  type DisseminationLimits,
  type FetchChunk,
} from '../../src/index.ts';
import { createFakeLog } from './fake-log.ts';
import { accountSignature, fakeSigner, fakeVerifier } from './fake-signatures.ts';
import { createNodeEpochs, type NodeEpochs } from './node-epochs.ts';
import { receive } from './receive.ts';
import { START_MS } from './start-time.ts';

export { type BlockForm, block, FOREVER } from './blocks.ts';
export { accountSignature, fakeAggregate, fakeVerifier, memberSignature } from './fake-signatures.ts';

export const GENESIS_HASH = asId<GenesisHash>(new Uint8Array(32).fill(7));
export const LIMITS: Units = [4_000_000, 100_000, 100_000, 1_000_000, 100_000];

export function peerKey(index: number): PeerKey {
  return toHex(new Uint8Array(32).fill(100 + index)) as PeerKey;
}

export const FULL_NODE = 'f'.repeat(64) as PeerKey;

export function memberOf(node: number): GenesisMember {
  return genesisMember(node, { weight: 1, blsPublicKey: new Uint8Array(48).fill(node), peerKey: peerKey(node) });
}

export function genesisOf(members: number): Genesis {
  const prices = [0n, 0n, 0n, 0n, 0n];
  return {
    chain: 'test',
    timestampMs: START_MS - 1_000,
    development: true,
    members: Array.from({ length: members }, (_, index) => memberOf(index)),
    allocations: [],
    generated: { seed: new Uint8Array(32), count: 0, balance: 0n },
    fees: { initialPrices: prices, minimumPrices: prices, targets: NO_UNITS, limits: LIMITS, windowBlocks: 100 },
    times: TEST_TIMES,
    state: { history: 4, deadPercent: 100, deadBytesMin: 65_536, deadBytesMax: 16_777_216, moveBytesMax: 1000 },
    trustedIssuers: [],
    leaderReputation: false,
    governance: OPERATORS_DECIDE,
  };
}

/** Bandwidth, and ten of every other dimension per action. */
export function unitsOf(transaction: Transaction | undefined, bytes: number): Units {
  const actions = transaction?.body.actions.length ?? 0;
  return addUnits([bytes, 0, 0, 0, 0], [0, 10 * actions, 10 * actions, 10 * actions, 10 * actions]);
}

export function publicKeyOf(account: number): Uint8Array {
  return sha256(uint32le(account));
}

/** An account whose home is this member; `nth` selects among several. */
export function accountOf(member: number, nth = 0, members = 4): number {
  let left = nth;
  for (let account = 1; ; account++) {
    const key = publicKeyOf(account);
    const first = new DataView(key.buffer, key.byteOffset).getUint32(0, true);
    if (first % members === member && left-- === 0) return account;
  }
}

let salts = 0;

const HOME_0 = accountOf(0);

export interface TransactionForm {
  /** Default: an account whose home is member 0 of 4. */
  readonly from?: number;
  readonly expiryMs?: number;
  readonly maxFee?: bigint;
  readonly genesisHash?: GenesisHash;
  readonly badSignature?: boolean;
  readonly salt?: number;
  readonly actions?: readonly Action[];
  readonly dataBytes?: number;
}

export function transaction(form: TransactionForm = {}): Uint8Array {
  const salt = new Uint8Array(8);
  new DataView(salt.buffer).setUint32(0, form.salt ?? ++salts);
  const sender = publicKeyOf(form.from ?? HOME_0);
  const body = {
    genesisHash: form.genesisHash ?? GENESIS_HASH,
    sender: ed25519Account(sender),
    expiryMs: form.expiryMs ?? START_MS + 30_000,
    salt,
    maxFee: form.maxFee ?? 0n,
    actions: form.actions ?? [{ kind: 'setData', name: 'n', value: new Uint8Array(form.dataBytes ?? 0) } as const],
  };
  const signature = form.badSignature ? new Uint8Array(64) : accountSignature(sender, transactionIdOf(body));
  return transactionCodec.encode({ body, auth: { scheme: 'ed25519', signature } });
}

export function idOf(bytes: Uint8Array): string {
  const decoded = transactionCodec.decode(bytes);
  return decoded.ok ? toHex(transactionIdOf(decoded.value.body)) : '';
}

export interface Node {
  readonly dissemination: Dissemination;
  readonly peer: PeerKey;
  readonly log: { readonly kind: string; readonly payload: Uint8Array }[];
  readonly sent: { readonly to: PeerKey; readonly lane: Lane; readonly frame: Uint8Array; readonly logged: number }[];
  readonly offences: { readonly peer: PeerKey; readonly reason: BlockReason; readonly detail: string }[];
  readonly evidence: ChunkEquivocation[];
  readonly pending: boolean[];
  readonly attested: AttestedChunk[];
  readonly failures: unknown[];
  readonly checked: readonly AccountSignature[][];
  /** Blocks syncs until the returned function is called. */
  holdSyncs(): () => void;
  /** The next epoch's record is certified here. */
  seal(): void;
  /** This node takes the next epoch's committee. `endedMs`: of the last block; default: now. */
  move(endedMs?: number): void;
}

export interface TestNetwork {
  readonly genesis: Genesis;
  readonly genesisId: BlockId;
  readonly node: (index: number) => Node;
  readonly fullNode: Node;
  /** Also lets promises settle. */
  pass(ms?: number): Promise<void>;
  cut(a: PeerKey, b: PeerKey): void;
  /** One direction only; both peers stay connected. */
  lose(from: PeerKey, to: PeerKey): void;
  heal(): void;
  /** From its log, in the epoch that it was in. */
  restart(index: number): Promise<Node>;
  nowMs(): number;
}

export interface TestNetworkOptions {
  readonly members?: number;
  /** Node numbers in the order of the committee, for each epoch. The first is of genesis; default: the only one. */
  readonly committees?: readonly (readonly number[])[];
  readonly limits?: Partial<DisseminationLimits>;
  readonly acks?: AckMode;
  readonly genesis?: Partial<Genesis>;
  /** Of a block, by epoch. Default: those of genesis. */
  readonly unitLimits?: readonly (Units | undefined)[];
  /** Hashes of artifacts, by epoch. Default: none. */
  readonly applications?: readonly (readonly Uint8Array[])[];
  readonly overrides?: Partial<DisseminationComponents> | ((peer: PeerKey) => Partial<DisseminationComponents>);
  readonly fetchChunk?: FetchChunk;
}

export async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

export function createTestNetwork(options: TestNetworkOptions = {}): TestNetwork {
  const members = options.members ?? 4;
  const genesis = { ...genesisOf(members), ...options.genesis };
  const committees = options.committees ?? [genesis.members.map((_, index) => index)];
  const records = committees.map((numbers, at) => {
    const fees = { ...genesis.fees, limits: options.unitLimits?.[at] ?? genesis.fees.limits };
    const { parameters, ...record } = recordOfGenesis({ ...genesis, fees, members: numbers.map(memberOf) });
    const applications = options.applications?.[at] ?? [];
    return { ...record, parameters: { ...parameters, applications }, epoch: epoch(at) };
  });
  let now = 0;
  let timers: { at: number; action: () => void }[] = [];
  const clock: Clock = {
    wallMs: () => START_MS + now,
    monotonicMs: () => now,
    after(delayMs, action) {
      const timer = { at: now + delayMs, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  const cuts = new Set<string>();
  const losses = new Set<string>();
  const nodes = new Map<PeerKey, Node>();
  const inFlight: (() => void)[] = [];
  const epochsOf = new Map<PeerKey, NodeEpochs>();

  function deliver(from: PeerKey, to: PeerKey, frame: Uint8Array): boolean {
    const node = nodes.get(to);
    if (!node || cuts.has(`${from} ${to}`)) return false;
    if (losses.has(`${from} ${to}`)) return true;
    inFlight.push(() => receive((nodes.get(to) as Node).dissemination, from, frame));
    return true;
  }

  function makeNode(peer: PeerKey, epochs = createNodeEpochs(records, peer)): Node {
    const isCut = (a: PeerKey, b: PeerKey) => cuts.has(`${a} ${b}`);
    const parts = nodeParts(peer, epochs, { clock, nodes, deliver, isCut });
    const components: DisseminationComponents = {
      ...parts.components,
      ...(options.fetchChunk ? { fetchChunk: options.fetchChunk } : {}),
      ...(typeof options.overrides === 'function' ? options.overrides(peer) : options.overrides),
    };
    const dissemination = createDissemination(components, {
      genesis,
      genesisHash: GENESIS_HASH,
      firstSequence: 1,
      hashKey: new Uint8Array(8),
      acks: options.acks ?? 'always',
      // Verify certificates at once by default.
      limits: { certificateDeferMs: 0, ...options.limits },
    });
    const seal = () => dissemination.sealed(epochs.nextRecord());
    const move = (endedMs = clock.wallMs()) => {
      epochs.move(endedMs);
      dissemination.moved();
    };
    epochsOf.set(peer, epochs);
    return { ...parts.node, dissemination, peer, seal, move };
  }

  async function restart(index: number): Promise<Node> {
    const peer = peerKey(index);
    const { log, dissemination } = nodes.get(peer) as Node;
    dissemination.stop();
    const node = makeNode(peer, epochsOf.get(peer));
    nodes.set(peer, node);
    for (const [at, { kind, payload }] of [...log].entries()) {
      if (kind === 'own-chunk-header') node.dissemination.restoreOwnHeader(payload, at + 1, 0);
      if (kind === 'chunk') node.dissemination.restoreChunk(payload, at + 1, 0);
    }
    node.log.push(...log);
    node.dissemination.restored();
    await pass();
    return node;
  }

  for (let i = 0; i <= Math.max(...committees.flat()); i++) nodes.set(peerKey(i), makeNode(peerKey(i)));
  nodes.set(FULL_NODE, makeNode(FULL_NODE));

  async function pass(ms = 0): Promise<void> {
    const end = now + ms;
    for (;;) {
      await settle();
      const frames = inFlight.splice(0);
      for (const frame of frames) frame();
      if (frames.length > 0) continue;
      const due = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      timers = timers.filter((timer) => timer !== due);
      now = Math.max(now, due.at);
      due.action();
    }
    now = end;
  }

  return {
    genesis,
    genesisId: blockIdOf(genesisBlock(GENESIS_HASH, genesis.timestampMs)),
    node: (index) => nodes.get(peerKey(index)) as Node,
    fullNode: nodes.get(FULL_NODE) as Node,
    pass,
    cut(a, b) {
      cuts.add(`${a} ${b}`);
      cuts.add(`${b} ${a}`);
    },
    lose: (from, to) => void losses.add(`${from} ${to}`),
    heal() {
      cuts.clear();
      losses.clear();
    },
    restart,
    nowMs: () => START_MS + now,
  };
}

interface Surroundings {
  readonly clock: Clock;
  readonly nodes: ReadonlyMap<PeerKey, Node>;
  deliver(from: PeerKey, to: PeerKey, frame: Uint8Array): boolean;
  isCut(a: PeerKey, b: PeerKey): boolean;
}

function nodeParts(peer: PeerKey, epochs: NodeEpochs, { clock, nodes, deliver, isCut }: Surroundings) {
  const node = {
    log: [] as { kind: string; payload: Uint8Array }[],
    sent: [] as { to: PeerKey; lane: Lane; frame: Uint8Array; logged: number }[],
    offences: [] as Node['offences'],
    evidence: [] as ChunkEquivocation[],
    pending: [] as boolean[],
    attested: [] as AttestedChunk[],
    failures: [] as unknown[],
    checked: [] as AccountSignature[][],
  };
  let gate: Promise<void> = Promise.resolve();
  let synced = 0;
  const holdSyncs = () => {
    let open: () => void = () => undefined;
    gate = new Promise((resolve) => {
      open = resolve;
    });
    return open;
  };
  const others = () => [...nodes.keys()].filter((other) => other !== peer);
  const send = (to: PeerKey, lane: Lane, frame: Uint8Array) => {
    node.sent.push({ to, lane, frame, logged: synced });
    return deliver(peer, to, frame);
  };
  /** A disconnected peer never answers. */
  function askNode(other: PeerKey, chunkId: ChunkId, signal: AbortSignal): Promise<Uint8Array | undefined> {
    if (!isCut(other, peer)) return (nodes.get(other) as Node).dissemination.chunkById(chunkId);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }
  const components: DisseminationComponents = {
    verifier: createCachedVerifier(
      fakeVerifier((batch) => node.checked.push([...batch])),
      createVerificationCache({ ...VERIFICATION_CACHE_DEFAULTS, entriesMax: 256, hashKey: new Uint8Array(16) }),
    ),
    epochs,
    signerOf(epoch) {
      const index = epochs.self(epoch);
      return index === undefined ? undefined : fakeSigner(index);
    },
    wal: createFakeLog(
      (kind, payload) => node.log.push({ kind, payload }),
      async () => {
        const upTo = node.log.length;
        await gate;
        synced = Math.max(synced, upTo);
      },
    ),
    transport: {
      send,
      broadcast: (lane, frame) => others().forEach((to) => void send(to, lane, frame)),
      peers: () => others().map((other) => ({ ...peerStatus(other), connected: !isCut(other, peer) })),
    },
    clock,
    telemetry: silentTelemetry,
    rules: { unitsOf, feeOf: (units) => BigInt(units[1] as number) * 0n },
    reports: {
      offence: (from, reason, detail) => void node.offences.push({ peer: from, reason, detail }),
      equivocation: (evidence) => void node.evidence.push(evidence),
      attested: (chunk) => void node.attested.push(chunk),
      failed: (cause) => void node.failures.push(cause),
      pendingChanged: (pending) => void node.pending.push(pending),
    },
    fetchChunk: createHedgedFetch({
      transport: { peers: () => others().map((other) => peerStatus(other)) },
      clock,
      random: FAKE_RANDOM,
      ask: (other, chunkId, signal) => askNode(other, chunkId, signal),
    }),
  };
  return { components, node: { ...node, holdSyncs } };
}

const FAKE_RANDOM: Random = { bytes: (length) => new Uint8Array(length), below: () => 0, unit: () => 0 };

function peerStatus(peer: PeerKey): PeerStatus {
  const counts = { bytesIn: 0, bytesOut: 0, framesIn: 0, framesOut: 0, framesDropped: 0, queuedBytes: 0 };
  const role = peer === FULL_NODE ? 'full-node' : 'validator';
  return { peer, connected: true, blocked: false, address: undefined, role, roundTripMs: undefined, ...counts };
}
