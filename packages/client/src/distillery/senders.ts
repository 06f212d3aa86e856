/** Accounts that a distillery sends for: their places in the directory, secrets and sequences. */
import { blsSecretNumber, blsSecretSum } from '@slipstream/crypto/browser';
import { ACCOUNT_ROWS_MAX, LOGIN_INDICES_MAX } from '@slipstream/distilled/stream';
import { bytesEqual } from '@slipstream/primitives';
import { type AccountView, MANY_ACCOUNTS_MAX } from '@slipstream/schema';
import type { Client } from '../client.ts';
import { ClientError } from '../errors.ts';
import { readProvenEntry } from '../register.ts';
import type { DistilleryKeys } from './options.ts';
import { createSequences, type Sequences } from './sequences.ts';
import type { TrustedChain } from './trusted-chain.ts';

export interface Sender {
  readonly index: number;
  readonly keys: DistilleryKeys;
  readonly sequences: Sequences;
}

export interface Senders {
  /** Ascending. */
  readonly indices: Uint32Array;
  readonly all: readonly Sender[];
  get(index: number): Sender | undefined;
  ofAccount(account: string): Sender | undefined;
  /** 32 bytes: signs for all of them. Throws ClientError `bad-argument` for an index that is none. */
  secretOf(indices: Iterable<number>): Uint8Array;
}

/** Throws ClientError: `bad-argument`, or that of a failed request. */
export async function findSenders(
  keys: readonly DistilleryKeys[],
  client: Pick<Client, 'directory' | 'accounts'>,
  chain: TrustedChain,
): Promise<Senders> {
  if (keys.length === 0 || keys.length > LOGIN_INDICES_MAX) {
    throw new ClientError(
      'bad-argument',
      `a distillery is of 1 to ${LOGIN_INDICES_MAX} accounts: open several for more`,
    );
  }
  const found: Sender[] = [];
  const proven: DistilleryKeys[] = [];
  const indices = new Map<DistilleryKeys, number>();
  for (const each of keys) {
    if (each.index !== undefined) found.push({ index: each.index, keys: each, sequences: createSequences() });
    else {
      indices.set(each, await provenIndex(each, client, chain));
      proven.push(each);
    }
  }
  const lasts = await lastSequences(proven, client);
  for (const [i, each] of proven.entries()) {
    // Rows that an earlier process left in flight have the sequences below.
    const sequences = createSequences((lasts[i] ?? 0) + ACCOUNT_ROWS_MAX + 1);
    found.push({ index: indices.get(each) as number, keys: each, sequences });
  }
  return sendersOf(found.sort((a, b) => a.index - b.index));
}

async function provenIndex(
  { account: { accountText }, bls }: DistilleryKeys,
  client: Pick<Client, 'directory'>,
  chain: TrustedChain,
): Promise<number> {
  const { index, blsKey } = await readProvenEntry(client, accountText, await chain());
  if (bytesEqual(blsKey, bls.publicKey)) return index;
  const message = `account ${accountText} is registered with another BLS key: use that one, or register again`;
  throw new ClientError('bad-argument', message, { index });
}

/** Undefined: no row of it ran. */
async function lastSequences(
  keys: readonly DistilleryKeys[],
  client: Pick<Client, 'accounts'>,
): Promise<readonly (number | undefined)[]> {
  const lasts: (number | undefined)[] = [];
  for (let at = 0; at < keys.length; at += MANY_ACCOUNTS_MAX) {
    const texts = keys.slice(at, at + MANY_ACCOUNTS_MAX).map(({ account }) => account.accountText);
    const { items } = await client.accounts(texts);
    for (const [i, text] of texts.entries()) lasts.push(lastOf(items[i], text));
  }
  return lasts;
}

function lastOf(view: AccountView | undefined, asked: string): number | undefined {
  if (view?.account === asked) return view.last;
  throw new ClientError('malformed-answer', `the node answers ${view?.account} where ${asked} was asked about`, {});
}

function sendersOf(all: readonly Sender[]): Senders {
  const byIndex = new Map(all.map((sender) => [sender.index, sender]));
  const byAccount = new Map(all.map((sender) => [sender.keys.account.accountText, sender]));
  if (byIndex.size < all.length) throw new ClientError('bad-argument', 'two of the accounts have one index');
  const secrets = new Map(all.map(({ index, keys }) => [index, numberOf(keys)]));
  return {
    indices: Uint32Array.from(all, ({ index }) => index),
    all,
    get: (index) => byIndex.get(index),
    ofAccount: (account) => byAccount.get(account.toLowerCase()),
    secretOf(indices) {
      const chosen: bigint[] = [];
      for (const index of indices) {
        const secret = secrets.get(index);
        if (secret === undefined)
          throw new ClientError('bad-argument', `index ${index} is no sender of this distillery`);
        chosen.push(secret);
      }
      return blsSecretSum(chosen);
    },
  };
}

function numberOf({ bls }: DistilleryKeys): bigint {
  try {
    return blsSecretNumber(bls.secret);
  } catch (cause) {
    throw new ClientError('bad-argument', cause instanceof Error ? cause.message : String(cause), {}, cause);
  }
}
