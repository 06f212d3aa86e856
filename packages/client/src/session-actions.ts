/** Calls of certified sessions: grant, use, revoke, show. */
import type { IdentityView, SessionView, TransactionView } from '@slipstream/schema';
import type { AccountKey, Action, Credential, GrantId } from '@slipstream/types';
import type { CallOptions } from './call-options.ts';
import type { KeyPair } from './keys.ts';
import type { GrantTerms, Session, SessionProofForm } from './session.ts';
import type { SignedTransaction, TransactionParts } from './transactions.ts';
import type { WaitOptions } from './wait-options.ts';

export interface ActOptions extends WaitOptions {
  /** Default 30 s from now. */
  readonly expiryMs?: number;
  /** The most that may be charged; 'estimate' asks the node for its prices. Default 0: enough where execution is free. */
  readonly maxFee?: bigint | 'estimate';
  /** With 'estimate': allow so much that nodes pack it among the urgent ones (EstimateOptions). Default false. */
  readonly urgent?: boolean;
}

export interface SessionClient {
  /**
   * On the identity chain: the device signs the grant, which is waited for; then its credential is fetched. A new session key is
   * made when none is given. Throws ClientError when the grant failed.
   */
  grant(terms: GrantTerms, device: KeyPair, options?: ActOptions & { readonly key?: KeyPair }): Promise<Session>;
  /** What the chain knows of a session. */
  show(id: string, options?: CallOptions): Promise<SessionView>;
  credential(id: string, options?: CallOptions): Promise<Credential>;
  identity(anchor: string, options?: CallOptions): Promise<IdentityView>;
  /**
   * On the target chain: signed by the session key alone. It carries the grant's id when this client has seen the chain carry out
   * a transaction of the session, else the credential.
   */
  sign(
    actions: readonly Action[],
    session: Session,
    options?: Pick<TransactionParts, 'maxFee'> & { readonly expiryMs?: number; readonly form?: SessionProofForm },
  ): SignedTransaction;
  /** Signs, submits, waits for the end. A chain that does not know the grant's id is sent the credential, under the same transaction id. */
  act(
    actions: readonly Action[],
    session: Session,
    options?: ActOptions & { readonly form?: SessionProofForm },
  ): Promise<TransactionView>;
  /** On the identity chain: a device of the anchor ends a session. */
  revoke(owner: AccountKey, grantId: GrantId, device: KeyPair, options?: ActOptions): Promise<TransactionView>;
}
