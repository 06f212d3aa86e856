import { fromHex, to0x } from '@slipstream/primitives';
import type { TransactionView } from '@slipstream/schema';
import { type Action, type Credential, grantIdOf, grantsInOutput } from '@slipstream/types';
import type { CallOptions } from './call-options.ts';
import type { Client } from './client.ts';
import { ClientError } from './errors.ts';
import { estimateFee, signForPrices } from './fee-estimate.ts';
import { generateKeyPair, type KeyPair } from './keys.ts';
import type { ProvenOptions, UnprovenOptions } from './proven-client.ts';
import {
  grantSession,
  openSession,
  readCredential,
  revokeSession,
  type Session,
  type SessionProofForm,
  signBodyWithSession,
  signWithSession,
} from './session.ts';
import type { ActOptions, SessionClient } from './session-actions.ts';
import { buildTransaction, type SignedTransaction, signTransaction } from './transactions.ts';

const LIFE_MS = 30_000;
/** Polls for the credential: a state certificate follows a final block shortly. */
const CREDENTIAL_ATTEMPTS = 40;
const CREDENTIAL_PAUSE_MS = 250;

export function createSessionClient(client: Client): SessionClient {
  /** The target chain has them in its state. */
  const recorded = new WeakSet<Session>();
  /** A grant of the own chain is in its state from the start. */
  const isRecorded = (by: Session) => recorded.has(by) || by.credential.root === undefined;

  async function signed(action: Action, device: KeyPair, options: ActOptions): Promise<SignedTransaction> {
    const parts = {
      genesisHash: await client.genesisHash(),
      sender: device.account,
      actions: [action],
      expiryMs: options.expiryMs ?? Date.now() + LIFE_MS,
    };
    return withinFee(options, (most) => signTransaction(buildTransaction({ ...parts, maxFee: most }), device));
  }

  async function withinFee(
    { maxFee, urgent }: Pick<ActOptions, 'maxFee' | 'urgent'>,
    sign: (maxFee: bigint) => SignedTransaction,
  ): Promise<SignedTransaction> {
    return maxFee === 'estimate' ? signForPrices(client, sign, { urgent }) : sign(maxFee ?? 0n);
  }

  /** With the credential, which may replace the grant's id under the same transaction id. */
  async function feeOfAct(
    actions: readonly Action[],
    by: Session,
    { maxFee, urgent, unitsOfCall, form = 'credential' }: ActOptions & { readonly form?: SessionProofForm },
  ): Promise<bigint | undefined> {
    if (maxFee !== 'estimate') return maxFee;
    return estimateFee(session.sign(actions, by, { form }), await client.fees(), {
      urgent,
      ...(unitsOfCall && { unitsOfCall }),
    }).maxFee;
  }

  async function carriedOut(action: Action, device: KeyPair, options: ActOptions): Promise<TransactionView> {
    const view = await client.submitAndWait(await signed(action, device, options), options);
    if (view.status === 'final') return view;
    const { outcome } = view.receipt ?? {};
    const why = outcome?.status === 'failed' ? outcome.code : (view.reason ?? view.status);
    throw new ClientError('invalid-transaction', `${action.kind} was not carried out: ${why}`, { view });
  }

  async function credentialOf(id: string, options?: CallOptions): Promise<Credential> {
    const { ssz } = await client.call('credential', { params: { id }, ...options });
    const credential = readCredential(ssz);
    if (to0x(grantIdOf(credential.grant)) !== id) {
      throw new ClientError('malformed-answer', `the credential that ${client.url} gave is for another grant`);
    }
    return credential;
  }

  async function credentialWhenReady(id: string, signal: AbortSignal | undefined): Promise<Credential> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await credentialOf(id, signal && { signal });
      } catch (error) {
        const isEarly = error instanceof ClientError && (error.code === 'proof-not-ready' || error.retryable);
        const isUnseen = error instanceof ClientError && error.code === 'session-unknown';
        if (attempt >= CREDENTIAL_ATTEMPTS || !(isEarly || isUnseen)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, CREDENTIAL_PAUSE_MS));
    }
  }

  /**
   * The same body is signed again, because a new one could pay twice: a node that lags, or gave no answer, may have accepted the
   * transaction.
   */
  async function withCredentialIfUnknown(
    signed: SignedTransaction,
    by: Session,
    options: ActOptions & { readonly form?: SessionProofForm },
  ): Promise<TransactionView> {
    try {
      return await client.submitAndWait(signed, options);
    } catch (error) {
      const isForgotten = error instanceof ClientError && error.problem?.reason === 'session-unknown';
      if (!isForgotten || options.form !== undefined || !recorded.delete(by)) throw error;
    }
    return client.submitAndWait(signBodyWithSession(signed.transaction.body, by, 'credential'), options);
  }

  const session: SessionClient = {
    async grant(terms, device, { key = generateKeyPair(), ...options } = {}) {
      const view = await carriedOut(grantSession(terms, key), device, options);
      const id = grantIdIn(view);
      return openSession(key, await credentialWhenReady(id, options.signal));
    },
    show: ((id: string, { proven, ...options }: ProvenOptions | UnprovenOptions = {}) =>
      proven
        ? client.proven.session(id, options)
        : client.call('session', { params: { id }, ...options })) as SessionClient['show'],
    credential: credentialOf,
    identity: (account, options) => client.call('identity', { params: { account }, ...options }),
    sign(actions, by, { expiryMs = Date.now() + LIFE_MS, maxFee, form = isRecorded(by) ? 'hash' : 'credential' } = {}) {
      return signWithSession({ actions, expiryMs, ...(maxFee !== undefined && { maxFee }) }, by, form);
    },
    async act(actions, by, options = {}) {
      const { maxFee: _, ...rest } = options;
      const maxFee = await feeOfAct(actions, by, options);
      const signed = session.sign(actions, by, { ...rest, ...(maxFee !== undefined && { maxFee }) });
      const view = await withCredentialIfUnknown(signed, by, options);
      if (view.receipt !== undefined) recorded.add(by);
      return view;
    },
    revoke: (owner, grantId, device, options = {}) => carriedOut(revokeSession(owner, grantId), device, options),
  };
  return session;
}

/** Of a grant's receipt. */
function grantIdIn({ receipt, id }: TransactionView): string {
  const output = receipt?.output ?? '0x';
  const grants = /^0x([0-9a-f]{2})*$/.test(output) ? grantsInOutput(fromHex(output)) : undefined;
  const [grantId] = grants ?? [];
  if (grantId === undefined || grants?.length !== 1)
    throw new ClientError('malformed-answer', `the receipt of ${id} names no grant`, { output });
  return to0x(grantId);
}
