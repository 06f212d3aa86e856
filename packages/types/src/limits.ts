/** Maxima of the wire formats. */

/** See consensus.md. */
export const COMMITTEE_MEMBERS_MAX = 1024;
export const COMMITTEE_WEIGHT_MAX = 10_000;
export const SIGNER_BITMAP_BYTES_MAX = COMMITTEE_MEMBERS_MAX / 8;

export const BLS_PUBLIC_KEY_BYTES = 48;
/** In the account directory: sums of many keys skip the decompression. */
export const BLS_UNCOMPRESSED_KEY_BYTES = 96;
/** Compressed: in certificates. */
export const BLS_AGGREGATE_BYTES = 96;
/** Uncompressed, in votes and proposals: faster to decode (signatures.md). */
export const BLS_SIGNATURE_BYTES = 192;
export const ED25519_PUBLIC_KEY_BYTES = 32;
export const ED25519_SIGNATURE_BYTES = 64;

export const NODE_NAME_BYTES_MAX = 40;
/** 253 for the host name, 5 for the port. */
export const NODE_ADDRESS_BYTES_MAX = 259;

export const ACTIONS_MAX = 16;
/** An advanceIssuer between committees of 256 takes 26 kB, a transferMany to 100 accounts 5 kB. */
export const ACTION_BODY_BYTES_MAX = 28 * 1024;
/** A session credential with its Merkle path and two certificates has 17 kB at most. */
export const AUTH_BYTES_MAX = 17 * 1024;
export const TRANSACTION_BYTES_MAX = 64 * 1024;
/** Latest expiry after the including block's timestamp. */
export const TRANSACTION_LIFE_MS_MAX = 60_000;

export const CHUNK_BYTES_MAX = 2 * 1024 * 1024;
export const CHUNK_TRANSACTIONS_MAX = 10_000;
/** One multi-pairing, some 40 ms. */
export const CHUNK_BATCHES_MAX = 64;
/** A block's by default. */
export const CHUNK_ROWS_MAX = 65_536;
/** Above the largest batch (distilled.md): 8,192 rows of 30 bytes, each with a straggler signature of 84. */
export const CHUNK_BATCH_BYTES_MAX = 960 * 1024;
/** Header, signature, body and offsets. */
export const CHUNK_MESSAGE_BYTES_MAX = CHUNK_BYTES_MAX + 1024;

/** With certificates of 1,024 signers a header stays under 48 kB. */
export const BLOCK_CHUNKS_MAX = 128;
export const BLOCK_BYTES_MAX = 64 * 1024;

/** In a justification; the rest is fetched by range (rule 2). */
export const JUSTIFICATION_NULLIFICATIONS_MAX = 64;

export const RECEIPT_OUTPUT_BYTES_MAX = 2048;
/** Of a transaction that grants a session: its receipt is part of credentials. */
export const GRANT_OUTPUT_BYTES_MAX = 256;
/** Of all receipts of a block. */
export const BLOCK_OUTPUT_BYTES_MAX = 1024 * 1024;

export const APPLICATION_NAME_BYTES_MAX = 32;
/** Of a genesis. */
export const APPLICATIONS_MAX = 64;
/** Of an application's genesis function. */
export const APPLICATION_GENESIS_BYTES_MAX = 1024 * 1024;
/** A call fits into a transaction with any authority. */
export const CALL_INPUT_BYTES_MAX = 7 * 1024;

/** SSZ form. */
export const GENESIS_BYTES_MAX = 64 * 1024 * 1024;
export const GENESIS_ALLOCATIONS_MAX = 1_000_000;

export const SYNC_BLOCKS_MAX = 64;
/** Fillers that prove an epoch's end: as many views in a row that have a block and no finality. More are not stored, and not served. */
export const EPOCH_FILLERS_MAX = 1024;
export const SYNC_CERTIFICATES_MAX = 256;
export const SYNC_RESPONSE_BYTES_MAX = 4 * 1024 * 1024;
/** Of an artifact: a second at 2 Mbit/s, so that a slow link answers within a request's time. All but the last have as many. */
export const ARTIFACT_PIECE_BYTES = 256 * 1024;
