export { createAccountLists, unknownAccounts } from './account-lists.ts';
export type { FinalizedRange, HeightCertificates } from './certificate-reads.ts';
export type { BlockPage, ExecutedIds, LedgerBlock } from './chain-reads.ts';
export * from './errors.ts';
export type { EventPage, EventPlace, LedgerEvent } from './event-reads.ts';
export * from './ledger.ts';
export { LEDGER_SCHEMA } from './owner.ts';
export type { ProofMaterial } from './proof-material.ts';
export { createBodyReader, createLedgerReader, type LedgerReader } from './reader.ts';
export {
  evidenceCodec,
  type LedgerTip,
  type PeerBlockRecord,
  peerBlockCodec,
  transactionIdOfReceipt,
} from './records.ts';
export type { AccountCursor, AccountPage, LedgerBatch, LedgerEntry, LedgerTransaction } from './transaction-reads.ts';
export type { CommitSeal, ExecutedBlock, NamedBlock } from './write-operations.ts';
