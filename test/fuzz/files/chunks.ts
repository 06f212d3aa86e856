/** Chunks of committed blocks, in real files with an index in LevelDB, read as for peers. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import { openKeyValue } from '@slipstream/platform';
import { silentTelemetry, type Telemetry } from '@slipstream/ports';
import { createRandom } from '@slipstream/simulator';
import { asId, type ChunkId, ID_BYTES } from '@slipstream/types';
import { openChunks } from '../../../apps/node/src/storage/chunk-store.ts';
import { createRetainedChunks } from '../../../apps/node/src/storage/retained-chunks.ts';
import { looksTorn } from './damage.ts';
import { below, type DataFolder, type Files, writeFiles } from './folder.ts';
import type { Case, StoreUnderTest } from './stores.ts';
import { digestOf, forbidden, listening, refusal, verdict } from './verdict.ts';

const NAMES_PLACE = /(\/[0-9]+\.(ldb|log)|MANIFEST-[0-9]+|CURRENT)/;
const CHUNKS_MAX = 1_000;

export async function chunksUnderTest({ files, genesisHash }: DataFolder, scratch: string): Promise<StoreUnderTest> {
  const folder = join(scratch, 'with-chunks');
  const random = createRandom('flips/chunks');

  async function lay(from: Files): Promise<void> {
    await rm(folder, { recursive: true, force: true });
    for (const name of [DATA.chunks, DATA.chunkFiles]) await writeFiles(join(folder, name), below(from, name));
  }

  async function open(from: Files, telemetry: Telemetry = silentTelemetry) {
    await lay(from);
    return openChunks(folder, genesisHash, { random, telemetry });
  }

  async function idsOfIndex(): Promise<readonly ChunkId[]> {
    await lay(files);
    const index = await openKeyValue({ location: join(folder, DATA.chunks) });
    const range = { from: new Uint8Array([0]), to: new Uint8Array(33).fill(255), limit: CHUNKS_MAX };
    const keys = (await index.range(range)).map(({ key }) => key);
    await index.close();
    return keys.filter(({ length }) => length === ID_BYTES).map((key) => asId<ChunkId>(key));
  }

  const ids = await idsOfIndex();
  const sound = await open(files);
  const truth: { readonly id: ChunkId; readonly value: string }[] = [];
  for (const id of ids) truth.push({ id, value: digestOf(await sound.get(id)) });
  await sound.close();

  return {
    async judge({ files: damaged, damage }: Case) {
      const { telemetry, words } = listening();
      const opened = await open(damaged, telemetry).catch((error: unknown) => refusal(error, NAMES_PLACE));
      if ('outcome' in opened) return opened;
      const atOpening = words.length;
      const load = createRetainedChunks(opened, telemetry);
      try {
        let missing = 0;
        for (const { id, value } of truth) {
          const countBefore = words.length;
          const read = await load(id);
          if (read === undefined && words.length === countBefore) missing += 1;
          else if (read !== undefined && digestOf(read) !== value) return forbidden('another chunk under this id');
        }
        // The ledger still names them: the node takes missing ones as pruned, and asks peers.
        const isReported = atOpening > 0 || looksTorn(damage);
        if (missing > 0 && !isReported) return forbidden(`${missing} chunks are missing without a word`);
        if (missing > 0) return verdict('cut', words[0] ?? `${missing} chunks at the end are gone`);
        return words.length > 0 ? verdict('named', words[0]) : verdict('same');
      } finally {
        await opened.close();
      }
    },
  };
}
