/** Bounds of the messages between a broker and its clients. */
import { BATCH_ROWS_MAX } from '../rows.ts';

/** A key sum of so many takes a verifier 15 ms. A gateway with more accounts opens further sessions. */
export const LOGIN_INDICES_MAX = 16_384;
/** Of one message. */
export const MESSAGE_ROWS_MAX = BATCH_ROWS_MAX;
/** Of one account at a broker: as many as Z8 lets run in any order. */
export const ACCOUNT_ROWS_MAX = 64;
/** Above them, columns are smaller than paths. */
export const HEADER_LEAVES_MAX = 64;
export const NONCE_BYTES = 32;
export const BYE_DETAIL_BYTES_MAX = 120;
