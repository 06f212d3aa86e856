/**
 * A broker outside of the nodes, and its clients: accounts that register, rows of theirs, batches that validators are offered. A row that is
 * not charged in time is in another batch too. Full nodes are brokers of their own, which bring theirs to validators by frames (D27, D29).
 *
 *   register --final--> rows --sorted, signed--> batch --> one or two validators       copy with a false aggregate --> the liar
 *                                                     \--> a full node --batchOffer--> validators, in turn
 */
import {
  type BatchHeader,
  batchIdOf,
  columnsOf,
  encodeBatch,
  rowsRootOf,
  signersOf,
  stragglerMessage,
} from '@slipstream/distilled';
import type { PeerKey } from '@slipstream/ports';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import { EPOCH_MS, type SeededRandom } from '@slipstream/simulator';
import { registrationMessage, registrationsInOutput } from '@slipstream/types';
import { accountKeyOf, accountSignature } from '../accounts.ts';
import type { Cluster } from '../cluster.ts';
import type { AccountSigner } from '../scheme.ts';
import type { SentBatch, SentRow } from './batches.ts';
import type { Clients } from './clients.ts';
import type { Sent, WholeRecord } from './record.ts';

export interface Broker {
  /** No new rows; the open ones are still offered. */
  stop(): void;
  /** Offers of a batch with a false aggregate. */
  readonly forged: number;
  /** Ids of batches that a full node was to bring to a validator. */
  readonly forwarded: ReadonlySet<string>;
}

const BROKER = 'b'.repeat(64) as PeerKey;
const FALSE_BROKER = 'f'.repeat(64) as PeerKey;
/** The last ones register while rows of the others run. */
const REGISTER_AT_MS = [0, 0, 0, 100, 1_500, 3_000] as const;
const EVERY_MS = 150;
const AGAIN_MS = 1_500;
const LIFE_MS = 20_000;
/** Of one in three: it may expire in a chunk. */
const SHORT_LIFE_MS = 900;
const FEE_CAP = 1_000n;
/** Of an account: below the 64 that Z8 remembers. */
const OPEN_ROWS_MAX = 16;
const ROWS_MAX = 40;
const TOO_LARGE = 2n ** 62n;

interface Registered {
  readonly account: number;
  readonly index: number;
  readonly height: number;
  readonly signer: AccountSigner;
  sequence: number;
}

interface MadeBatch extends SentBatch {
  readonly bytes: Uint8Array;
  /** Undefined: no row needs an aggregate. */
  readonly falseCopy: Uint8Array | undefined;
}

export function startBroker(
  cluster: Cluster,
  record: WholeRecord,
  clients: Clients,
  random: SeededRandom,
  liar: number | undefined,
): Broker {
  const { simulation, members, honest, peer, node, nodes } = cluster;
  const fullNodes = nodes.map((_, index) => index).slice(members.length);
  const { batches } = record;
  const registering = new Map<number, { readonly sent: Sent; readonly signer: AccountSigner }>();
  const registered: Registered[] = [];
  const batchedMs = new Map<SentRow, number>();
  const forwarded = new Set<string>();
  let isStopped = false;
  let forged = 0;
  let number = 0;

  function register(account: number): void {
    const signer = cluster.scheme.accountSigner(account);
    const { blsKey } = signer;
    const message = registrationMessage(cluster.chain.genesisHash, accountKeyOf(account), blsKey);
    const proof = cluster.scheme.aggregate([signer.share(message)]);
    const actions = [{ kind: 'register', blsKey, proof }] as const;
    registering.set(account, { sent: clients.send({ account, actions }), signer });
  }

  function learn(): void {
    for (const [account, { sent, signer }] of registering) {
      const [index] = registrationsInOutput(record.receiptOf(sent.id)?.output ?? new Uint8Array(0)) ?? [];
      const place = record.places.get(sent.id);
      if (index === undefined || place === undefined) continue;
      registering.delete(account);
      registered.push({ account, index, height: place.height, signer, sequence: 0 });
    }
  }

  function makeRows(): void {
    const open = batches.open();
    for (const sender of registered) {
      const own = open.filter(({ from }) => from === sender.account).length;
      if (own >= OPEN_ROWS_MAX || random.chance(0.5)) continue;
      const recipient = random.pick(registered);
      const isTooLarge = random.below(8) === 0;
      sender.sequence += 1 + random.below(2);
      const row = {
        sender: sender.index,
        recipient: recipient.index,
        amount: isTooLarge ? TOO_LARGE : BigInt(random.below(1_000)),
        sequence: sender.sequence,
        tag: random.below(1_000),
      };
      batches.made({ row, from: sender.account, to: recipient.account, isTooLarge });
    }
  }

  function makeBatch(rows: readonly SentRow[], broker: PeerKey): MadeBatch {
    const named = registered.filter(({ account }) => rows.some(({ from, to }) => from === account || to === account));
    const newest = record.heightOf(peer(random.pick(honest)));
    const knownAt = Math.max(...named.map(({ height }) => height), newest - random.below(4));
    const lifeMs = random.below(3) === 0 ? SHORT_LIFE_MS : LIFE_MS;
    const expiryMs = Math.floor(EPOCH_MS + simulation.nowMs + lifeMs);
    return signed(cluster, rows, registered, random, { broker, number: number++, knownAt, expiryMs });
  }

  async function offer(bytes: Uint8Array, to: number, broker: PeerKey): Promise<string> {
    const { alive, running } = node(to);
    if (!alive || running === undefined) return 'down';
    // The node may stop meanwhile.
    return (
      (await record
        .node(peer(to))
        ?.offer(bytes, broker)
        .catch(() => 'down')) ?? 'down'
    );
  }

  async function offerTrue({ id, bytes }: MadeBatch, to: number, broker: PeerKey): Promise<void> {
    const answer = await offer(bytes, to, broker);
    if (answer === 'bad-signature' || answer === 'malformed') record.violated(`N7: ${id} is refused as ${answer}`);
  }

  async function offerFalse(bytes: Uint8Array, to: number, broker: PeerKey): Promise<void> {
    forged++;
    const answer = await offer(bytes, to, broker);
    if (answer === 'accepted' && to !== liar) record.violated('N7: an honest node takes a false aggregate');
  }

  function broker(): void {
    learn();
    if (!isStopped) makeRows();
    const { nowMs } = simulation;
    const due = batches
      .open()
      .filter((row) => nowMs - (batchedMs.get(row) ?? -AGAIN_MS) >= AGAIN_MS || random.below(8) === 0);
    if (due.length > 0) {
      const rows = due.slice(0, ROWS_MAX);
      for (const row of rows) batchedMs.set(row, nowMs);
      if (fullNodes.length > 0 && random.chance(0.4)) offerThrough(random.pick(fullNodes), rows);
      else offerToMembers(makeBatch(rows, BROKER), BROKER);
      if (random.below(8) === 0) offerOthers(rows);
    }
    simulation.schedule(EVERY_MS, broker);
  }

  function offerToMembers(batch: MadeBatch, broker: PeerKey): void {
    batches.sent(batch);
    const first = random.pick(members);
    for (const to of random.chance(0.4) ? [first, random.pick(members)] : [first]) void offerTrue(batch, to, broker);
    offerCopy(batch, broker);
  }

  function offerThrough(fullNode: number, rows: readonly SentRow[]): void {
    const broker = peer(fullNode);
    const batch = makeBatch(rows, broker);
    batches.sent(batch);
    forwarded.add(batch.id);
    void offerTrue(batch, fullNode, broker);
    offerCopy(batch, broker);
    if (random.below(8) === 0) void offerInOtherName(makeBatch(rows, BROKER), fullNode);
  }

  function offerCopy({ id, falseCopy }: MadeBatch, broker: PeerKey): void {
    if (liar === undefined || falseCopy === undefined) return;
    batches.forged(id);
    void offerFalse(falseCopy, liar, broker);
  }

  /** D27: a producer takes no batch whose header names another broker than the full node that sent it. */
  async function offerInOtherName({ bytes }: MadeBatch, fullNode: number): Promise<void> {
    const answer = await offer(bytes, fullNode, BROKER);
    if (answer === 'accepted') record.violated('N7: a full node brings a batch of another broker');
  }

  /** Of a broker that made it alone. */
  function offerOthers(rows: readonly SentRow[]): void {
    const { id, falseCopy } = makeBatch(rows, FALSE_BROKER);
    if (falseCopy === undefined) return;
    batches.forged(id);
    void offerFalse(falseCopy, random.pick([...members, ...fullNodes]), FALSE_BROKER);
  }

  for (const [account, afterMs] of REGISTER_AT_MS.entries()) simulation.schedule(afterMs, () => register(account));
  simulation.schedule(EVERY_MS, broker);
  return {
    stop() {
      isStopped = true;
    },
    get forged() {
      return forged;
    },
    forwarded,
  };
}

type HeaderForm = Pick<BatchHeader, 'broker' | 'number' | 'knownAt' | 'expiryMs'>;

/** One row in five by a straggler's signature. */
function signed(
  { chain: { genesisHash }, scheme }: Cluster,
  unsorted: readonly SentRow[],
  registered: readonly Registered[],
  random: SeededRandom,
  form: HeaderForm,
): MadeBatch {
  const rows = [...unsorted].sort((a, b) => a.row.sender - b.row.sender || a.row.sequence - b.row.sequence);
  const columns = columnsOf(rows.map(({ row }) => row));
  const root = rowsRootOf(columns);
  const header: BatchHeader = { kind: 'transfer', epoch: 0, feeCap: FEE_CAP, rows: rows.length, root, ...form };
  const terms = { expiryMs: form.expiryMs, feeCap: FEE_CAP };
  const stragglers = rows.flatMap(({ row, from }, position) => {
    if (random.below(5) > 0) return [];
    return [{ position, ...terms, signature: accountSignature(from, stragglerMessage(genesisHash, row, terms)) }];
  });
  const batchId = batchIdOf(genesisHash, header);
  const signers = [...signersOf({ rows: columns, stragglers })].map(
    (index) => registered.find((each) => each.index === index) as Registered,
  );
  const aggregateOf = (message: Uint8Array) => scheme.aggregate(signers.map(({ signer }) => signer.share(message)));
  const encoded = (message: Uint8Array) => {
    const aggregate = signers.length === 0 ? undefined : aggregateOf(message);
    return encodeBatch({ header, rows: columns, stragglers, aggregate });
  };
  const bytes = encoded(batchId);
  return {
    id: toHex(batchId),
    key: toHex(sha256(bytes)),
    bytes,
    falseCopy: signers.length === 0 ? undefined : encoded(sha256(utf8('another message'))),
    expiryMs: form.expiryMs,
    rows,
    alone: new Set(stragglers.map(({ position }) => position)),
  };
}
