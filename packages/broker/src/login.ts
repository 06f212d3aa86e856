/** Logins (Q1): a bounded number of checks in all. */
import { isFresh } from '@slipstream/distilled';
import {
  type EndReason,
  LOGIN_INDICES_MAX,
  LOGIN_KEYS_PER_TOKEN,
  type Login,
  loginMessage,
} from '@slipstream/distilled/stream';
import type { PeerKey } from '@slipstream/ports';
import { createRateLimiter, createTokenBucket, fail, ok, type Result } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import type { AccountTable } from './account-table.ts';
import type { AccountState, BrokerComponents } from './components.ts';
import type { KnownAddresses } from './known-addresses.ts';
import { LOGIN_RATE, LOGINS_KNOWN_RESERVE, LOGINS_RATE } from './limits.ts';

interface LoginParts extends Pick<BrokerComponents, 'clock' | 'chain' | 'checks' | 'accounts' | 'telemetry'> {
  readonly genesisHash: GenesisHash;
  readonly broker: PeerKey;
  readonly table: Pick<AccountTable, 'hasRoomFor' | 'of'>;
  readonly known: KnownAddresses;
}

interface LoggedIn {
  /** By place in the login; 0: none is left. */
  readonly next: Uint32Array;
}

interface AskedLogin {
  readonly nonce: Uint8Array;
  readonly address: string;
}

type CheckLogin = (login: Login, asked: AskedLogin) => Promise<Result<LoggedIn, EndReason>>;

/** Many users may share one address. */
const ADDRESSES_MAX = 16_384;

export function createLogins(parts: LoginParts): CheckLogin {
  const { clock, checks, genesisHash, broker, table, known } = parts;
  const ofAddress = createRateLimiter<string>(clock, { rate: LOGIN_RATE, keysMax: ADDRESSES_MAX });
  const ofAll = createTokenBucket(clock, LOGINS_RATE, 1 + LOGIN_INDICES_MAX / LOGIN_KEYS_PER_TOKEN);

  return async ({ indices, aggregate }, { nonce, address }) => {
    const view = parts.chain();
    if (view === undefined) return fail('login-limit');
    if (!table.hasRoomFor(indices)) return fail('index-limit');
    if ((indices.at(-1) ?? 0) >= view.directorySize) return fail('index-unknown');
    const cost = 1 + Math.floor(indices.length / LOGIN_KEYS_PER_TOKEN);
    // A long list costs no more to wait for than a short one: the cost is taken in full, if need be as a debt.
    const leftMin = known.has(address) ? 1 : 1 + LOGINS_KNOWN_RESERVE;
    if (ofAll.left < leftMin || !ofAddress.take(address, cost)) return fail('login-limit');
    ofAll.charge(cost);
    try {
      const message = loginMessage({ genesisHash, broker, nonce, indices });
      const holds = await checks.login(message, indices, aggregate);
      known.record(address, holds);
      if (!holds) return fail('login-false');
      const states = await parts.accounts(indices);
      if (states.some((state) => state === undefined || state.isRetired)) return fail('index-retired');
      return ok({ next: Uint32Array.from(indices, (index, i) => nextOf(states[i] as AccountState, index, table)) });
    } catch (error) {
      parts.telemetry.log('debug', 'a login could not be checked', { error: String(error) });
      return fail('login-limit');
    }
  };
}

/** Above what ran and what is in flight here. */
function nextOf({ last, mask }: AccountState, index: number, table: LoginParts['table']): number {
  let highest = last;
  for (const sequence of table.of(index)?.inFlight.keys() ?? []) highest = Math.max(highest, sequence);
  const next = highest + 1;
  return next < 2 ** 32 && isFresh(next, last, mask, 0) ? next : 0;
}
