import { describe, expect, it } from 'vitest';
import { playMutation } from './mutations/play.ts';
import { MUTATIONS } from './mutations/table.ts';

/** One per kind of rule, quickly detected; `npm run sim -- --mutations` plays all. */
const SAMPLE = ['send-before-sync', 'finalize-after-nullify', 'quorum-of-half', 'skip-nullification-check'];

describe('a simulation fails when a rule is broken on purpose', () => {
  it.each(MUTATIONS.filter(({ name }) => SAMPLE.includes(name)))('$name: $about', async (mutation) => {
    expect((await playMutation(mutation)).caught).toBeDefined();
  });
});
