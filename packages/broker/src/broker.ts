/**
 * Broker of distilled batches (broker.md): a state machine over ports, one per node.
 *
 *   streams --login--> accounts      rows --intake--> windows --> gathering --> offers --> outcomes
 *
 * It trusts no client and is trusted by none: a batch stands on its own signatures (distilled.md).
 */
import type { RowReason, Terms } from '@slipstream/distilled/stream';
import type { PeerKey } from '@slipstream/ports';
import type { GenesisHash } from '@slipstream/types';
import { createAccountTable } from './account-table.ts';
import type { BrokerComponents, Carrier, ChainView, CommittedBlock, Session } from './components.ts';
import { createGathering } from './gathering.ts';
import { giveBack } from './give-back.ts';
import { createIntake } from './intake.ts';
import { createKnownAddresses } from './known-addresses.ts';
import { BATCH_LIFE_MS, BROKER_LIMITS, type BrokerLimits } from './limits.ts';
import { createLogins } from './login.ts';
import { createOffers } from './offers.ts';
import { createPenalties } from './penalties.ts';
import { createRoundTrips } from './round-trips.ts';
import type { RowEntry } from './row-entry.ts';
import { type ClientStream, createClientStream } from './session.ts';
import { createUnsentBytes } from './unsent-bytes.ts';
import { createWaitingStreams } from './waiting-streams.ts';
import { createWindow } from './window.ts';

export interface BrokerStats {
  readonly sessions: number;
  readonly indices: number;
  /** In flight. */
  readonly rows: number;
  /** Waiting for the end of a window. */
  readonly waiting: number;
  /** Waiting for shares, or being checked. */
  readonly gathering: number;
  /** Without an outcome yet. */
  readonly offered: number;
  readonly offeredBytes: number;
  readonly roundTripP95Ms: number;
}

export interface Broker {
  /** Undefined: too many streams. `address`: who pays for its login. */
  open(carrier: Carrier, address: string): Pick<ClientStream, 'message' | 'closed' | 'end'> | undefined;
  committed(block: CommittedBlock): void;
  stats(): BrokerStats;
  /** Gives rows back, and ends all streams. Idempotent. */
  stop(): void;
}

interface BrokerOptions {
  readonly genesisHash: GenesisHash;
  /** Of this node: batches name it. */
  readonly broker: PeerKey;
  readonly limits?: Partial<BrokerLimits>;
}

export function createBroker(
  components: BrokerComponents,
  { genesisHash, broker, limits: given }: BrokerOptions,
): Broker {
  const { clock } = components;
  const limits = { ...BROKER_LIMITS, ...given };
  const base = { ...components, genesisHash, broker, limits };
  const accounts = createAccountTable(base);
  const penalties = createPenalties(clock);
  const roundTrips = createRoundTrips();
  const known = createKnownAddresses();
  const waiting = createWaitingStreams(limits, known);
  const streams = new Set<ClientStream>();
  const indicesOf = new Map<ClientStream, Set<number>>();
  const streamOf = new Map<Session, ClientStream>();
  let termsSent = '';
  let isStopped = false;

  const gathering = createGathering({ ...base, penalties, roundTrips, drop, signed: (batch) => offers.add(batch) });
  const windows = { signed: createWindow(clock, gathering.begin), bare: createWindow(clock, gathering.begin) };
  const offers = createOffers({ ...components, drop, again: (entries) => entries.forEach(taken), done });
  const login = createLogins({ ...base, table: accounts, known });
  const rows = createIntake({ ...base, accounts, penalties, taken });

  /** Q4: rows without a straggler signature delay each other only. */
  function taken(entry: RowEntry): void {
    if (isStopped) return drop([entry], 'not-ready');
    const window = entry.straggler === undefined ? windows.bare : windows.signed;
    window.add(entry);
  }

  function done(entry: RowEntry): void {
    entry.isDone = true;
    accounts.release(entry);
  }

  function drop(entries: readonly RowEntry[], reason: RowReason): void {
    const left = offers.keep(entries.filter(({ isDone }) => !isDone));
    for (const entry of left) done(entry);
    components.telemetry.count('broker_rows_dropped', left.length, { reason });
    giveBack(left, reason);
  }

  const terms = (): Terms => termsOf(components.chain(), rowsOfStream(streams, limits));

  /** Q2. False: others took the room for its indices while its login was checked. */
  function loggedIn(stream: ClientStream, indices: Uint32Array): boolean {
    if (!accounts.hasRoomFor(indices)) return false;
    indicesOf.set(stream, new Set(indices));
    for (const index of indices) {
      const session = accounts.of(index)?.session;
      accounts.assign(index, stream.session);
      const older = session && streamOf.get(session);
      if (older === undefined) continue;
      const left = indicesOf.get(older);
      left?.delete(index);
      if (left?.size === 0) older.end('logged-in-again', 'all its indices are in newer streams');
    }
    return true;
  }

  function gone(stream: ClientStream): void {
    streams.delete(stream);
    streamOf.delete(stream.session);
    for (const index of indicesOf.get(stream) ?? []) accounts.leave(index, stream.session);
    indicesOf.delete(stream);
    gathering.left(stream.session);
  }

  function sendTerms(): void {
    const now = terms();
    const text = `${now.rowFee} ${now.stragglerFee} ${now.feeCap} ${now.rowsMax}`;
    if (text === termsSent) return;
    termsSent = text;
    for (const { session } of streams) if (session.isOpen) session.send({ name: 'terms', value: now });
  }

  const parts = {
    ...base,
    unsent: createUnsentBytes(limits),
    terms,
    login,
    loggedIn,
    rows,
    share: gathering.share,
    gone,
  };
  return {
    open(carrier, address) {
      if (isStopped || streams.size >= limits.sessionsMax) return undefined;
      const releaseWaiting = waiting.add(address);
      if (releaseWaiting === undefined) return undefined;
      const stream = createClientStream(parts, { carrier, address, releaseWaiting });
      streams.add(stream);
      streamOf.set(stream.session, stream);
      return stream;
    },
    committed(block) {
      offers.committed(block);
      sendTerms();
    },
    stats: () => ({
      sessions: streams.size,
      indices: accounts.assigned,
      rows: accounts.rows,
      waiting: windows.signed.rows + windows.bare.rows,
      gathering: gathering.batches,
      offered: offers.batches,
      offeredBytes: offers.bytes,
      roundTripP95Ms: roundTrips.p95(),
    }),
    stop() {
      if (isStopped) return;
      isStopped = true;
      const left = [...windows.signed.stop(), ...windows.bare.stop(), ...gathering.stop(), ...offers.stop()];
      // A row may stand in several batches.
      drop([...new Set(left)], 'not-ready');
      for (const stream of [...streams]) stream.end('stopping', 'the node is stopping: connect again');
    },
  };
}

function termsOf(view: ChainView | undefined, rowsMax: number): Terms {
  const { rowFee = 0n, stragglerFee = 0n, feeCap = 0n } = view ?? {};
  return { rowFee, stragglerFee, feeCap, lifeMs: BATCH_LIFE_MS, rowsMax };
}

/** Q3: busy streams share what all may have in flight; in halves, so that terms seldom change. */
function rowsOfStream(streams: Iterable<ClientStream>, { sessionRowsMax, rowsMax, busyRows }: BrokerLimits): number {
  let busy = 0;
  for (const { session } of streams) if (session.rows >= busyRows) busy++;
  let rows = sessionRowsMax;
  while (rows > busyRows && rows * busy > rowsMax) rows = Math.floor(rows / 2);
  return rows;
}
