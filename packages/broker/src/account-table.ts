/**
 * Accounts with a session or rows in flight: whose they are, what is reserved of their balance, and their state, read again when it is old.
 */
import type { Clock } from '@slipstream/ports';
import type { BrokerComponents, Session } from './components.ts';
import { type BrokerLimits, STATE_AGE_MS_MAX } from './limits.ts';
import type { BrokerAccount, RowEntry } from './row-entry.ts';
import { createReadTogether } from './state-reads.ts';

export interface AccountTable {
  /** With a session or rows in flight. */
  of(index: number): BrokerAccount | undefined;
  /** To this session, from an older one. */
  assign(index: number, session: Session): BrokerAccount;
  /** Unless a newer session has it. */
  leave(index: number, session: Session): void;
  /** Its sequence, and its place. */
  reserve(entry: RowEntry): void;
  /** Its cost. False: with all that is reserved, it is above the balance. */
  charge(entry: RowEntry): boolean;
  /** Its state is read before its next row is taken. */
  release(entry: RowEntry): void;
  /** Reads the states that are old. Rejects when they cannot be read now. */
  refresh(accounts: readonly BrokerAccount[]): Promise<void>;
  /** For a session of these, some of which may be assigned already. */
  hasRoomFor(indices: Uint32Array): boolean;
  /** With a session. */
  readonly assigned: number;
  /** In flight. */
  readonly rows: number;
}

interface TableParts extends Pick<BrokerComponents, 'accounts'> {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly limits: Pick<BrokerLimits, 'indicesMax'>;
}

export function createAccountTable({ clock, accounts: read, limits }: TableParts): AccountTable {
  const accounts = new Map<number, BrokerAccount>();
  const readTogether = createReadTogether(read);
  let assigned = 0;
  let rows = 0;

  function forget(account: BrokerAccount): void {
    if (account.session === undefined && account.inFlight.size === 0) accounts.delete(account.index);
  }

  async function refresh(wanted: readonly BrokerAccount[]): Promise<void> {
    const nowMs = clock.monotonicMs();
    const old = wanted.filter(({ readAtMs }) => readAtMs === undefined || nowMs - readAtMs > STATE_AGE_MS_MAX);
    if (old.length === 0) return;
    const states = await readTogether(old.map(({ index }) => index));
    for (const account of old) {
      account.state = states.get(account.index);
      account.readAtMs = nowMs;
    }
  }

  return {
    of: (index) => accounts.get(index),
    assign(index, session) {
      const account = accounts.get(index) ?? newAccount(index);
      accounts.set(index, account);
      if (account.session === undefined) assigned++;
      account.session = session;
      return account;
    },
    leave(index, session) {
      const account = accounts.get(index);
      if (account?.session !== session) return;
      account.session = undefined;
      assigned--;
      forget(account);
    },
    reserve(entry) {
      entry.account.inFlight.set(entry.row.sequence, entry);
      entry.session.rows++;
      rows++;
    },
    charge(entry) {
      const { account, cost } = entry;
      if (account.reserved + cost > (account.state?.balance ?? 0n)) return false;
      account.reserved += cost;
      entry.isCharged = true;
      return true;
    },
    release(entry) {
      const { account, row } = entry;
      if (account.inFlight.get(row.sequence) !== entry) return;
      account.inFlight.delete(row.sequence);
      if (entry.isCharged) account.reserved -= entry.cost;
      account.readAtMs = undefined;
      entry.session.rows--;
      rows--;
      forget(account);
    },
    refresh,
    hasRoomFor(indices) {
      const room = limits.indicesMax - assigned;
      if (indices.length <= room) return true;
      return indices.filter((index) => accounts.get(index)?.session === undefined).length <= room;
    },
    get assigned() {
      return assigned;
    },
    get rows() {
      return rows;
    },
  };
}

function newAccount(index: number): BrokerAccount {
  return { index, session: undefined, state: undefined, readAtMs: undefined, inFlight: new Map(), reserved: 0n };
}
