/** Applications: manifests, artifacts, entries of tables, queries. */
import { FormError, type Json, type TableManifest } from '@slipstream/app/program';
import { concatBytes, fromHex, to0x } from '@slipstream/primitives';
import {
  type Applications,
  type ApplicationView,
  type JsonObject,
  PAGE_ITEMS_DEFAULT,
  type QueryAnswer,
  type TableEntries,
  type TableEntry,
} from '@slipstream/schema';
import { type Height, stateKeyOfEntry } from '@slipstream/types';
import { type Answer, type ApiRequest, bytes, type Handler, json, refuse } from '../answer.ts';
import { type KnownApplication, tableNamed } from '../applications.ts';
import type { NodeBackend, QueryOutcome, StateRead } from '../backend.ts';
import { revalidatedHeaders, tagOf } from '../caching.ts';
import { applicationDocument } from '../docs/application-document.ts';
import type { RunningApplications } from '../running-applications.ts';
import { eventPage } from './application-events.ts';
import { wantsProof, withProof } from './state-proofs.ts';

type ApplicationRoute =
  | ('applications' | 'application' | 'artifacts' | 'quarantine' | 'applicationArtifact' | 'applicationOpenapi')
  | ('tableEntry' | 'tableEntries' | 'applicationQuery' | 'applicationEvents');

interface OfTable {
  readonly application: KnownApplication;
  readonly table: TableManifest;
}

export function createApplicationHandlers(
  backend: NodeBackend,
  running: RunningApplications,
  version: string,
): Readonly<Record<ApplicationRoute, Handler>> {
  async function inApplication(
    request: ApiRequest,
    answer: (application: KnownApplication) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const application = (await running.now()).byName(request.params.application ?? '');
    return application === undefined ? refuse('application-unknown') : answer(application);
  }

  function inTable(request: ApiRequest, answer: (of: OfTable) => Answer | Promise<Answer>) {
    return inApplication(request, (application) => {
      const table = tableNamed(application.manifest, request.params.table ?? '');
      return table === undefined ? refuse('table-unknown') : answer({ application, table });
    });
  }

  return {
    async applications() {
      const { all } = await running.now();
      const tag = tagOf(concatBytes(...all.map(({ hash }) => hash)));
      return json({ applications: all.map(viewOf) } satisfies Applications, 200, revalidatedHeaders(tag));
    },
    application: (request) =>
      inApplication(request, (application) => {
        const view = viewOf(application);
        return json(view, 200, revalidatedHeaders(view.hash));
      }),
    artifacts: async () => json({ artifacts: await backend.artifacts() }),
    quarantine: async () => json({ items: await backend.quarantine() }),
    applicationArtifact: (request) =>
      inApplication(request, ({ hash, artifact }) =>
        bytes('application/octet-stream', artifact, revalidatedHeaders(to0x(hash))),
      ),
    applicationOpenapi: (request) =>
      inApplication(request, ({ manifest }) => described(applicationDocument(manifest, version))),
    tableEntry: (request) => inTable(request, (of) => entryAnswer({ backend, running }, request, of)),
    tableEntries: (request) => inTable(request, (of) => pageAnswer({ backend, running }, request, of)),
    applicationEvents: (request) =>
      inApplication(request, (application) => eventPage({ backend, running }, request, application)),
    applicationQuery: (request) =>
      inApplication(request, (application) => queryAnswer({ backend, running }, request, application)),
  };
}

function viewOf({ number, manifest, hash }: KnownApplication): ApplicationView {
  const json = manifest as unknown as ApplicationView['manifest'];
  return { name: manifest.name, number, hash: to0x(hash), manifest: json };
}

function described(document: JsonObject): Answer {
  return json(document, 200, revalidatedHeaders(tagOf(JSON.stringify(document))));
}

interface Parts {
  readonly backend: NodeBackend;
  readonly running: RunningApplications;
}

async function entryAnswer({ backend, running }: Parts, request: ApiRequest, of: OfTable): Promise<Answer> {
  const { application, table } = of;
  let key: Uint8Array;
  try {
    key = application.json.keyFromJson(table.number, keyIn(table, request.query.key));
  } catch (error) {
    if (!(error instanceof FormError) && !(error instanceof SyntaxError)) throw error;
    return refuse('bad-parameter', { faults: [{ path: '/key', message: error.message }] });
  }
  const stateKey = stateKeyOfEntry(application.number, table.number, key);
  const viewOf = async (value: Uint8Array | undefined, { height, epoch }: StateRead): Promise<Answer> => {
    const read = await valuesIn({ backend, running }, of, { epoch, values: value === undefined ? [] : [value] });
    if ('refusal' in read) return read.refusal;
    const [shown] = read.values;
    return json({
      key: application.json.keyToJson(table.number, key) ?? null,
      value: shown ? shown.value : ((table.empty as Json | undefined) ?? null),
      exists: shown !== undefined,
      ...(shown && { version: shown.version }),
      stateKey: to0x(stateKey),
      height,
    } satisfies TableEntry);
  };
  if (!wantsProof(request)) {
    const { value, ...at } = await backend.applications.entry(stateKey);
    return viewOf(value, at);
  }
  const proven = await backend.proven.keys([stateKey]);
  if (proven.type !== 'proven') return withProof(backend, request, proven, () => json({}));
  const { entries, preimages, certificate } = proven.proof;
  const view = await viewOf(entries[0]?.value, {
    height: preimages[0]?.height as Height,
    epoch: certificate.subject.epoch,
  });
  return withProof(backend, request, proven, () => view);
}

interface Shown {
  readonly value: Json;
  /** Of the table, when it was written. */
  readonly version: number;
}

/** In the form of the table in this epoch: those of its earlier versions are converted by its program. */
async function valuesIn(
  { backend, running }: Parts,
  { application: { number }, table }: OfTable,
  { epoch, values }: { readonly epoch: number; readonly values: readonly Uint8Array[] },
): Promise<{ readonly values: readonly Shown[] } | { readonly refusal: Answer }> {
  const application = (await running.inEpoch(epoch)).byNumber(number);
  const version = application?.manifest.tables.find((each) => each.number === table.number)?.version;
  if (application === undefined || version === undefined) return { refusal: refuse('table-unknown') };
  const old = values.filter(([written]) => written !== version);
  const outcome =
    old.length === 0
      ? { type: 'converted' as const, values: old }
      : await backend.applications.converted({ application: number, epoch, table: table.number, values: old });
  if (outcome.type !== 'converted') return { refusal: refusalOf(outcome, `reading ${table.name}`) };
  let next = 0;
  const present = values.map((each) => (each[0] === version ? each : (outcome.values[next++] as Uint8Array)));
  return {
    values: present.map((each, i) => ({
      value: application.json.valueToJson(table.number, each).value,
      version: values[i]?.[0] ?? version,
    })),
  };
}

const NUMBERS: ReadonlySet<string> = new Set(['u8', 'u16', 'u32', 'timeMs']);

/** A single part as it is; several as JSON. Throws SyntaxError. */
function keyIn({ key, keyIsSingle }: TableManifest, given: string | number | undefined): unknown {
  if (key.length === 0 && given === undefined) return [];
  if (given === undefined) throw new SyntaxError('is missing');
  const text = String(given);
  if (!keyIsSingle) return JSON.parse(text);
  const isNumber = NUMBERS.has(key[0]?.form ?? '') && /^(0|[1-9][0-9]{0,15})$/.test(text);
  return isNumber ? Number(text) : text;
}

async function pageAnswer(parts: Parts, { query }: ApiRequest, of: OfTable): Promise<Answer> {
  const { application, table } = of;
  if (table.kind !== 'sorted') return refuse('table-not-sorted');
  const after = query.cursor === undefined ? undefined : fromHex(String(query.cursor).slice('0x'.length));
  if (after !== undefined && !isKey(of, after))
    return refuse('bad-parameter', { faults: [{ path: '/cursor', message: 'is no key of this table' }] });
  const limit = Number(query.limit ?? PAGE_ITEMS_DEFAULT);
  const page = await parts.backend.applications.entries(application.number, table, {
    after,
    limit,
    reverse: query.reverse === 'true',
  });
  const read = await valuesIn(parts, of, { epoch: page.epoch, values: page.items.map(({ value }) => value) });
  if ('refusal' in read) return read.refusal;
  return json({
    items: page.items.map(({ key }, i) => ({
      key: application.json.keyToJson(table.number, key) ?? null,
      ...(read.values[i] as Shown),
    })),
    next: page.next === undefined ? null : to0x(page.next),
    height: page.height,
  } satisfies TableEntries);
}

function isKey({ application, table }: OfTable, key: Uint8Array): boolean {
  try {
    return application.json.keyToJson(table.number, key) !== undefined;
  } catch (error) {
    if (error instanceof FormError) return false;
    throw error;
  }
}

async function queryAnswer(
  { backend, running }: Parts,
  { params: { query: name = '' }, body }: ApiRequest,
  { number, manifest, json: forms }: KnownApplication,
): Promise<Answer> {
  if (!manifest.queries.some((query) => query.name === name)) return refuse('query-unknown');
  let input: Uint8Array;
  try {
    input = forms.queryInputFromJson(name, body);
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    return refuse('malformed-body', { faults: [{ path: pointerOf(error.path), message: error.message }] });
  }
  const outcome = await backend.applications.query({ application: number, name, input });
  if (outcome.type !== 'answer') return refusalOf(outcome, name);
  const { output, height, epoch } = outcome;
  const answered = (await running.inEpoch(epoch)).byNumber(number)?.json ?? forms;
  return json({ output: answered.queryOutputToJson(name, output), height } satisfies QueryAnswer);
}

/** From "input.holders[3].value". */
function pointerOf(path: string): string {
  return path
    .replace(/^input/, '')
    .replaceAll('.', '/')
    .replace(/\[(\d+)\]/g, '/$1');
}

function refusalOf(outcome: Exclude<QueryOutcome, { readonly type: 'answer' }>, name: string): Answer {
  switch (outcome.type) {
    case 'failed':
      return refuse('query-failed', { detail: `The application refuses ${name}: ${outcome.code}.` });
    case 'fault': {
      const isTooLarge = outcome.reason === 'out-of-compute' || outcome.reason === 'out-of-units';
      return refuse(isTooLarge ? 'query-too-large' : 'query-failed', { detail: `${name}: ${outcome.message}.` });
    }
    case 'overloaded':
      return refuse('overloaded', { retryAfterMs: outcome.retryAfterMs });
    default:
      return outcome satisfies never;
  }
}
