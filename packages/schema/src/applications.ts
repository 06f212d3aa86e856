/** Applications of a chain (docs/protocol/applications.md): their values are JSON of the forms in their manifests. */
import { APPLICATIONS_MAX } from '@slipstream/types';
import { Type } from 'typebox';
import { count, Height, Id, type Json, orNull, TimeMs } from './scalars.ts';
import { StateProofSchema } from './state-proofs.ts';

const closed = { additionalProperties: false } as const;
const open = { additionalProperties: true } as const;

const names = (description: string) => Type.Array(Type.Object({ name: Type.String() }, open), { description });

/** Its content is described by what it describes: packages/app has the type. */
const ManifestSchema = Type.Object(
  {
    kitVersion: count('Version of the kit that it is made with.', 2 ** 32 - 1),
    name: Type.String({ examples: ['token'] }),
    version: count('Raised with each release.', 2 ** 32 - 1),
    actions: names('Number, form of the input, units.'),
    events: names('Number, form of the body.'),
    queries: names('Forms of input and output.'),
    tables: names('Number, kind, forms of key and value, versions.'),
    invariants: Type.Array(Type.String()),
  },
  { ...open, title: 'ApplicationManifest', description: 'What it reads inputs, outputs, events and entries with.' },
);

const ArtifactHash = Type.String({ ...Id, title: 'ArtifactHash', description: 'SHA-256 of the artifact.' });

export const ApplicationSchema = Type.Object(
  {
    name: Type.String({ examples: ['token'] }),
    number: count('In keys of the state, and in events.', APPLICATIONS_MAX - 1),
    hash: ArtifactHash,
    manifest: ManifestSchema,
  },
  { ...closed, title: 'Application' },
);
export type ApplicationView = Json<typeof ApplicationSchema>;

export const ApplicationsSchema = Type.Object(
  { applications: Type.Array(ApplicationSchema, { maxItems: APPLICATIONS_MAX }) },
  { ...closed, title: 'Applications', description: 'In the order of genesis.' },
);
export type Applications = Json<typeof ApplicationsSchema>;

const ARTIFACT_STATES = ['missing', 'fetched', 'accepted', 'unusable'] as const;
export type ArtifactState = (typeof ARTIFACT_STATES)[number];

const ArtifactSchema = Type.Object(
  {
    hash: ArtifactHash,
    state: Type.Enum([...ARTIFACT_STATES], {
      description:
        'missing: asked of peers. fetched: here, waits for the operator. accepted: it may run. unusable: the bytes with this hash are no artifact.',
    }),
    namedBy: orNull(Type.Enum(['record', 'proposal'], { description: 'null: by none that is open or in force.' })),
    name: Type.Optional(Type.String({ examples: ['token'] })),
    version: Type.Optional(count('Of the application.', 2 ** 32 - 1)),
    bytes: Type.Optional(count('Its size.')),
    fault: Type.Optional(Type.String({ description: 'Why it is unusable.' })),
  },
  { ...closed, title: 'Artifact' },
);
export type ArtifactView = Json<typeof ArtifactSchema>;

export const ArtifactsSchema = Type.Object(
  { artifacts: Type.Array(ArtifactSchema) },
  { ...closed, title: 'Artifacts' },
);

export const AcceptedArtifactSchema = Type.Object(
  {
    hash: ArtifactHash,
    name: Type.String({ examples: ['token'] }),
    version: count('Of the application.', 2 ** 32 - 1),
    differences: Type.Array(Type.String(), {
      description: 'From the newest version that was accepted before, a line each.',
    }),
  },
  { ...closed, title: 'AcceptedArtifact' },
);

const QuarantineEntrySchema = Type.Object(
  {
    application: Type.String({ examples: ['token'] }),
    action: count('Number of the action, of any version.', 2 ** 16 - 1),
    name: Type.String({ examples: ['mint'], description: 'Of the action.' }),
    by: Type.Enum(['watchdog', 'operator'], { description: 'watchdog: a call of it ran for more than 10 s here.' }),
    sinceMs: TimeMs,
    transaction: Type.Optional(
      Type.String({ ...Id, title: 'QuarantinedTransaction', description: 'Whose call ran too long.' }),
    ),
  },
  { ...closed, title: 'QuarantineEntry' },
);
export type QuarantineView = Json<typeof QuarantineEntrySchema>;

export const QuarantineSchema = Type.Object(
  { items: Type.Array(QuarantineEntrySchema) },
  { ...closed, title: 'Quarantine' },
);

const FormValue = Type.Unknown({ description: 'In the form of the manifest.', examples: ['1000'] });

export const TableEntrySchema = Type.Object(
  {
    key: FormValue,
    value: FormValue,
    exists: Type.Boolean({ description: 'false: `value` is what the table reads there, null where it has no such.' }),
    version: Type.Optional(count('Of the table, when the value was written.', 255)),
    stateKey: Type.String({ pattern: '^0x([0-9a-f]{2})*$', description: 'For /v1/state/proofs.', examples: ['0x74'] }),
    height: Height,
    proof: Type.Optional(StateProofSchema),
  },
  { ...closed, title: 'TableEntry' },
);
export type TableEntry = Json<typeof TableEntrySchema>;

export const ENTRY_CURSOR_PATTERN = '^0x([0-9a-f]{2}){1,257}$';

export const TableEntriesSchema = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { key: FormValue, value: FormValue, version: count('Of the table, when the value was written.', 255) },
        closed,
      ),
    ),
    next: orNull(Type.String({ title: 'EntryCursor', pattern: ENTRY_CURSOR_PATTERN, examples: ['0x0100000007'] })),
    height: Height,
  },
  { ...closed, title: 'TableEntries', description: 'All of one height, in the order of keys.' },
);
export type TableEntries = Json<typeof TableEntriesSchema>;

export const QueryAnswerSchema = Type.Object(
  { output: FormValue, height: Height },
  { ...closed, title: 'QueryAnswer', description: 'Of the committed state at this height.' },
);
export type QueryAnswer = Json<typeof QueryAnswerSchema>;

export const ApplicationEventSchema = Type.Object(
  {
    application: Type.String({ examples: ['token'] }),
    event: count("The event's number in the application's manifest.", 65_535),
    body: Type.String({ pattern: '^0x([0-9a-f]{2})*$', examples: ['0x00'] }),
    name: Type.Optional(Type.String({ description: "The event's name, by the manifest.", examples: ['Transferred'] })),
    fields: Type.Optional(Type.Object({}, { ...open, description: 'The body, by the manifest.' })),
  },
  { ...closed, title: 'ApplicationEvent', description: "Of the receipt's output, which has its number and its body." },
);
export type ApplicationEventJson = Json<typeof ApplicationEventSchema>;

/** Height, index of a receipt, position of an event in its output. */
export const EVENT_CURSOR_PATTERN = '^[0-9]{1,15}-[0-9]{1,10}-[0-9]{1,5}$';

const EventCursor = Type.String({
  title: 'EventCursor',
  pattern: EVENT_CURSOR_PATTERN,
  description: 'A place behind an event, or before a block: for `after`.',
  examples: ['42-0-1'],
});

export function eventCursor(place: {
  readonly height: number;
  readonly index: number;
  readonly position: number;
}): string {
  return `${place.height}-${place.index}-${place.position}`;
}

/** Where an event is: the proof of its transaction's receipt shows it. */
const placed = {
  transactionId: Id,
  index: count("Of the receipt, among its block's."),
  position: count("Among the events in the receipt's output, of all applications."),
  cursor: EventCursor,
};

const ListedEventSchema = Type.Object(
  { ...ApplicationEventSchema.properties, height: Height, blockId: Id, ...placed },
  { ...closed, title: 'ListedEvent' },
);
export type ListedEvent = Json<typeof ListedEventSchema>;

export const EventPageSchema = Type.Object(
  {
    items: Type.Array(ListedEventSchema),
    next: EventCursor,
    more: Type.Boolean({
      description: 'false: this node has committed no further one yet. Ask again after `next` when it has.',
    }),
    height: Height,
  },
  { ...closed, title: 'EventPage', description: 'Oldest first, of blocks up to `height`.' },
);
export type EventPageJson = Json<typeof EventPageSchema>;

/** Without names and fields, which a reader has of the manifest. */
export const BlockEventsSchema = Type.Object(
  {
    application: Type.String({ examples: ['token'] }),
    height: Height,
    blockId: Id,
    events: Type.Array(
      Type.Object({
        event: ApplicationEventSchema.properties.event,
        body: ApplicationEventSchema.properties.body,
        ...placed,
      }),
    ),
    next: EventCursor,
    more: Type.Boolean({
      description: 'The block has further ones: /v1/applications/{application}/events after `next`.',
    }),
  },
  { title: 'BlockEvents' },
);
