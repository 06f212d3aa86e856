import type { Application } from '@slipstream/consensus';
import type { Dissemination } from '@slipstream/dissemination';
import type { Pipeline } from '@slipstream/pipeline';

/** The node's application (assembly/application.ts), with the pipeline in the same thread. */
export function applicationOf(dissemination: Dissemination, pipeline: Pipeline): Application {
  return {
    buildPayload: dissemination.buildPayload,
    checkPayload: dissemination.checkPayload,
    execute(blockId, block) {
      dissemination.trackBlock(blockId, block);
      return pipeline.execute(blockId, block);
    },
    notarized(blockId) {
      dissemination.notarized(blockId);
      pipeline.notarized(blockId);
    },
    finalized(blockId, block, certificate) {
      dissemination.trackBlock(blockId, block);
      pipeline.finalized(blockId, block, certificate);
    },
    certified: (certificate) => pipeline.certified(certificate),
    hasPending: dissemination.hasPending,
  };
}
