/** The real pipeline of a whole node; execution takes virtual time. */
import type { Dissemination } from '@slipstream/dissemination';
import { executeBlock } from '@slipstream/execution';
import { createPipeline, type Pipeline, treeOfStore } from '@slipstream/pipeline';
import { assert } from '@slipstream/primitives';
import type { NodeWorld } from '@slipstream/simulator';
import { suppliedPayload } from '../../../../apps/node/src/assembly/application.ts';
import { createChunkProvider } from '../../../../apps/node/src/executor/chunk-provider.ts';
import { slowTree } from '../executing.ts';
import type { ValidatorSetting } from '../validator.ts';
import type { NodeApplications } from './applications.ts';
import { failingOnErrors } from './reported-errors.ts';
import { genesisOf, HASH_KEY, type OpenedStores } from './stores.ts';

const EXECUTE_MS_MAX = 15;

interface PipelineParts {
  readonly world: NodeWorld;
  readonly setting: ValidatorSetting;
  readonly stores: OpenedStores;
  readonly own: NodeApplications;
  fail(error: unknown): void;
}

export async function openPipeline(
  { world, setting, stores, own, fail }: PipelineParts,
  dissemination: () => Dissemination | undefined,
): Promise<Pipeline> {
  const { clock, random } = world;
  const { genesisHash } = setting.chain;
  const provider = createChunkProvider({
    async request(blockId, block, signal) {
      const opened = dissemination();
      assert(opened !== undefined, 'the pipeline starts after dissemination');
      const supplied = await suppliedPayload(opened, blockId, block, signal);
      return setting.judged?.(supplied) ?? supplied;
    },
    chunks: stores.chunks,
  });
  const tree = await treeOfStore(stores.state, slowTree(clock));
  const pipeline = await createPipeline(
    {
      ...stores,
      tree,
      clock,
      telemetry: failingOnErrors(fail),
      chunksOf: provider.chunksOf,
      keepChunks: provider.keep,
      applications: own.applications,
      async executeBlock(block) {
        await new Promise<void>((resolve) => void clock.after(random.unit() * EXECUTE_MS_MAX, resolve));
        return executeBlock(block);
      },
    },
    { genesis: genesisOf(setting.chain), genesisHash, mode: 'parallel', hashKey: HASH_KEY },
  );
  pipeline.onHalted((halt) => fail(`halted: ${halt.type === 'diverged' ? 'diverged' : String(halt.error)}`));
  return pipeline;
}
