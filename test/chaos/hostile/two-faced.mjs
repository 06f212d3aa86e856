/** Preloaded (--import): replaces a validator's network by two-faced-network.ts. */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const standIn = pathToFileURL(`${import.meta.dirname}/two-faced-network.ts`).href;

registerHooks({
  resolve(specifier, context, next) {
    const isNode = context.parentURL?.endsWith('/apps/node/src/assembly/node.ts') === true;
    return isNode && specifier === './network.ts' ? next(standIn, context) : next(specifier, context);
  },
});
