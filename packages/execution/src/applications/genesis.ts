/** Entries of applications in the state of genesis (applications.md, A2). */
import { to0x } from '@slipstream/primitives';
import { applicationEntriesCodec, bindsArtifact, type Genesis } from '@slipstream/types';
import { ExecutionError } from '../errors.ts';
import type { StateKey } from '../state-keys.ts';
import type { Write } from '../write-columns.ts';
import type { Applications } from './applications.ts';
import { APPLICATIONS_KEY } from './keys.ts';

/** In no order. Throws ExecutionError `application-differs`, `application-genesis`. */
export function applicationWrites({ applications = [] }: Genesis, running: Applications): readonly Write[] {
  if (applications.length === 0) return [];
  const written = new Map<string, Write>();
  const entries = {
    get: ({ text }: StateKey) => written.get(text)?.value,
    set: ({ text, bytes: key }: StateKey, value: Uint8Array | undefined) => void written.set(text, { key, value }),
  };
  const installed = applications.map(({ name, hash, input }, number) => {
    const found = running.installed[number];
    if (found === undefined || !bindsArtifact({ hash }, found.hash) || found.program.manifest.name !== name) {
      const message = `genesis names ${name} with artifact ${to0x(hash)} as application ${number}; this node has another: give it that one`;
      throw new ExecutionError('application-differs', message, { name, number });
    }
    running.genesis(number, entries, input);
    return { name, hash: found.hash, version: found.program.manifest.version };
  });
  const list = { key: APPLICATIONS_KEY.bytes, value: applicationEntriesCodec.encode(installed) };
  return [...[...written.values()].filter(({ value }) => value !== undefined), list];
}
