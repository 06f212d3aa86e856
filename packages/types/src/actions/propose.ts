/**
 * propose: changes of the committee and the parameters, in order. The sender approves them by it. Units depend on the changes' bytes
 * (proposal-units.ts).
 */
import type { Change } from '../epochs/changes.ts';
import type { ChangeJson } from '../epochs/changes-json.ts';
import { type Described, list, timeMs } from '../forms/description.ts';
import { type ActionOf, defineAction } from './definition.ts';

export const PROPOSAL_CHANGES_MAX = 8;

const change: Described<Change, ChangeJson> = { form: 'change', name: 'change' };

export const propose = defineAction({
  kind: 'propose',
  tag: 8,
  title: 'Propose',
  about: 'Proposes changes of the committee and the parameters.',
  fields: {
    changes: list(change, { min: 1, max: PROPOSAL_CHANGES_MAX }),
    /** Of block time. */
    notBeforeMs: timeMs,
  },
});

export type Propose = ActionOf<typeof propose>;
