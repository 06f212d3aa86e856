export type { Directory } from './batches/batch-judge.ts';
export type { OfferResult } from './batches/batch-offers.ts';
export type { OpenedChunk } from './chunks/chunk.ts';
export { createHedgedFetch } from './chunks/hedged-fetch.ts';
export type {
  AckMode,
  AttestedChunk,
  ChunkEquivocation,
  Components as DisseminationComponents,
  FetchChunk,
  FetchedChunk,
  Reports as DisseminationReports,
  Rules as DisseminationRules,
  Setting as DisseminationSetting,
} from './components.ts';
export * from './dissemination.ts';
export type { Epochs } from './epochs/committees.ts';
export * from './errors.ts';
export type { RejectReason, SubmitResult } from './intake/submit-result.ts';
export type { ChunkVerdict } from './intake/verdict.ts';
export * from './limits.ts';
export type { DropReason } from './metrics/drop-counter.ts';
export type { FlowCounts } from './metrics/flow.ts';
export type { DisseminationStats } from './metrics/stats.ts';
export type { EndReason } from './pool/recent-outcomes.ts';
export type { TransactionState } from './pool/transaction-status.ts';
export type { PayloadRequest } from './proposals/payload-builder.ts';
export type { PayloadChunk, PayloadVerdict } from './proposals/payload-check.ts';
