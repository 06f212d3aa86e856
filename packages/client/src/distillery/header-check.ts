/**
 * What a client signs of a batch that a broker shows (Z12): for each of its senders, all rows of it are there, exactly, and no other one.
 *
 *   header with paths    --> own rows and their neighbours, under the root
 *   header with columns  --> all rows; their root is the header's
 *                            \--> senders to sign for, senders without a share, or the broker lies
 *
 * A sender is without a share when a row is not pending here (it ended meanwhile, or was never made) or beyond its limits. Bytes that
 * prove nothing, a sender of others, or a forged neighbour are lies: the broker loses the session.
 */
import {
  type BatchHeader,
  checkOwnRows,
  type ProvenRows,
  ROW_BYTES,
  ROWS_PER_LEAF,
  type Row,
  rowAt,
  rowFromBytes,
  rowsRootOf,
} from '@slipstream/distilled';
import { ACCOUNT_ROWS_MAX, type HeaderWithColumns, type HeaderWithPaths } from '@slipstream/distilled/stream';
import { bytesEqual, fail, ok, type Result } from '@slipstream/primitives';
import type { PendingRow } from './pending-rows.ts';

export interface OwnPlace {
  readonly position: number;
  /** Undefined: not pending here. */
  readonly row: PendingRow | undefined;
}

export interface CheckedHeader {
  readonly header: BatchHeader;
  /** All rows of own senders, by position. */
  readonly places: readonly OwnPlace[];
  /** Ascending, each once. */
  readonly signers: readonly number[];
  readonly without: readonly number[];
  /** Why the first of them gets none. */
  readonly reason: string | undefined;
}

interface OwnAccounts {
  isOwn(sender: number): boolean;
  find(sender: number, sequence: number): PendingRow | undefined;
}

/** The error says what the broker lied about. */
export function checkHeaderWithPaths(shown: HeaderWithPaths, accounts: OwnAccounts): Result<CheckedHeader, string> {
  const { header, own, leaves } = shown;
  const byFirst = new Map(leaves.map((leaf) => [leaf.first, leaf]));
  const verdicts = createVerdicts(header);
  let before = -1;
  for (const { sender, first, count } of own) {
    // Each sender once: its share would count twice.
    if (sender <= before || !accounts.isOwn(sender))
      return fail(`sender ${sender} is none of this session, or comes twice`);
    before = sender;
    if (count < 1 || count > ACCOUNT_ROWS_MAX || first + count > header.rows)
      return fail(`${count} rows from ${first} on`);
    const near = leavesAround(byFirst, first, count);
    const places = Array.from({ length: count }, (_, i): OwnPlace => {
      const row = rowIn(near, first + i);
      return { position: first + i, row: row?.sender === sender ? accounts.find(sender, row.sequence) : undefined };
    });
    const rows = places.flatMap(({ row }) => row ?? []);
    if (!ascends(rows)) return fail(`rows of sender ${sender} do not ascend`);
    // With a row that is not pending, its neighbours are checked no further: there is no share of this sender.
    const fault = rows.length < count ? undefined : faultOf(header, rows, first, near);
    if (fault !== undefined && LIES.has(fault)) return fail(`rows of sender ${sender}: ${fault}`);
    verdicts.add(sender, places, fault);
  }
  return ok(verdicts.end());
}

function ascends(rows: readonly PendingRow[]): boolean {
  return rows.every(({ row }, i) => i === 0 || row.sequence > (rows[i - 1] as PendingRow).row.sequence);
}

const LIES: ReadonlySet<string> = new Set(['no-rows', 'path', 'gap', 'other-row', 'forged-row']);

function faultOf(header: BatchHeader, rows: readonly PendingRow[], first: number, leaves: readonly ProvenRows[]) {
  const checked = checkOwnRows({ header, own: rows.map(({ row }) => row), first, leaves }, limitsOf(rows));
  return checked.ok ? undefined : checked.error;
}

/** Those of a place and its neighbours, so that a header with many places costs no more than its leaves, twice. */
function leavesAround(byFirst: ReadonlyMap<number, ProvenRows>, first: number, count: number): readonly ProvenRows[] {
  const from = Math.max(0, first - 1);
  const found: ProvenRows[] = [];
  for (let at = from - (from % ROWS_PER_LEAF); at <= first + count; at += ROWS_PER_LEAF) {
    const leaf = byFirst.get(at);
    if (leaf !== undefined) found.push(leaf);
  }
  return found;
}

function rowIn(leaves: readonly ProvenRows[], position: number): Row | undefined {
  const leaf = leaves.find(({ first, rows }) => position >= first && position < first + rows.length / ROW_BYTES);
  if (leaf === undefined || leaf.rows.length % ROW_BYTES !== 0) return undefined;
  return rowFromBytes(leaf.rows, ROW_BYTES * (position - leaf.first));
}

/** The error says what the broker lied about. */
export function checkHeaderWithColumns(shown: HeaderWithColumns, accounts: OwnAccounts): Result<CheckedHeader, string> {
  const { header, rows } = shown;
  if (rows.count !== header.rows || !bytesEqual(rowsRootOf(rows), header.root))
    return fail('the root is not of these rows');
  const verdicts = createVerdicts(header);
  for (let from = 0; from < rows.count; ) {
    const sender = rows.senders[from] as number;
    let to = from + 1;
    while (to < rows.count && rows.senders[to] === sender) to++;
    if (accounts.isOwn(sender)) {
      const places = Array.from({ length: to - from }, (_, i): OwnPlace => {
        return { position: from + i, row: accounts.find(sender, rows.sequences[from + i] as number) };
      });
      for (const { row, position } of places) {
        if (row !== undefined && !isSame(row.row, rowAt(rows, position)))
          return fail(`row ${position} is not as it was sent`);
      }
      const pending = places.flatMap(({ row }) => row ?? []);
      verdicts.add(sender, places, pending.length < places.length ? undefined : limitFault(header, pending));
    }
    from = to;
  }
  return ok(verdicts.end());
}

function isSame(a: Row, b: Row): boolean {
  return (
    a.sender === b.sender &&
    a.recipient === b.recipient &&
    a.amount === b.amount &&
    a.sequence === b.sequence &&
    a.tag === b.tag
  );
}

function limitFault(header: BatchHeader, rows: readonly PendingRow[]): string | undefined {
  const { expiryMs, feeCap } = limitsOf(rows);
  if (header.expiryMs > expiryMs) return 'expiry';
  return header.feeCap > feeCap ? 'fee-cap' : undefined;
}

function limitsOf(rows: readonly PendingRow[]): { readonly expiryMs: number; readonly feeCap: bigint } {
  let expiryMs = Number.MAX_SAFE_INTEGER;
  let feeCap = 2n ** 64n - 1n;
  for (const row of rows) {
    if (row.expiryMs < expiryMs) expiryMs = row.expiryMs;
    if (row.feeCap < feeCap) feeCap = row.feeCap;
  }
  return { expiryMs, feeCap };
}

/** A share needs each row of its sender pending and within its limits. */
function createVerdicts(header: BatchHeader) {
  const places: OwnPlace[] = [];
  const signers: number[] = [];
  const without: number[] = [];
  let reason: string | undefined;
  return {
    add(sender: number, own: readonly OwnPlace[], fault: string | undefined) {
      for (const place of own) places.push(place);
      const why = own.some(({ row }) => row === undefined) ? 'a row that is not pending here' : fault;
      if (why === undefined) signers.push(sender);
      else {
        without.push(sender);
        reason ??= `${why}, of sender ${sender}`;
      }
    },
    end: (): CheckedHeader => ({ header, places, signers, without, reason }),
  };
}
