/**
 * Reads that count with a proof alone: one request, verified with the genesis file of the client.
 *
 *   read --> node --proof--> holds? --yes--> value
 *                               |  \--no--> ClientError `unproven`, with the steps
 *                               \--unknown epoch--> handovers --> once more
 *
 * A certificate that held is remembered, so that it costs once a height. No proof counts that is below one that held before the read began.
 */
import { type Result, to0x } from '@slipstream/primitives';
import { askProof } from './ask-proof.ts';
import type { CallOptions } from './call-options.ts';
import type { Client } from './client.ts';
import { committeesOf, type EpochCommittees } from './epochs/committees.ts';
import { followEpochs } from './epochs/follow.ts';
import { ClientError } from './errors.ts';
import type { Rejection } from './proof-steps.ts';
import type { ProvenClient } from './proven-client.ts';
import { accountRead, dataRead, type ProvenRead, sessionRead } from './proven-values.ts';
import { verifyProof } from './verify-proof.ts';
import { type VerifiedState, verifyStateProof } from './verify-state-proof.ts';

interface ProvenClientOptions {
  readonly chain: unknown;
  readonly heightMin: number;
}

/** Reads throw ClientError `bad-argument` without a genesis file. */
export function createProvenClient(
  client: Pick<Client, 'call' | 'handovers'>,
  { chain, heightMin }: ProvenClientOptions,
): ProvenClient {
  let known: EpochCommittees | undefined;
  let height = heightMin;

  function committees(): EpochCommittees {
    if (known !== undefined) return known;
    if (chain === undefined) throw new ClientError('bad-argument', NO_CHAIN);
    const read = committeesOf(chain);
    if (!read.ok) throw new ClientError('bad-argument', `\`chain\` of the client is no genesis file: ${read.error}`);
    known = read.value;
    return known;
  }

  /** Once more with handovers, where the proof is of an epoch that is not known. */
  async function holding<T>(verify: () => Result<T, Rejection<string>>, options: CallOptions): Promise<T> {
    let result = verify();
    if (!result.ok && result.error.step === 'epochs') {
      await followEpochs(client, committees(), options);
      result = verify();
    }
    if (result.ok) return result.value;
    const { step, message, steps } = result.error;
    const text = `the proof of the node does not hold at step ${step}: ${message}`;
    throw new ClientError('unproven', text, { step, steps });
  }

  async function verified(keys: readonly Uint8Array[], ask: () => Promise<unknown>, options: CallOptions) {
    const trusted = committees();
    const since = height;
    const answer = await ask();
    const value = await holding(() => verifyStateProof(answer, trusted, keys, { heightMin: since }), options);
    height = Math.max(height, value.height);
    return value;
  }

  async function receipt(id: string, options: CallOptions = {}) {
    const trusted = committees();
    const proof = await askProof(client.call, id, options);
    const value = await holding(() => verifyProof(proof, trusted, id), options);
    return { receipt: value.receipt, steps: value.steps };
  }

  async function state(keys: readonly Uint8Array[], options: CallOptions = {}): Promise<VerifiedState> {
    return verified(keys, () => client.call('stateProofs', { body: { keys: keys.map(to0x) }, ...options }), options);
  }

  async function one<T>({ key, read }: ProvenRead<T>, options?: CallOptions): Promise<T> {
    return read(await state([key], options));
  }

  return {
    state,
    receipt,
    height: () => height,
    async account(account, options = {}) {
      const { key, read } = accountRead(account);
      const ask = () => client.call('account', { params: { account }, query: { proof: 'true' }, ...options });
      return read(await verified([key], ask, options));
    },
    accountData: async (account, name, options) => one(dataRead(account, name), options),
    session: async (id, options) => one(sessionRead(id), options),
  };
}

const NO_CHAIN = 'proven reads need the genesis file: pass `chain` to createClient';
