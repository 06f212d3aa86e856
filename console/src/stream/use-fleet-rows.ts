/** Rows of the fleet. Their worker lives as long as the view. */
import { useEffect, useRef, useState } from 'react';
import type { FleetRow, WatchedNode } from './fleet-session.ts';

const NONE: readonly FleetRow[] = [];

export function useFleetRows(nodes: readonly WatchedNode[]): ReadonlyMap<string, FleetRow> {
  const [rows, setRows] = useState<readonly FleetRow[]>(NONE);
  const worker = useRef<Worker>(undefined);
  const named = nodes.map(({ name, url }) => `${name} ${url}`).join('\n');

  useEffect(() => {
    const made = new Worker(new URL('./fleet-worker.ts', import.meta.url), { type: 'module', name: 'fleet' });
    made.addEventListener('message', ({ data }: MessageEvent<readonly FleetRow[]>) => setRows(data));
    worker.current = made;
    return () => {
      made.terminate();
      worker.current = undefined;
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: names and addresses stand for the nodes
  useEffect(() => {
    worker.current?.postMessage(nodes);
  }, [named]);

  return new Map(rows.map((row) => [row.name, row]));
}
