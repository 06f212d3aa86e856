import type { RunComponents, RunResult, SignedBatch } from '@slipstream/app-loadgen';
import type { ExitCode } from '@slipstream/command-line';
import type { TargetNetwork } from './target-network.ts';

export interface ModeOptions {
  readonly rate: number;
  readonly seconds: number;
  readonly ramp: boolean;
  readonly overload: boolean;
  readonly kill: boolean;
  readonly bound: number;
  readonly ceiling: number;
}

export interface ModeContext {
  readonly components: RunComponents;
  readonly network: TargetNetwork;
  readonly signed: readonly SignedBatch[] | undefined;
  readonly signal: AbortSignal;
  say(text: string): void;
}

export interface ModeOutcome {
  readonly exitCode: ExitCode;
  readonly json: object;
  readonly runs: readonly RunResult[];
  readonly text: string;
}

export type Mode = (context: ModeContext, options: ModeOptions) => Promise<ModeOutcome>;
