/** The stages of a block on a node, each from an earlier time to its own: for metrics and the console's charts. */
import type { StageTimes } from './answers.ts';

interface StageSpan<Stage extends string> {
  readonly stage: Stage;
  readonly from: (times: StageTimes) => number | undefined;
  readonly to: keyof StageTimes;
}

const span = <Stage extends string>(
  stage: Stage,
  to: keyof StageTimes,
  from: StageSpan<Stage>['from'],
): StageSpan<Stage> => ({ stage, from, to });

export const STAGE_SPANS = [
  span('notarize', 'notarizedMs', ({ proposedMs }) => proposedMs),
  span('finalize', 'finalizedMs', ({ notarizedMs, proposedMs }) => notarizedMs ?? proposedMs),
  span('prepare', 'preparedMs', ({ proposedMs }) => proposedMs),
  span('execute', 'executedMs', ({ preparedMs, proposedMs }) => preparedMs ?? proposedMs),
  span('digest', 'digestedMs', ({ executedMs }) => executedMs),
  span('optimistic-commit', 'optCommittedMs', ({ digestedMs }) => digestedMs),
  span('certify', 'certifiedMs', ({ digestedMs, executedMs }) => digestedMs ?? executedMs),
  span('commit', 'committedMs', ({ finalizedMs, certifiedMs }) => latest(finalizedMs, certifiedMs)),
  span('notify', 'notifiedMs', ({ committedMs }) => committedMs),
] as const;

export type BlockStage = (typeof STAGE_SPANS)[number]['stage'];

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
