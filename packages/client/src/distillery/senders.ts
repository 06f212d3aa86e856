/** Accounts that a distillery sends for: their places in the directory, secrets and sequences. */
import { blsSecretNumber, blsSecretSum } from '@slipstream/crypto/browser';
import { ACCOUNT_ROWS_MAX, LOGIN_INDICES_MAX } from '@slipstream/distilled/stream';
import { bytesEqual } from '@slipstream/primitives';
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
  client: Pick<Client, 'directory' | 'account'>,
  chain: TrustedChain,
): Promise<Senders> {
  if (keys.length === 0 || keys.length > LOGIN_INDICES_MAX) {
    throw new ClientError(
      'bad-argument',
      `a distillery is of 1 to ${LOGIN_INDICES_MAX} accounts: open several for more`,
    );
  }
  const found: Sender[] = [];
  for (const each of keys) {
    if (each.index === undefined) found.push(await provenSender(each, client, chain));
    else found.push({ index: each.index, keys: each, sequences: createSequences() });
  }
  return sendersOf(found.sort((a, b) => a.index - b.index));
}

async function provenSender(
  keys: DistilleryKeys,
  client: Pick<Client, 'directory' | 'account'>,
  chain: TrustedChain,
): Promise<Sender> {
  const { accountText } = keys.account;
  const { index, blsKey } = await readProvenEntry(client, accountText, await chain());
  if (!bytesEqual(blsKey, keys.bls.publicKey)) {
    const message = `account ${accountText} is registered with another BLS key: use that one, or register again`;
    throw new ClientError('bad-argument', message, { index });
  }
  // Rows that an earlier process left in flight have the sequences below.
  const { last = 0 } = await client.account(accountText);
  return { index, keys, sequences: createSequences(last + ACCOUNT_ROWS_MAX + 1) };
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
