import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from '@slipstream/crypto/native';

/** The reference of docs/performance/throughput.md: goals in times are for a machine that verifies so fast. */
export const REFERENCE_VERIFICATION_US = 52;

/** Processor time of one Ed25519 check on this thread, us. More than `rounds` checks where those take less than a tick of the kernel's clock. */
export function verificationUs(rounds: number): number {
  const secret = new Uint8Array(32).fill(1);
  const publicKey = ed25519PublicKey(secret);
  const messages = Array.from({ length: 64 }, (_, index) => new Uint8Array(32).fill(index));
  const signatures = messages.map((message) => ed25519Sign(message, secret));
  const start = process.threadCpuUsage();
  for (let done = 1; ; done++) {
    const at = done % messages.length;
    const valid = ed25519Verify(publicKey, messages[at] as Uint8Array, signatures[at] as Uint8Array);
    if (!valid) throw new Error('a good signature was refused');
    if (done < rounds) continue;
    const { user, system } = process.threadCpuUsage(start);
    if (user + system > 0) return (user + system) / done;
  }
}

/** The same while every core verifies: cores may share what makes one of them fast alone. The mean of the threads. */
export async function busyVerificationUs(rounds: number): Promise<number> {
  const thread = new URL('./verification-thread.ts', import.meta.url);
  const measured = await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const [us] = await once(new Worker(thread, { workerData: rounds }), 'message');
      return us as number;
    }),
  );
  return measured.reduce((sum, us) => sum + us, 0) / measured.length;
}
