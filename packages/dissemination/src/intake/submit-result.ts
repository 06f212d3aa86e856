import type { AuthorityFault, TransactionId } from '@slipstream/types';
import type { AdmissionRefusal } from './admission.ts';
import type { FullReason } from './intake-messages.ts';
import type { SessionReason } from './session-messages.ts';

/** `verification-limit`: too much from this submitter failed verification, or was known, expired or refused. */
export type RejectReason =
  | 'malformed'
  | AuthorityFault
  | 'verification-limit'
  | SessionReason
  | AdmissionRefusal
  | FullReason;

export type SubmitResult =
  | { readonly type: 'accepted'; readonly id: TransactionId; readonly expiryMs: number }
  /** `sameBytes` is false when the pool holds it with another signature. */
  | {
      readonly type: 'known';
      readonly id: TransactionId;
      readonly where: 'pool' | 'chain';
      readonly sameBytes: boolean;
    }
  | {
      readonly type: 'rejected';
      readonly reason: RejectReason;
      readonly message: string;
      /** Undefined: no transaction, or not decoded. */
      readonly id: TransactionId | undefined;
      /** Undefined: never with these bytes. */
      readonly retryAfterMs: number | undefined;
    };
