/** A form that is filled in. Faults are shown from the first attempt on, and go as the value becomes right. */
import type { FieldDescription, Json } from '@slipstream/app/program';
import { useState } from 'react';
import { type DraftFields, emptyDraft, type Faults, readDraft } from './drafts.ts';

interface FilledForm {
  readonly drafts: DraftFields;
  readonly faults: Faults;
  change(drafts: DraftFields): void;
  /** The value, unless a field is wrong. */
  attempt(): { readonly [name: string]: Json } | undefined;
}

const NO_FAULTS: Faults = new Map();

export function useDraft(fields: readonly FieldDescription[], path: string): FilledForm {
  const [drafts, setDrafts] = useState<DraftFields>(() => draftsOf(fields));
  const [isTried, setTried] = useState(false);
  const read = readDraft({ form: 'record', fields }, { type: 'record', fields: drafts }, path);
  return {
    drafts,
    faults: isTried ? read.faults : NO_FAULTS,
    change: setDrafts,
    attempt() {
      setTried(true);
      return read.faults.size === 0 ? (read.value as { readonly [name: string]: Json }) : undefined;
    },
  };
}

function draftsOf(fields: readonly FieldDescription[]): DraftFields {
  return Object.fromEntries(fields.map(({ name, of }) => [name, emptyDraft(of)]));
}
