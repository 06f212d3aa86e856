/** Chunks of committed blocks, on real LevelDB files, read as they are read for peers. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { silentTelemetry, type Telemetry } from '@slipstream/ports';
import type { ChunkId } from '@slipstream/types';
import { createKeptChunks } from '../../../apps/node/src/assembly/kept-chunks.ts';
import { openChunks } from '../../../apps/node/src/assembly/stores.ts';
import { DATA } from '../../../apps/node/src/folder/layout.ts';
import { looksTorn } from './damage.ts';
import { below, type DataFolder, type Files, writeFiles } from './folder.ts';
import type { Case, StoreUnderTest } from './stores.ts';
import { digestOf, forbidden, listening, refusal, verdict } from './verdict.ts';

const NAMES_PLACE = /(\/[0-9]+\.(ldb|log)|MANIFEST-[0-9]+|CURRENT)/;
const CHUNKS_MAX = 1_000;

export async function chunksUnderTest({ files }: DataFolder, scratch: string): Promise<StoreUnderTest> {
  const location = join(scratch, 'chunks');

  async function open(from: Files, telemetry: Telemetry = silentTelemetry) {
    await rm(location, { recursive: true, force: true });
    await writeFiles(location, below(from, DATA.chunks));
    return await openChunks(scratch, telemetry);
  }

  const sound = await open(files);
  const range = { from: new Uint8Array([0]), to: new Uint8Array(33).fill(255), limit: CHUNKS_MAX };
  const truth = (await sound.range(range)).map(({ key, value }) => ({ id: key as ChunkId, value: digestOf(value) }));
  await sound.close();

  return {
    async judge({ files: damaged, damage }: Case) {
      const { telemetry, words } = listening();
      const opened = await open(damaged, telemetry).catch((error: unknown) => refusal(error, NAMES_PLACE));
      if ('outcome' in opened) return opened;
      const atOpening = words.length;
      const load = createKeptChunks(opened, telemetry);
      try {
        let missing = 0;
        for (const { id, value } of truth) {
          const told = words.length;
          const read = await load(id);
          if (read === undefined && words.length === told) missing += 1;
          else if (read !== undefined && digestOf(read) !== value) return forbidden('another chunk under this id');
        }
        // The ledger still names them: the node takes what is missing for pruned, and asks peers.
        const isTold = atOpening > 0 || looksTorn(damage);
        if (missing > 0 && !isTold) return forbidden(`${missing} chunks are missing without a word`);
        if (missing > 0) return verdict('cut', words[0] ?? `${missing} chunks at the end are gone`);
        return words.length > 0 ? verdict('named', words[0]) : verdict('same');
      } finally {
        await opened.close();
      }
    },
  };
}
