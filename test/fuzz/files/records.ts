/** Flight recordings and the audit log. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordingError, replayRecording } from '@slipstream/flight-recorder';
import { DATA } from '@slipstream/node-home';
import { createAuditLog } from '../../../apps/node/src/backend/audit-log.ts';
import { looksTorn } from './damage.ts';
import type { DataFolder } from './folder.ts';
import type { Case, StoreUnderTest } from './stores.ts';
import { digestOf, forbidden, listening, verdict } from './verdict.ts';

interface Replayed {
  readonly end: ReturnType<typeof replayRecording>['end'];
  readonly steps: readonly string[];
}

/** Steps up to the damaged entry. */
function replayed(bytes: Uint8Array): Replayed {
  const steps: string[] = [];
  const { end } = replayRecording(bytes, {
    onStep: ({ entry, nowMs, input }) => steps.push(`${entry} ${nowMs} ${input.type}`),
  });
  return { end, steps };
}

export function recordingsUnderTest({ files }: DataFolder): StoreUnderTest {
  const truths = new Map<string, Replayed>();

  return {
    async judge({ files: damaged, path }: Case) {
      const truth = truths.get(path) ?? replayed(files.get(path) as Uint8Array);
      truths.set(path, truth);
      let found: Replayed;
      try {
        found = replayed(damaged.get(path) as Uint8Array);
      } catch (error) {
        if (error instanceof RecordingError) return verdict('refused', error.message);
        return forbidden(`an error without a type: ${error instanceof Error ? error.stack : String(error)}`);
      }
      const { end, steps } = found;
      if (end.type === 'damaged' || end.type === 'differs') return verdict('named', `${end.type} at ${steps.length}`);
      if (!steps.every((step, at) => step === truth.steps[at])) return forbidden('a step that was never recorded');
      if (digestOf(end) === digestOf(truth.end) && steps.length === truth.steps.length) return verdict('same');
      if (end.type === 'whole' && !end.stoppedInOrder) return verdict('cut', `${end.cutBytes} bytes at the end`);
      return forbidden(`ends as ${digestOf(end)} after ${steps.length} of ${truth.steps.length} steps`);
    },
  };
}

export async function auditUnderTest({ files }: DataFolder, scratch: string): Promise<StoreUnderTest> {
  async function entriesOf(bytes: Uint8Array) {
    const folder = await mkdtemp(join(scratch, 'audit-'));
    const file = join(folder, DATA.audit);
    await writeFile(file, bytes);
    const { telemetry, words } = listening();
    const newest = await createAuditLog(file, telemetry).newest();
    await rm(folder, { recursive: true });
    return { entries: newest.map(digestOf), words };
  }
  const truth = await entriesOf(files.get(DATA.audit) ?? new Uint8Array(0));

  return {
    async judge({ files: damaged, damage }: Case) {
      const { entries, words } = await entriesOf(damaged.get(DATA.audit) as Uint8Array);
      const wrong = entries.find((entry) => !truth.entries.includes(entry));
      if (wrong !== undefined) return forbidden(`an act that was never done: ${wrong}`);
      if (entries.length === truth.entries.length) return verdict('same');
      const reported = words[0];
      if (reported !== undefined) return verdict('named', reported);
      const left = `${entries.length} of ${truth.entries.length} acts`;
      return looksTorn(damage) ? verdict('cut', left) : forbidden(`${left}, without a word`);
    },
  };
}
