/** Bounds of the messages between a broker and its clients. */
/** A key sum of so many takes a verifier 15 ms. A gateway with more accounts opens further sessions. */
export const LOGIN_INDICES_MAX = 16_384;
/** A login costs its address one token, and another for each so many indices. A token comes back each second (Q10). */
export const LOGIN_KEYS_PER_TOKEN = 1_024;
/** Of one message to a broker: 117 kB with straggler signatures, which each stream may make a broker hold. */
export const MESSAGE_ROWS_MAX = 1_024;
/** Of one message to a client. */
export const DROPPED_ROWS_MAX = 1_024;
/** Of one account at a broker: as many as Z8 lets run in any order. */
export const ACCOUNT_ROWS_MAX = 64;
/** Above them, columns are smaller than paths. */
export const HEADER_LEAVES_MAX = 64;
export const NONCE_BYTES = 32;
export const END_DETAIL_BYTES_MAX = 120;
