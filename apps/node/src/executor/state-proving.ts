/**
 * Proofs of keys for clients, made in the executor's thread one request at a time, each followed by a rest: blocks go first.
 *
 *   keys --> queue (256) --> values and paths of one committed block --> answer: of each key its path, then its value if it has one
 */
import { PipelineError, type ProvenState, type ProveState } from '@slipstream/pipeline';
import type { Clock } from '@slipstream/ports';
import { pathProofCodec } from '@slipstream/state-tree';
import { PROOF_VALUE_BYTES_MAX } from '@slipstream/state-tree/proofs';
import { createAnswerQueue } from '@slipstream/sync/answer-queue';
import { messageOf, type ThreadMessage } from '../threads/message.ts';
import type { ProvenHead } from './wire.ts';

/** Time of rest per time of work: proofs take at most a quarter of the time. A proof of one key takes 0.1 ms, of 64 keys 5 ms. */
const REST_PROVING = 3;

interface ProvingComponents {
  readonly clock: Clock;
  readonly prove: ProveState;
}

export function createStateProving({ clock, prove }: ProvingComponents) {
  const queue = createAnswerQueue(clock, REST_PROVING);
  return (keys: readonly Uint8Array[]): Promise<ThreadMessage<ProvenHead>> =>
    queue(async (work) => {
      try {
        const proven = await prove(keys, work);
        return work(() => answerOf(proven));
      } catch (error) {
        if (error instanceof PipelineError && error.code === 'stopped') return messageOf({ type: 'stopped' });
        throw error;
      }
    });
}

function answerOf({ height, entries }: ProvenState): ThreadMessage<ProvenHead> {
  const missing: number[] = [];
  const bytes: Uint8Array[] = [];
  let valueBytes = 0;
  for (const [at, entry] of entries.entries()) {
    if (!entry.ok) return messageOf({ type: 'shared-prefix', at });
    const { value, path } = entry.value;
    bytes.push(pathProofCodec.encode(path));
    if (value === undefined) missing.push(at);
    else bytes.push(value);
    valueBytes += value?.length ?? 0;
  }
  if (valueBytes > PROOF_VALUE_BYTES_MAX) return messageOf({ type: 'too-large' });
  return messageOf({ type: 'proven', height, missing }, bytes);
}
