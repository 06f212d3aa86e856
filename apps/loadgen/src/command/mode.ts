import type { ExitCode } from '@slipstream/command-line';
import type { TargetNetwork } from '../network/target-network.ts';
import type { RunComponents, RunResult } from '../run/steady-run.ts';
import type { SignedBatch } from '../signing/signed-batch.ts';

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

interface ModeOutcome {
  readonly exitCode: ExitCode;
  readonly json: object;
  readonly runs: readonly RunResult[];
  readonly text: string;
}

export type Mode = (context: ModeContext, options: ModeOptions) => Promise<ModeOutcome>;
