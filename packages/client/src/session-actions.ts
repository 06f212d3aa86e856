import type { IdentityView, SessionView, TransactionView } from '@slipstream/schema';
import type { AccountKey, Action, Credential, GrantId, UnitsOfCalls } from '@slipstream/types';
import type { CallOptions } from './call-options.ts';
import type { KeyPair } from './keys.ts';
import type { ProvenOptions, UnprovenOptions } from './proven-client.ts';
import type { ProvenSession } from './proven-values.ts';
import type { GrantTerms, Session, SessionProofForm } from './session.ts';
import type { SignedTransaction, TransactionParts } from './transactions.ts';
import type { WaitOptions } from './wait-options.ts';

export interface ActOptions extends WaitOptions {
  /** Default 30 s from now. */
  readonly expiryMs?: number;
  /** The most to be charged; 'estimate' uses the node's prices. Default 0: enough where execution is free. */
  readonly maxFee?: bigint | 'estimate';
  /** With 'estimate': of calls among the actions (`unitsOfCall` of their application). */
  readonly unitsOfCall?: UnitsOfCalls;
  /** With 'estimate': nodes pack it as urgent (EstimateOptions). Default false. */
  readonly urgent?: boolean;
}

export interface SessionClient {
  /**
   * On the identity chain, signed by the device; resolves with the credential once final. Default: a new session key. Throws ClientError
   * when the grant failed.
   */
  grant(terms: GrantTerms, device: KeyPair, options?: ActOptions & { readonly key?: KeyPair }): Promise<Session>;
  show(id: string, options?: UnprovenOptions): Promise<SessionView>;
  show(id: string, options: ProvenOptions): Promise<ProvenSession>;
  credential(id: string, options?: CallOptions): Promise<Credential>;
  identity(anchor: string, options?: CallOptions): Promise<IdentityView>;
  /** On the target chain: with the grant's id once the chain executed a transaction of the session here, else with the credential. */
  sign(
    actions: readonly Action[],
    session: Session,
    options?: Pick<TransactionParts, 'maxFee'> & { readonly expiryMs?: number; readonly form?: SessionProofForm },
  ): SignedTransaction;
  /** Waits for the end. If the chain does not know the grant's id, resends with the credential under the same id. */
  act(
    actions: readonly Action[],
    session: Session,
    options?: ActOptions & { readonly form?: SessionProofForm },
  ): Promise<TransactionView>;
  /** On the identity chain: a device of the anchor ends a session. */
  revoke(owner: AccountKey, grantId: GrantId, device: KeyPair, options?: ActOptions): Promise<TransactionView>;
}
