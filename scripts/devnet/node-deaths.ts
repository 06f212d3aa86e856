/** Reports unexpected deaths of nodes, and restarts the nodes if requested. */
import { type Cluster, logEnd } from '@slipstream/devnet';

export interface NodeDeaths {
  /** One line per unexpected death. */
  readonly errors: readonly string[];
  close(): void;
}

export interface NodeDeathOptions {
  readonly restart: boolean;
  say(text: string): void;
  /** The last node died, and none is restarted. */
  allDead(): void;
}

/** A node that dies repeatedly has the same message each time. */
const ERRORS_MAX = 100;
const RESTART_PAUSE_MS = 1_000;

export function watchNodeDeaths(cluster: Cluster, { restart, say, allDead }: NodeDeathOptions): NodeDeaths {
  const errors: string[] = [];
  let closed = false;

  cluster.onDeath((node, { code, signal }) => {
    if (closed) return;
    const cause = signal === null ? `exit code ${code}` : signal;
    // A user who sends SIGKILL knows of it; any other end is an error.
    if (signal !== 'SIGKILL' && errors.length < ERRORS_MAX) errors.push(`${node.name} died: ${cause}`);
    void report(node.name, cause);
    if (restart) {
      setTimeout(() => {
        if (closed || node.process.running) return;
        cluster.start([node.name]).catch((error: unknown) => say(`${node.name} did not start again: ${String(error)}`));
      }, RESTART_PAUSE_MS);
    } else if (cluster.nodes.every(({ process }) => !process.running)) {
      say('No node runs any more.');
      allDead();
    }
  });

  async function report(name: string, cause: string): Promise<void> {
    const node = cluster.node(name);
    const next = restart ? 'It is started again.' : `Start it again: npm run slipstream -- node --home ${node.home}`;
    const log = await logEnd(node);
    say(`${name} died: ${cause}. ${next}\n  Its log ends with:\n${log}`);
  }

  return {
    errors,
    close() {
      closed = true;
    },
  };
}
