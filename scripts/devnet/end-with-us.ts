/** Child processes that end when this process does: one listener for all, since Node takes eleven of them for a leak. */
import type { ChildProcess } from 'node:child_process';

type Child = Pick<ChildProcess, 'kill'>;

const children = new Set<Child>();

/** The result forgets a child that has ended. Idempotent. */
export function endWithUs(child: Child): () => void {
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
