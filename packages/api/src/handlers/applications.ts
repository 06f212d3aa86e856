/** Applications: manifests, artifacts, entries of tables, queries. */
import { FormError, type Json, type TableManifest } from '@slipstream/app/program';
import { fromHex, to0x } from '@slipstream/primitives';
import {
  type Applications,
  type ApplicationView,
  type JsonObject,
  PAGE_ITEMS_DEFAULT,
  type QueryAnswer,
  type TableEntries,
  type TableEntry,
} from '@slipstream/schema';
import { genesisHashOf, type Height, stateKeyOfEntry } from '@slipstream/types';
import { type Answer, type ApiRequest, bytes, type Handler, json, refuse } from '../answer.ts';
import { type KnownApplication, type KnownApplications, tableNamed } from '../applications.ts';
import type { NodeBackend, QueryOutcome } from '../backend.ts';
import { revalidatedHeaders, tagOf } from '../caching.ts';
import { applicationDocument } from '../docs/application-document.ts';
import { eventPage } from './application-events.ts';
import { wantsProof, withProof } from './state-proofs.ts';

type ApplicationRoute =
  | ('applications' | 'application' | 'applicationArtifact' | 'applicationOpenapi')
  | ('tableEntry' | 'tableEntries' | 'applicationQuery' | 'applicationEvents');

interface OfTable {
  readonly application: KnownApplication;
  readonly table: TableManifest;
}

export function createApplicationHandlers(
  backend: NodeBackend,
  known: KnownApplications,
  version: string,
): Readonly<Record<ApplicationRoute, Handler>> {
  const { applications: hashes = [] } = backend.genesis;
  const tag = to0x(genesisHashOf(backend.genesis));
  const viewOf = ({ number, manifest }: KnownApplication): ApplicationView => {
    const hash = to0x(hashes[number]?.hash ?? new Uint8Array(32));
    return { name: manifest.name, number, hash, manifest: manifest as unknown as ApplicationView['manifest'] };
  };
  const all: Applications = { applications: known.all.map(viewOf) };

  function inApplication(request: ApiRequest, answer: (application: KnownApplication) => Answer | Promise<Answer>) {
    const application = known.byName(request.params.application ?? '');
    return application === undefined ? refuse('application-unknown') : answer(application);
  }

  function inTable(request: ApiRequest, answer: (of: OfTable) => Answer | Promise<Answer>) {
    return inApplication(request, (application) => {
      const table = tableNamed(application.manifest, request.params.table ?? '');
      return table === undefined ? refuse('table-unknown') : answer({ application, table });
    });
  }

  return {
    applications: () => json(all, 200, revalidatedHeaders(tag)),
    application: (request) =>
      inApplication(request, (application) => json(viewOf(application), 200, revalidatedHeaders(tag))),
    applicationArtifact: (request) =>
      inApplication(request, (application) => {
        const { hash } = viewOf(application);
        return bytes('application/octet-stream', application.artifact, revalidatedHeaders(hash));
      }),
    applicationOpenapi: (request) =>
      inApplication(request, ({ manifest }) => described(applicationDocument(manifest, version))),
    tableEntry: (request) => inTable(request, (of) => entryAnswer(backend, request, of)),
    tableEntries: (request) => inTable(request, (of) => pageAnswer(backend, request, of)),
    applicationEvents: (request) =>
      inApplication(request, (application) => eventPage({ backend, known }, request, application)),
    applicationQuery: (request) => inApplication(request, (application) => queryAnswer(backend, request, application)),
  };
}

function described(document: JsonObject): Answer {
  return json(document, 200, revalidatedHeaders(tagOf(JSON.stringify(document))));
}

async function entryAnswer(backend: NodeBackend, request: ApiRequest, of: OfTable): Promise<Answer> {
  const { application, table } = of;
  let key: Uint8Array;
  try {
    key = application.json.keyFromJson(table.number, keyIn(table, request.query.key));
  } catch (error) {
    if (!(error instanceof FormError) && !(error instanceof SyntaxError)) throw error;
    return refuse('bad-parameter', { faults: [{ path: '/key', message: error.message }] });
  }
  const stateKey = stateKeyOfEntry(application.number, table.number, key);
  const view = (value: Uint8Array | undefined, height: Height): Answer => {
    const read = value && application.json.valueToJson(table.number, value);
    return json({
      key: application.json.keyToJson(table.number, key) ?? null,
      value: read ? read.value : ((table.empty as Json | undefined) ?? null),
      exists: read !== undefined,
      ...(read && { version: read.version }),
      stateKey: to0x(stateKey),
      height,
    } satisfies TableEntry);
  };
  if (!wantsProof(request)) {
    const { value, height } = await backend.applications.entry(stateKey);
    return view(value, height);
  }
  const proven = await backend.proven.keys([stateKey]);
  if (proven.type !== 'proven') return withProof(backend, request, proven, () => json({}));
  const { entries, preimages } = proven.proof;
  return withProof(backend, request, proven, () => view(entries[0]?.value, preimages[0]?.height as Height));
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

async function pageAnswer(backend: NodeBackend, { query }: ApiRequest, of: OfTable): Promise<Answer> {
  const { application, table } = of;
  if (table.kind !== 'sorted') return refuse('table-not-sorted');
  const after = query.cursor === undefined ? undefined : fromHex(String(query.cursor).slice('0x'.length));
  if (after !== undefined && !isKey(of, after))
    return refuse('bad-parameter', { faults: [{ path: '/cursor', message: 'is no key of this table' }] });
  const limit = Number(query.limit ?? PAGE_ITEMS_DEFAULT);
  const page = await backend.applications.entries(application.number, table, {
    after,
    limit,
    reverse: query.reverse === 'true',
  });
  const { number } = table;
  return json({
    items: page.items.map(({ key, value }) => ({
      key: application.json.keyToJson(number, key) ?? null,
      ...application.json.valueToJson(number, value),
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
  backend: NodeBackend,
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
  const { output, height } = outcome;
  return json({ output: forms.queryOutputToJson(name, output), height } satisfies QueryAnswer);
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
