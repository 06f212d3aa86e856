/**
 * Preloaded into a validator that is to lie (--import): its network is two-faced-network.ts, all else of it is the real node.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const standIn = pathToFileURL(`${import.meta.dirname}/two-faced-network.ts`).href;

registerHooks({
  resolve(specifier, context, next) {
    const isNode = context.parentURL?.endsWith('/apps/node/src/assembly/node.ts') === true;
    return isNode && specifier === './network.ts' ? next(standIn, context) : next(specifier, context);
  },
});
