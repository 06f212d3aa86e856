/** What a reload changed, in lines for people. */
import { type ApplicationManifest, createManifestJson, FormError } from '@slipstream/app/program';
import { to0x } from '@slipstream/primitives';
import { type Action, eventsInOutput, failureInOutput, type Receipt } from '@slipstream/types';
import type { ChangedReceipt } from '../../development/changed-receipts.ts';
import type { ExecutedAgain } from '../../development/execute-again.ts';

export interface ShownChange {
  readonly height: number;
  readonly id: string;
  /** What the transaction asked for: "poll.vote". */
  readonly calls: string;
  readonly before: string;
  readonly after: string;
}

interface Manifests {
  readonly before: ApplicationManifest;
  readonly after: ApplicationManifest;
}

export function shownChanges({ changed }: ExecutedAgain, manifests: Manifests): readonly ShownChange[] {
  return changed.map((change) => shownChange(change, manifests));
}

function shownChange({ height, transaction, before, after }: ChangedReceipt, manifests: Manifests): ShownChange {
  const texts = [receiptText(before, manifests.before), receiptText(after, manifests.after)] as const;
  const isSame = texts[0] === texts[1];
  return {
    height,
    id: to0x((before ?? after)?.transactionId ?? new Uint8Array(0)),
    calls: transaction?.body.actions.map((action) => callText(action, manifests.before)).join(', ') ?? '',
    before: isSame ? unitsText(before) : texts[0],
    after: isSame ? unitsText(after) : texts[1],
  };
}

function callText(action: Action, { name, actions }: ApplicationManifest): string {
  if (action.kind !== 'call') return action.kind;
  const found = action.application === name ? actions.find(({ number }) => number === action.action) : undefined;
  return `${action.application}.${found?.name ?? action.action}`;
}

function receiptText(receipt: Receipt | undefined, manifest: ApplicationManifest): string {
  if (receipt === undefined) return 'skipped';
  const { outcome, output } = receipt;
  if (outcome.status === 'failed') return `failed: ${failureInOutput(output) ?? outcome.code}`;
  const events = (eventsInOutput(output) ?? []).map(({ event, body }) => eventText(manifest, event, body));
  return ['success', ...events].join(', ');
}

function eventText(manifest: ApplicationManifest, event: number, body: Uint8Array): string {
  const name = manifest.events.find(({ number }) => number === event)?.name;
  if (name === undefined) return `event ${event}`;
  try {
    return `${name} ${JSON.stringify(createManifestJson(manifest).eventToJson(event, body))}`;
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    return `${name} ${to0x(body)}`;
  }
}

function unitsText(receipt: Receipt | undefined): string {
  return receipt === undefined ? 'skipped' : `units ${receipt.units.join(' ')}`;
}
