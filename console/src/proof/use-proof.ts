/** Has the page's light client verify what a view shows, until the chain has certified it. */
import { useCallback, useEffect, useState } from 'react';
import { type Verification, verifyInPage } from './verify.ts';
import type { Question } from './verify-message.ts';

export interface Proof {
  /** Of what is shown. Undefined: it is checked now. */
  readonly verification: Verification | undefined;
  /** Of the last one with a changed bit, until it is verified unchanged again. */
  readonly flipped: Verification | undefined;
  readonly busy: boolean;
  readonly verify: () => void;
  readonly flip: () => void;
}

/** Until the chain has certified it. */
const AGAIN_MS = 2_000;

/** `name` stands for what is shown: another name asks another question. Without a question nothing is shown so far. */
export function useProof(name: string, question: Question | undefined): Proof {
  const [held, setHeld] = useState<{ readonly name: string; readonly verification: Verification }>();
  const [flipped, setFlipped] = useState<Verification>();
  const [round, setRound] = useState(0);
  const [busy, setBusy] = useState(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the question; a round asks it again
  useEffect(() => {
    if (question === undefined) return;
    let isEnded = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setBusy(true);
    setFlipped(undefined);
    const run = async () => {
      const verification = await verifyInPage(question);
      if (isEnded) return;
      setHeld({ name, verification });
      setBusy(false);
      if (verification.outcome === 'not-yet') timer = setTimeout(run, AGAIN_MS);
    };
    void run();
    return () => {
      isEnded = true;
      clearTimeout(timer);
    };
  }, [name, round]);

  const verify = useCallback(() => setRound((before) => before + 1), []);
  const flip = async () => {
    if (question === undefined) return;
    setBusy(true);
    setFlipped(await verifyInPage(question, { flip: true }));
    setBusy(false);
  };
  return { verification: held?.name === name ? held.verification : undefined, flipped, busy, verify, flip };
}
