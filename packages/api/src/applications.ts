/** What manifests read of transactions and receipts, and write of calls that come by name. */
import {
  type ApplicationManifest,
  createManifestJson,
  FormError,
  type Json,
  type ManifestJson,
  type TableManifest,
} from '@slipstream/app/program';
import { bytesEqual, fail, ok, type Result, to0x } from '@slipstream/primitives';
import type { ApplicationEventJson, TransactionJson, TransactionRequestJson } from '@slipstream/schema';
import {
  type ApplicationEvent,
  CALL_INPUT_BYTES_MAX,
  eventsInOutput,
  failureInOutput,
  parseBytes,
  type Receipt,
} from '@slipstream/types';
import type { InstalledApplication, InstalledApplications } from './backend.ts';

export interface KnownApplication extends InstalledApplication {
  readonly number: number;
  readonly json: ManifestJson;
}

/** Those of an epoch whose artifacts are here. */
export interface KnownApplications {
  readonly all: readonly KnownApplication[];
  byNumber(number: number): KnownApplication | undefined;
  byName(name: string): KnownApplication | undefined;
  /** Adds names and fields to calls. */
  withNames(transaction: TransactionJson): TransactionJson;
  /** Calls by name become calls in bytes. Fails with what is wrong, and where. */
  withBytes(
    transaction: TransactionRequestJson,
  ): Result<TransactionJson, { readonly path: string; readonly message: string }>;
  eventOf(event: ApplicationEvent): ApplicationEventJson;
  eventsOf(receipt: Receipt): { readonly events?: readonly ApplicationEventJson[]; readonly failure?: string };
}

type ActionJson = TransactionJson['actions'][number];
type CallJson = Extract<ActionJson, { readonly kind: 'call' }>;
type CallRequest = Extract<TransactionRequestJson['actions'][number], { readonly kind: 'call' }>;

export function createKnownApplications(installed: InstalledApplications): KnownApplications {
  const known = installed.map(
    (application, number) => application && { ...application, number, json: createManifestJson(application.manifest) },
  );
  const all = known.filter((application) => application !== undefined);
  const byName = new Map(all.map((application) => [application.manifest.name, application]));

  function bytesOf(call: CallRequest): CallJson {
    if (call.name === undefined) return call as CallJson;
    const { application, name, fields } = call;
    const { manifest, json } = required(byName.get(application), `there is no application ${application}`);
    const { number } = required(actionNamed(manifest, name), `${application} has no action ${name}`);
    const input = fields === undefined ? undefined : json.inputFromJson(number, fields);
    if (input !== undefined && input.length > CALL_INPUT_BYTES_MAX)
      throw new RangeError(`the input has ${input.length} bytes, at most ${CALL_INPUT_BYTES_MAX}`);
    if (!('input' in call))
      return { kind: 'call', application, action: number, input: to0x(input ?? new Uint8Array(0)) };
    const isSame = call.action === number && (input === undefined || bytesEqual(input, parseBytes(call.input)));
    if (!isSame) throw new RangeError('name and fields are not those of action and input: leave one pair out');
    return call;
  }

  const eventOf = (event: ApplicationEvent) => eventJson(event, known[event.application]);

  return {
    all,
    byNumber: (number) => known[number],
    byName: (name) => byName.get(name),
    withNames: (transaction) => ({
      ...transaction,
      actions: transaction.actions.map((action) =>
        action.kind === 'call' ? withNames(action, byName.get(action.application)) : action,
      ),
    }),
    withBytes(transaction) {
      const actions: ActionJson[] = [];
      for (const [i, action] of transaction.actions.entries()) {
        try {
          actions.push(action.kind === 'call' ? bytesOf(action) : action);
        } catch (error) {
          if (!(error instanceof FormError) && !(error instanceof RangeError)) throw error;
          return fail({ path: `/actions/${i}`, message: error.message });
        }
      }
      return ok({ ...transaction, actions });
    },
    eventOf,
    eventsOf({ output }) {
      const events = (eventsInOutput(output) ?? []).map(eventOf);
      const failure = failureInOutput(output);
      return { ...(events.length > 0 && { events }), ...(failure !== undefined && { failure }) };
    },
  };
}

export function tableNamed({ tables }: ApplicationManifest, name: string): TableManifest | undefined {
  return tables.find((table) => table.name === name);
}

/** Undefined: the bytes are no value of the form. */
function readForm<T extends Json>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormError) return undefined;
    throw error;
  }
}

type Fields = { readonly [name: string]: Json };

function withNames(call: CallJson, application: KnownApplication | undefined): CallJson {
  const action = application?.manifest.actions.find(({ number }) => number === call.action);
  if (application === undefined || action === undefined) return call;
  const fields = readForm(() => application.json.inputToJson(action.number, parseBytes(call.input))) as
    | Fields
    | undefined;
  return { ...call, name: action.name, ...(fields && { fields }) };
}

function eventJson(
  { application: number, event, body }: ApplicationEvent,
  application: KnownApplication | undefined,
): ApplicationEventJson {
  const found = application?.manifest.events.find((each) => each.number === event);
  const json = { application: application?.manifest.name ?? String(number), event, body: to0x(body) };
  if (application === undefined || found === undefined) return json;
  const fields = readForm(() => application.json.eventToJson(event, body)) as Fields | undefined;
  return { ...json, name: found.name, ...(fields && { fields }) };
}

function actionNamed({ actions }: ApplicationManifest, name: string) {
  return actions.find((action) => action.name === name);
}

function required<T>(found: T | undefined, message: string): T {
  if (found === undefined) throw new RangeError(message);
  return found;
}
