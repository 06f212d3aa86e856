/** A test network: virtual time, a log in memory, signatures by keyed hash. Time advances only in `pass`. */
import { createCachedVerifier, createVerificationCache, VERIFICATION_CACHE_DEFAULTS } from '@slipstream/crypto';
import type { AccountSignature, Clock, Lane, PeerKey, PeerStatus, Random, Signer, Verifier } from '@slipstream/ports';
import { checkOneByOne, silentTelemetry } from '@slipstream/ports';
import { bytesEqual, concatBytes, sha256, toHex, uint32le } from '@slipstream/primitives';
import {
  type Action,
  addUnits,
  asId,
  type BlockId,
  type BlockReason,
  blockIdOf,
  type ChunkId,
  committeeOf,
  decodeFrame,
  ed25519Account,
  type Genesis,
  type GenesisHash,
  genesisBlock,
  NO_UNITS,
  OPERATORS_DECIDE,
  type Transaction,
  transactionCodec,
  transactionIdOf,
  type Units,
} from '@slipstream/types';
import { genesisMember, TEST_TIMES } from '../../../types/test/genesis-member.ts';
import {
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
import { START_MS } from './start-time.ts';

export { type BlockForm, block, FOREVER } from './blocks.ts';

export const GENESIS_HASH = asId<GenesisHash>(new Uint8Array(32).fill(7));
export const LIMITS: Units = [4_000_000, 100_000, 100_000, 1_000_000, 100_000];

export function peerKey(index: number): PeerKey {
  return toHex(new Uint8Array(32).fill(100 + index)) as PeerKey;
}

export const FULL_NODE = 'f'.repeat(64) as PeerKey;

export function genesisOf(members: number): Genesis {
  const prices = [0n, 0n, 0n, 0n, 0n];
  return {
    chain: 'test',
    timestampMs: START_MS - 1_000,
    development: true,
    members: Array.from({ length: members }, (_, index) =>
      genesisMember(index, {
        weight: 1,
        blsPublicKey: new Uint8Array(48).fill(index),
        peerKey: peerKey(index),
      }),
    ),
    allocations: [],
    generated: { seed: new Uint8Array(32), count: 0, balance: 0n },
    fees: { initialPrices: prices, minimumPrices: prices, targets: NO_UNITS, limits: LIMITS, windowBlocks: 100 },
    times: TEST_TIMES,
    state: { history: 4, deadPercent: 100, deadBytesMin: 65_536, deadBytesMax: 16_777_216, moveBytesMax: 1000 },
    trustedIssuers: [],
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

export function accountSignature(publicKey: Uint8Array, message: Uint8Array): Uint8Array {
  const half = sha256(concatBytes(publicKey, message));
  return concatBytes(half, half);
}

export function memberSignature(index: number, message: Uint8Array): Uint8Array {
  const part = sha256(concatBytes(uint32le(index), message));
  return concatBytes(part, part, part, part, part, part);
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
  nowMs(): number;
}

export interface TestNetworkOptions {
  readonly members?: number;
  readonly limits?: Partial<DisseminationLimits>;
  readonly overrides?: Partial<DisseminationComponents>;
  readonly fetchChunk?: FetchChunk;
}

export async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

export function createTestNetwork(options: TestNetworkOptions = {}): TestNetwork {
  const members = options.members ?? 4;
  const genesis = genesisOf(members);
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

  function deliver(from: PeerKey, to: PeerKey, frame: Uint8Array): boolean {
    const node = nodes.get(to);
    if (!node || cuts.has(`${from} ${to}`)) return false;
    if (losses.has(`${from} ${to}`)) return true;
    inFlight.push(() => receive(node.dissemination, from, frame));
    return true;
  }

  function makeNode(memberIndex: number | undefined): Node {
    const peer = memberIndex === undefined ? FULL_NODE : peerKey(memberIndex);
    const isCut = (a: PeerKey, b: PeerKey) => cuts.has(`${a} ${b}`);
    const parts = nodeParts(peer, memberIndex, { clock, nodes, deliver, isCut });
    const components: DisseminationComponents = {
      ...parts.components,
      ...(options.fetchChunk ? { fetchChunk: options.fetchChunk } : {}),
      ...options.overrides,
    };
    const dissemination = createDissemination(components, {
      genesis,
      genesisHash: GENESIS_HASH,
      committee: committeeOf(genesis),
      memberIndex,
      firstSequence: 1,
      hashKey: new Uint8Array(8),
      // Verify certificates at once by default.
      limits: { certificateDeferMs: 0, ...options.limits },
    });
    return { ...parts.node, dissemination, peer };
  }

  for (let i = 0; i < members; i++) nodes.set(peerKey(i), makeNode(i));
  nodes.set(FULL_NODE, makeNode(undefined));

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
    nowMs: () => START_MS + now,
  };
}

function receive(node: Dissemination, from: PeerKey, frame: Uint8Array): void {
  const decoded = decodeFrame(frame);
  if (!decoded.ok) return;
  if (decoded.value.name === 'transactions') void node.onTransactions(from, frame);
  if (decoded.value.name === 'chunk') void node.onChunk(from, frame);
  if (decoded.value.name === 'chunkAck') node.onChunkAck(from, frame);
  if (decoded.value.name === 'chunkCertified') void node.onChunkCertified(from, frame);
}

interface Surroundings {
  readonly clock: Clock;
  readonly nodes: ReadonlyMap<PeerKey, Node>;
  deliver(from: PeerKey, to: PeerKey, frame: Uint8Array): boolean;
  isCut(a: PeerKey, b: PeerKey): boolean;
}

function nodeParts(peer: PeerKey, memberIndex: number | undefined, { clock, nodes, deliver, isCut }: Surroundings) {
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
    signer: memberIndex === undefined ? undefined : fakeSigner(memberIndex),
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

function fakeSigner(memberIndex: number): Signer {
  return {
    publicKey: new Uint8Array(48).fill(memberIndex),
    sign: async (messages) => messages.map((message) => memberSignature(memberIndex, message)),
  };
}

export function fakeVerifier(seen: (batch: readonly AccountSignature[]) => void): Verifier {
  const single: Pick<Verifier, 'checkVote' | 'checkCertificate' | 'checkAggregate'> = {
    checkVote: async ({ message, signer, signature }) => bytesEqual(signature, memberSignature(signer, message)),
    checkCertificate: async ({ message, aggregate }) => bytesEqual(aggregate, fakeAggregate(message)),
    checkAggregate: async ({ message, aggregate }) => bytesEqual(aggregate, fakeAggregate(message)),
  };
  return {
    checkQuorum: async ({ message, votes }) => {
      const bad = votes.filter(({ signer, signature }) => !bytesEqual(signature, memberSignature(signer, message)));
      const offenders = bad.map(({ signer }) => signer);
      const verified = votes.map(({ signer }) => signer).filter((signer) => !offenders.includes(signer));
      const aggregate = bad.length === 0 ? fakeAggregate(message) : undefined;
      return { aggregate, offenders, verified, checks: 1, tookMs: 0 };
    },
    ...single,
    checkBatch: (batch, priority) => checkOneByOne(single, batch, priority),
    checkAccounts: async (batch) => {
      seen(batch);
      return batch.map(({ publicKey, message, signature }) =>
        bytesEqual(signature, accountSignature(publicKey, message)),
      );
    },
  };
}

export function fakeAggregate(message: Uint8Array): Uint8Array {
  const part = sha256(message);
  return concatBytes(part, part, part);
}
