import type { WaitStage } from '@slipstream/schema';

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface PageOptions extends CallOptions {
  readonly cursor?: string;
  readonly limit?: number;
}

export interface WaitCallOptions extends CallOptions {
  readonly wait?: WaitStage;
  readonly timeoutMs?: number;
}
