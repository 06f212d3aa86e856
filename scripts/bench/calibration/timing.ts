/** us of the processor, of all threads, since the binding has its own. Other processes add little to it. */
export function processorUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** us of the quickest repetition. */
export function least(repeats: number, work: () => void): number {
  let us = Number.POSITIVE_INFINITY;
  for (let i = 0; i < repeats; i++) {
    const startUs = processorUs();
    work();
    us = Math.min(us, processorUs() - startUs);
  }
  return us;
}
