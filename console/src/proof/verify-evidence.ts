/** Verifies evidence in the page. */
import type { EvidenceView } from '@slipstream/schema';
import { useEffect, useState } from 'react';
import { chosenUrl } from '../node/chosen.ts';
import { onAnswer, onWorkerLost, sendToWorker } from './worker.ts';

const waiting = new Map<number, (fault: string | null) => void>();
let lastId = 0;

onAnswer((message) => {
  if (message.type !== 'evidence') return;
  waiting.get(message.verdict.id)?.(message.verdict.fault);
  waiting.delete(message.verdict.id);
});

onWorkerLost(() => {
  for (const resolve of waiting.values()) resolve('the verifier could not be loaded');
  waiting.clear();
});

/** Undefined while it is verified, then the fault, or null: the validator signed both messages. */
export function useEvidenceVerdict(item: EvidenceView): string | null | undefined {
  const [verdict, setVerdict] = useState<string | null>();
  const { type, epoch, offender, view } = item;
  // biome-ignore lint/correctness/useExhaustiveDependencies: these name the item, which never changes
  useEffect(() => {
    lastId += 1;
    const id = lastId;
    waiting.set(id, setVerdict);
    sendToWorker({ type: 'evidence', id, url: chosenUrl(), item });
    return () => void waiting.delete(id);
  }, [type, epoch, offender, view]);
  return verdict;
}
