/** Loads sources with the mutation SLIPSTREAM_MUTATION. Import it first (`node --import`). */
import { registerHooks } from 'node:module';
import { applyEdits, findEdits } from './edits.ts';

const name = process.env.SLIPSTREAM_MUTATION ?? '';
const [mutated] = findEdits([name]);
if (mutated === undefined) throw new RangeError(`there is no mutation "${name}"`);
if (mutated.faults.length > 0) throw new Error(mutated.faults.join('\n'));

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const edits = mutated.edits.filter(({ path }) => url.endsWith(`/${path}`));
    if (edits.length === 0) return loaded;
    const { source } = loaded;
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source as Uint8Array);
    return { ...loaded, source: applyEdits(text, edits) };
  },
});
