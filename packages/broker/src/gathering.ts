/**
 * Gathering: from the rows of a window to a signed batch.
 *
 *   rows --> header to each client --shares, or time is over--> one sum --> each sender: in the aggregate,
 *             ^                                                              or a straggler,
 *             '---- the others, in another batch <---- or dropped: nothing else holds its row
 *
 * A share is of a header, so a dropped row costs the others a round (Q7). Rounds are bounded, and later ones are of halves.
 */
import { type Batch, encodeBatch, stragglerMessage } from '@slipstream/distilled';
import type { RowReason, Share } from '@slipstream/distilled/stream';
import type { PeerKey } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import { rowsForBatch } from './batch-rows.ts';
import type { BrokerComponents, IndexedShare, Session } from './components.ts';
import { headerMessage } from './header-message.ts';
import { areMostLate, createLateShares, type LateBatch } from './late-shares.ts';
import { BATCH_LIFE_MS, type BrokerLimits, SHARE_WAIT_LATE_MS, SPLIT_ROUND } from './limits.ts';
import { type OpenBatch, openBatch } from './open-batch.ts';
import { patiently } from './patiently.ts';
import type { Penalties } from './penalties.ts';
import type { RoundTrips } from './round-trips.ts';
import type { RowEntry } from './row-entry.ts';

export interface SignedBatch {
  readonly batch: Batch;
  readonly bytes: Uint8Array;
  readonly open: OpenBatch;
  /** Monotonic. */
  readonly sinceMs: number;
}

export interface Gathering {
  begin(entries: readonly RowEntry[]): void;
  share(session: Session, share: Share): void;
  /** Its shares are not waited for. */
  left(session: Session): void;
  /** Under way. */
  readonly batches: number;
  /** Rows under way; nothing is made of them any more. */
  stop(): readonly RowEntry[];
}

interface GatheringParts extends Pick<BrokerComponents, 'clock' | 'telemetry' | 'chain' | 'checks'> {
  readonly genesisHash: GenesisHash;
  readonly broker: PeerKey;
  readonly limits: Pick<BrokerLimits, 'roundsMax'>;
  readonly penalties: Penalties;
  readonly roundTrips: RoundTrips;
  drop(entries: readonly RowEntry[], reason: RowReason): void;
  signed(batch: SignedBatch): void;
}

interface Asking extends LateBatch {
  readonly sinceMs: number;
  /** From 1. */
  readonly round: number;
  /** They have the header. One that it cut off, as it does not read, is not to blame for its share. */
  readonly shown: ReadonlySet<Session>;
  readonly shares: Map<Session, IndexedShare>;
  cancel: () => void;
}

export function createGathering(parts: GatheringParts): Gathering {
  const { clock, telemetry, chain, roundTrips } = parts;
  const asking = new Map<string, Asking>();
  /** Being checked. */
  const checking = new Set<OpenBatch>();
  const overdue = createLateShares<Asking>(parts);
  // Batches of one node have distinct numbers over its restarts.
  let number = clock.wallMs();
  let isStopped = false;

  /** Comes from timers: a fault in one batch must not end the node. */
  function begin(given: readonly RowEntry[], round: number): void {
    try {
      ask(given, round);
    } catch (error) {
      telemetry.log('error', 'a batch could not begin, its rows go back', { error: String(error) });
      parts.drop(given, 'not-ready');
    }
  }

  function ask(given: readonly RowEntry[], round: number): void {
    const view = chain();
    if (view === undefined) return parts.drop(given, 'not-ready');
    const expiryMs = clock.wallMs() + BATCH_LIFE_MS;
    const { entries, lost } = rowsForBatch(given, { ...view, expiryMs });
    for (const { reason, entries: of } of lost) parts.drop(of, reason);
    if (entries.length === 0) return;
    const open = openBatch(entries, view, { ...parts, number: number++, expiryMs });
    const waitMs = roundTrips.shareWaitMs();
    for (const [session, positions] of open.positions) session.send(headerMessage(open, positions, waitMs));
    telemetry.count('broker_windows');
    telemetry.count('broker_rows_gathered', entries.length);
    const shown = new Set([...open.asked.keys()].filter(({ isOpen }) => isOpen));
    const one: Asking = {
      open,
      sinceMs: clock.monotonicMs(),
      round,
      shown,
      waiting: new Set(shown),
      shares: new Map(),
      isLate: false,
      cancel: clock.after(waitMs, () => timeIsOver(one, waitMs)),
    };
    asking.set(open.name, one);
    if (one.waiting.size === 0) finish(one);
  }

  const mayVolunteer = (one: Asking, session: Session) =>
    asking.has(one.open.name) && isVolunteer(one, session, parts.penalties);

  function share(session: Session, { batchId, without, signature }: Share): void {
    const name = toHex(batchId);
    const one = asking.get(name) ?? overdue.find(name);
    // The share is of a batch long ago, or a second one.
    if (one === undefined || !(one.waiting.delete(session) || mayVolunteer(one, session))) return;
    const excluded = new Set(without);
    const indices = (one.open.covered.get(session) ?? new Uint32Array()).filter((index) => !excluded.has(index));
    // A share for no sender takes no time to sign, so its round trip is no sample.
    if (indices.length > 0) roundTrips.record(session, clock.monotonicMs() - one.sinceMs);
    if (!asking.has(name)) return telemetry.count('broker_shares_late');
    if (indices.length > 0) one.shares.set(session, { indices, signature });
    if (one.waiting.size === 0) finish(one);
  }

  function timeIsOver(one: Asking, waitedMs: number): void {
    if (!overdue.mayWait(one)) return finish(one);
    telemetry.count('broker_late_waits');
    one.cancel = clock.after(SHARE_WAIT_LATE_MS - waitedMs, () => finish(one));
  }

  function finish(one: Asking): void {
    one.cancel();
    asking.delete(one.open.name);
    one.isLate = areMostLate(one);
    overdue.add(one);
    checking.add(one.open);
    conclude(one, parts)
      .then(({ lost, signed }) => {
        if (isStopped) return;
        for (const { reason, entries } of lost) parts.drop(entries, reason);
        if (signed !== undefined) return parts.signed({ ...signed, sinceMs: one.sinceMs });
        beginAgain(one);
      })
      .catch((error: unknown) => {
        telemetry.log('warn', 'a batch could not be checked, its rows go back', { error: String(error) });
        parts.drop(one.open.entries, 'not-ready');
      })
      .finally(() => checking.delete(one.open));
  }

  function beginAgain({ open, round }: Asking): void {
    const left = open.entries.filter(({ isDone }) => !isDone);
    if (round >= parts.limits.roundsMax) return parts.drop(left, 'share-missing');
    const groups = round + 1 >= SPLIT_ROUND ? halvesOf(left) : [left];
    for (const group of groups) begin(group, round + 1);
  }

  return {
    begin: (entries) => begin(entries, 1),
    share,
    left(session) {
      for (const one of [...asking.values()]) {
        if (one.waiting.delete(session) && one.waiting.size === 0) finish(one);
      }
      overdue.left(session);
    },
    get batches() {
      return asking.size + checking.size;
    },
    stop() {
      isStopped = true;
      const opened = [...[...asking.values()].map(({ open }) => open), ...checking];
      for (const { cancel } of asking.values()) cancel();
      asking.clear();
      return opened.flatMap(({ entries }) => entries);
    },
  };
}

/** It is not asked, as its rows need no share, and is not waited for. A false share would cost pairings. */
function isVolunteer({ open, shown, shares }: Asking, session: Session, { wasFalse }: Penalties): boolean {
  return !shown.has(session) && !shares.has(session) && open.covered.get(session)?.some(wasFalse) === false;
}

/** In the order of a batch; rows of a sender stay together. */
function halvesOf(entries: readonly RowEntry[]): readonly (readonly RowEntry[])[] {
  const { sender } = entries[entries.length >> 1]?.row ?? {};
  const border = entries.findIndex(({ row }) => row.sender === sender);
  // The middle sender may be the first.
  const at = border > 0 ? border : entries.findIndex(({ row }) => row.sender !== sender);
  return at > 0 ? [entries.slice(0, at), entries.slice(at)] : [entries];
}

interface Conclusion {
  readonly lost: readonly { readonly reason: RowReason; readonly entries: readonly RowEntry[] }[];
  /** Undefined: rows were lost, so what is left needs another header. */
  readonly signed: Omit<SignedBatch, 'sinceMs'> | undefined;
}

async function conclude(one: Asking, parts: GatheringParts): Promise<Conclusion> {
  const { open, shares, shown } = one;
  const { checks, penalties, telemetry } = parts;
  const given = [...shares.values()];
  const sum = given.length === 0 ? undefined : await patiently(parts.clock, () => checks.shares(open.batchId, given));
  const isGood = new Set(given.flatMap(({ indices }, i) => (sum?.good[i] === true ? [...indices] : [])));
  const isFalse = new Set(given.flatMap(({ indices }, i) => (sum?.good[i] === true ? [] : [...indices])));
  const asked = new Set([...shown].flatMap((session) => [...(open.asked.get(session) ?? [])]));
  telemetry.count('broker_shares', isGood.size, { kind: 'good' });
  telemetry.count('broker_shares', isFalse.size, { kind: 'false' });
  const missing = [...asked].filter((sender) => !isGood.has(sender) && !isFalse.has(sender));
  telemetry.count('broker_shares', missing.length, { kind: 'missing' });
  for (const sender of isFalse) penalties.falseShare(sender);
  if (!one.isLate) for (const sender of missing) penalties.shareFault(sender);

  // A good share also stands for senders that need none (Q8): they are signed for, so that leaving them out would make it false.
  const alone = open.entries.filter(({ row }) => !isGood.has(row.sender));
  const bare = alone.filter(({ straggler }) => straggler === undefined);
  let forged = await falseStragglers(alone, parts);
  // Before another round, those of all: none of them may cost a third.
  if (bare.length + forged.length > 0) forged = [...forged, ...(await falseStragglers(open.entries, parts, forged))];
  for (const { row } of forged) penalties.falseStraggler(row.sender);
  for (const entry of alone) if (entry.isVerified) entry.isAlone = true;
  if (bare.length + forged.length > 0) {
    const lost = [
      { reason: 'share-false', entries: bare.filter(({ row }) => isFalse.has(row.sender)) },
      { reason: 'share-missing', entries: bare.filter(({ row }) => !isFalse.has(row.sender)) },
      { reason: 'false-straggler', entries: forged },
    ] as const;
    return { lost, signed: undefined };
  }
  telemetry.count('broker_stragglers', alone.length);
  const batch: Batch = {
    header: open.header,
    rows: open.rows,
    stragglers: stragglersOf(open, isGood),
    aggregate: sum?.aggregate,
  };
  return { lost: [], signed: { batch, bytes: encodeBatch(batch), open } };
}

/** Of these, but for those whose signature held before, and `known` ones. */
async function falseStragglers(
  entries: readonly RowEntry[],
  parts: GatheringParts,
  known: readonly RowEntry[] = [],
): Promise<readonly RowEntry[]> {
  const isKnown = new Set(known);
  const suspects = entries.filter((entry) => entry.straggler && !entry.isVerified && !isKnown.has(entry));
  const holds = await patiently(parts.clock, () => checkStragglers(suspects, parts));
  for (const [i, entry] of suspects.entries()) entry.isVerified = holds[i] === true;
  return suspects.filter(({ isVerified }) => !isVerified);
}

/** One answer each, in order. */
export async function checkStragglers(
  entries: readonly RowEntry[],
  { checks, genesisHash }: Pick<GatheringParts, 'checks' | 'genesisHash'>,
): Promise<readonly boolean[]> {
  if (entries.length === 0) return [];
  const signatures = entries.map(({ account, row, straggler }) => ({
    publicKey: account.state?.publicKey ?? NO_KEY,
    message: straggler === undefined ? NO_KEY : stragglerMessage(genesisHash, row, straggler),
    signature: straggler?.signature ?? NO_KEY,
  }));
  return checks.stragglers(signatures);
}

/** No signature holds under it. */
const NO_KEY = new Uint8Array(32);

function stragglersOf({ entries }: OpenBatch, isGood: ReadonlySet<number>): Batch['stragglers'] {
  return entries.flatMap(({ row, straggler }, position) =>
    straggler !== undefined && !isGood.has(row.sender) ? [{ ...straggler, position }] : [],
  );
}
