/** The AsyncAPI document as a page: no viewer of AsyncAPI works without evaluated code (decision 0039). */
import type { JsonObject, JsonValue } from '@slipstream/schema';
import { docsPage, escaped, formatted } from './page.ts';

interface Reference {
  readonly $ref: string;
}

interface StreamsDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<Record<string, Operation>>;
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: Readonly<Record<string, JsonValue>>;
  };
}

interface Channel {
  readonly address: string;
  readonly summary: string;
  readonly description?: string;
  readonly bindings?: Bindings;
}

interface Bindings {
  readonly ws?: { readonly query: JsonValue };
  readonly http?: { readonly query: JsonValue };
}

interface Operation {
  readonly action: 'send' | 'receive';
  readonly channel: Reference;
  readonly messages: readonly Reference[];
  readonly bindings?: Bindings;
}

interface Message {
  readonly name: string;
  readonly summary: string;
  readonly tags?: readonly { readonly name: string }[];
  readonly payload: JsonValue;
}

export function streamsPage(document: JsonObject): string {
  const { info, channels, operations, components } = document as unknown as StreamsDocument;
  return docsPage({
    title: `${info.title} ${info.version}`,
    body: `<main class="text">
<h1>${escaped(info.title)}</h1>
<p>${formatted(info.description)}</p>
<h2>Channels</h2>
${Object.entries(channels)
  .map(([id, channel]) => channelSection(id, channel, Object.values(operations)))
  .join('\n')}
<h2>Messages</h2>
<p>A subscription may name topics; messages without a topic always come.</p>
${Object.values(components.messages).map(messageSection).join('\n')}
<h2>Schemas</h2>
${Object.entries(components.schemas)
  .map(([name, schema]) => `<h3 id="schema-${name}"><code>${escaped(name)}</code></h3>\n${schemaHtml(schema)}`)
  .join('\n')}
</main>`,
  });
}

function channelSection(id: string, channel: Channel, operations: readonly Operation[]): string {
  const here = operations.filter(({ channel: { $ref } }) => lastOf($ref) === id);
  return `<h3 id="channel-${id}"><code>${escaped(channel.address)}</code></h3>
<p>${escaped(channel.summary)}.</p>
${channel.description === undefined ? '' : `<p class="soft">${formatted(channel.description)}</p>`}
<ul>${here.map(operationItem).join('')}</ul>
<div>Query: ${schemaHtml(queryOf([channel, ...here]))}</div>`;
}

/** A WebSocket's query is bound to its channel, that of HTTP to its operation. */
function queryOf(bound: readonly { readonly bindings?: Bindings }[]): JsonValue {
  const queries = bound.flatMap(({ bindings }) => bindings?.ws?.query ?? bindings?.http?.query ?? []);
  return queries[0] ?? {};
}

function operationItem({ action, messages }: Operation): string {
  const links = messages.map(({ $ref }) => `<a href="#message-${lastOf($ref)}">${escaped(lastOf($ref))}</a>`);
  return `<li>The node ${action === 'send' ? 'sends' : 'takes'}: ${links.join(', ')}</li>`;
}

function messageSection({ name, summary, tags = [], payload }: Message): string {
  const topics = tags.map((tag) => ` <span class="soft">topic ${escaped(tag.name)}</span>`).join('');
  return `<h3 id="message-${name}"><code>${escaped(name)}</code>${topics}</h3>
<p>${formatted(summary)}</p>
${schemaHtml(payload)}`;
}

/** What a schema says, its properties below it. */
function schemaHtml(schema: JsonValue): string {
  const {
    properties = {},
    required = [],
    description,
  } = schema as {
    readonly properties?: Readonly<Record<string, JsonValue>>;
    readonly required?: readonly string[];
    readonly description?: string;
  };
  const says = description === undefined ? '' : `: ${formatted(description)}`;
  const items = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : ' <span class="soft">optional</span>';
    return `<li><code>${escaped(name)}</code>${optional} ${schemaHtml(property)}</li>`;
  });
  return `${typeHtml(schema)}${says}${items.length === 0 ? '' : `<ul>${items.join('')}</ul>`}`;
}

function typeHtml(schema: JsonValue): string {
  const { $ref, anyOf, items, type, ...rest } = schema as {
    readonly $ref?: string;
    readonly anyOf?: readonly JsonValue[];
    readonly items?: JsonValue;
    readonly type?: string;
    readonly const?: JsonValue;
    readonly enum?: readonly JsonValue[];
  };
  if ($ref !== undefined) return `<a href="#schema-${lastOf($ref)}">${escaped(lastOf($ref))}</a>`;
  if (anyOf !== undefined) return anyOf.map(schemaHtml).join(' or ');
  if (items !== undefined) return `list of ${schemaHtml(items)}`;
  const values = rest.const === undefined ? (rest.enum ?? []) : [rest.const];
  if (values.length > 0) return values.map((value) => `<code>${escaped(JSON.stringify(value))}</code>`).join(' or ');
  return type === undefined ? 'any value' : escaped(type);
}

function lastOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
