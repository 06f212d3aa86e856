export type { OpenedChunk } from './chunk.ts';
export type {
  AttestedChunk,
  ChunkEquivocation,
  Components as DisseminationComponents,
  Compression,
  FetchChunk,
  FetchedChunk,
  Reports as DisseminationReports,
  Rules as DisseminationRules,
  Setting as DisseminationSetting,
} from './components.ts';
export * from './dissemination.ts';
export * from './errors.ts';
export type { FlowCounts, LostReason, RefusedReason } from './flow.ts';
export { createHedgedFetch, type HedgedFetchParts } from './hedged-fetch.ts';
export * from './limits.ts';
export type { PayloadChunk, PayloadVerdict } from './payload.ts';
export type { PayloadRequest } from './payload-builder.ts';
export type { EndReason } from './recent.ts';
export type { ChunkVerdict } from './signature-checks.ts';
export type { RejectReason, SubmitResult } from './submit-result.ts';
export type { DropReason } from './tally.ts';
