/**
 * Intake of rows (Q3): what cannot run takes no place in a batch that others sign.
 *
 *   message --without state--> reserved --state, read in bulk--> --own signature, if it must hold--> window
 *                \-------------------------\---------------------------\--> refused, with reasons
 */
import { isFresh, type Row, rowAt, type Straggler } from '@slipstream/distilled';
import { ACCOUNT_ROWS_MAX, type BrokerMessage, type RowReason, type RowsMessage } from '@slipstream/distilled/stream';
import { type GenesisHash, TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import type { AccountTable } from './account-table.ts';
import type { BrokerComponents, ChainView, Session } from './components.ts';
import { checkStragglers } from './gathering.ts';
import { BATCH_LIFE_MS, type BrokerLimits, RETRY_AFTER_MS } from './limits.ts';
import type { Penalties } from './penalties.ts';
import type { RowEntry } from './row-entry.ts';

interface IntakeParts extends Pick<BrokerComponents, 'clock' | 'telemetry' | 'chain' | 'checks'> {
  readonly genesisHash: GenesisHash;
  readonly accounts: AccountTable;
  readonly penalties: Penalties;
  readonly limits: BrokerLimits;
  /** Into a window. */
  taken(entry: RowEntry): void;
}

type Refusal = { readonly position: number; readonly reason: RowReason };
type TakeRows = (session: Session, message: RowsMessage) => Promise<void>;

/** The same row may come again later. */
const PASSING = new Set<RowReason>(['account-limit', 'session-limit', 'broker-limit', 'not-ready', 'suspended']);

export function createIntake(parts: IntakeParts): TakeRows {
  const { accounts, penalties, telemetry } = parts;

  return async (session, message) => {
    const refusals: Refusal[] = [];
    const refuse = ({ position, entry }: Reserved, reason: RowReason): void => {
      accounts.release(entry);
      refusals.push({ position, reason });
    };
    const reserved = reserveAll(session, message, refusals, parts);
    const early = refusals.length;
    charge(session, refusals);
    const isRead = await readStates(reserved, parts);
    const alone: Reserved[] = [];
    for (const one of reserved) {
      const isAlone = penalties.isAlone(one.entry.row.sender);
      const reason = isRead ? stateFault(one.entry, accounts) : 'not-ready';
      if (reason !== undefined) refuse(one, reason);
      else if (!isAlone) parts.taken(one.entry);
      else if (one.entry.straggler === undefined) refuse(one, 'straggler-needed');
      else alone.push(one);
    }
    for (const { one, holds } of await ownSignatures(alone, parts)) {
      one.entry.isVerified = holds === true;
      one.entry.isAlone = one.entry.isVerified;
      if (holds === true) parts.taken(one.entry);
      else refuse(one, holds === undefined ? 'not-ready' : 'false-straggler');
      if (holds === false) penalties.falseStraggler(one.entry.row.sender);
    }
    telemetry.count('broker_rows_received', message.rows.count);
    charge(session, refusals.slice(early));
    for (const [reason, count] of countReasons(refusals)) telemetry.count('broker_rows_refused', count, { reason });
    for (const answer of refusalMessages(message.number, refusals)) session.send(answer);
  };
}

/** What the node itself could not do costs no token. */
function charge(session: Session, refusals: readonly Refusal[]): void {
  const rows = refusals.filter(({ reason }) => reason !== 'not-ready').length;
  if (rows > 0) session.refused(rows);
}

function countReasons(refusals: readonly Refusal[]): ReadonlyMap<RowReason, number> {
  const counts = new Map<RowReason, number>();
  for (const { reason } of refusals) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

interface Reserved {
  readonly position: number;
  readonly entry: RowEntry;
}

/** Before anything is awaited, so that no second row of a sequence comes in meanwhile. */
function reserveAll(
  session: Session,
  message: RowsMessage,
  refusals: Refusal[],
  parts: IntakeParts,
): readonly Reserved[] {
  const view = parts.chain();
  const { stragglers } = message;
  let nextStraggler = 0;
  const reserved: Reserved[] = [];
  for (let position = 0; position < message.rows.count; position++) {
    const row = rowAt(message.rows, position);
    const straggler = stragglers[nextStraggler]?.position === position ? stragglers[nextStraggler++] : undefined;
    const terms = { expiryMs: message.expiryMs, feeCap: message.feeCap, straggler };
    const entry = view === undefined ? 'not-ready' : entryOf(session, row, terms, view, parts);
    if (typeof entry === 'string') {
      refusals.push({ position, reason: entry });
      continue;
    }
    parts.accounts.reserve(entry);
    reserved.push({ position, entry });
  }
  return reserved;
}

/** `holds` undefined: they could not be checked now. */
async function ownSignatures(of: readonly Reserved[], parts: IntakeParts) {
  const entries = of.map(({ entry }) => entry);
  const holds = await checkStragglers(entries, parts).catch(() => undefined);
  return of.map((one, i) => ({ one, holds: holds?.[i] }));
}

interface RowTerms extends Pick<RowsMessage, 'expiryMs' | 'feeCap'> {
  readonly straggler: Straggler | undefined;
}

/** All that needs no state of the account. */
function entryOf(
  session: Session,
  row: Row,
  { expiryMs, feeCap, straggler }: RowTerms,
  view: ChainView,
  { clock, accounts, penalties, limits }: IntakeParts,
): RowEntry | RowReason {
  const account = accounts.of(row.sender);
  if (account?.session !== session) return 'not-of-session';
  if (row.recipient >= view.directorySize) return 'recipient-unknown';
  if (account.inFlight.has(row.sequence)) return 'sequence-in-flight';
  if (penalties.isSuspended(row.sender)) return 'suspended';
  if (account.inFlight.size >= ACCOUNT_ROWS_MAX) return 'account-limit';
  if (session.rows >= limits.sessionRowsMax) return 'session-limit';
  if (accounts.rows >= limits.rowsMax) return 'broker-limit';
  const nowMs = clock.wallMs();
  const untilMs = nowMs + BATCH_LIFE_MS;
  if (expiryMs < untilMs) return 'expiry-too-early';
  if (feeCap < view.feeCap) return 'fee-cap-too-low';
  const own = straggler && ownTermsFault(straggler, nowMs, view);
  if (own !== undefined) return own;
  return {
    session,
    account,
    row,
    straggler: straggler && kept(straggler),
    expiryMs,
    feeCap,
    cost: row.amount + (straggler === undefined ? view.rowFee : view.stragglerFee),
    isCharged: false,
    isVerified: false,
    isAlone: false,
    losses: 0,
    isDone: false,
  };
}

/** The message's memory is the carrier's. */
function kept({ expiryMs, feeCap, signature }: Straggler): RowEntry['straggler'] {
  return { expiryMs, feeCap, signature: signature.slice() };
}

/** A block would skip a straggler outside its own terms (Z9). */
function ownTermsFault({ expiryMs, feeCap }: Straggler, nowMs: number, view: ChainView): RowReason | undefined {
  if (expiryMs < nowMs + BATCH_LIFE_MS) return 'expiry-too-early';
  if (expiryMs > nowMs + TRANSACTION_LIFE_MS_MAX) return 'expiry-too-far';
  return feeCap < view.stragglerFee ? 'fee-cap-too-low' : undefined;
}

async function readStates(of: readonly Reserved[], { accounts, telemetry }: IntakeParts): Promise<boolean> {
  try {
    await accounts.refresh([...new Set(of.map(({ entry }) => entry.account))]);
    return true;
  } catch (error) {
    telemetry.log('debug', 'states of accounts could not be read for a broker', { error: String(error) });
    return false;
  }
}

function stateFault(entry: RowEntry, accounts: AccountTable): RowReason | undefined {
  const { row } = entry;
  const { state } = entry.account;
  if (state === undefined || state.isRetired) return 'index-retired';
  if (!isFresh(row.sequence, state.last, state.mask, 0)) {
    return row.sequence > state.last ? 'sequence-too-far' : 'sequence-used';
  }
  return accounts.charge(entry) ? undefined : 'insufficient-balance';
}

/** Rows that may come again apart from those that may not. */
function refusalMessages(number: number, refusals: readonly Refusal[]): readonly BrokerMessage[] {
  const passing = refusals.filter(({ reason }) => PASSING.has(reason));
  const lasting = refusals.filter(({ reason }) => !PASSING.has(reason));
  const message = (rows: readonly Refusal[], retryAfterMs: number): BrokerMessage[] =>
    rows.length === 0 ? [] : [{ name: 'refused', value: { number, retryAfterMs, rows } }];
  return [...message(lasting, 0), ...message(passing, RETRY_AFTER_MS)];
}
