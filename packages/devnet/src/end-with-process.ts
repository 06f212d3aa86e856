/** Child processes that end with this process. They share one listener, because Node reports eleven as a leak. */
import type { ChildProcess } from 'node:child_process';

type Child = Pick<ChildProcess, 'kill'>;

const children = new Set<Child>();

/** Returns a function that removes the child from the list. Idempotent. */
export function endWithProcess(child: Child): () => void {
  if (children.size === 0) process.on('exit', endAll);
  children.add(child);
  return () => {
    children.delete(child);
    if (children.size === 0) process.off('exit', endAll);
  };
}

function endAll(): void {
  for (const child of children) child.kill('SIGTERM');
}
