import { describe, expect, it, test } from 'vitest';
import { LOCAL_OPTIONS, WAN_OPTIONS } from '../../packages/consensus/src/options.ts';
import {
  BROKER_MESSAGES,
  CLIENT_MESSAGES,
  END_CLOSE_CODES,
  END_REASONS,
  type EndReason,
  ROW_REASONS,
} from '../../packages/distilled/src/stream/index.ts';
import {
  ACTIONS,
  type Action,
  BLOCK_REASONS,
  CERTIFIED_MEMBER_BYTES,
  CHANGE_FORMS,
  type Change,
  changeToWire,
  FAILURE_CODES,
  FRAMES,
  SKIP_REASONS,
  SYNC_QUERIES,
  type Transaction,
  unitsOf,
} from '../../packages/types/src/index.ts';
import { durabilityOf, RECORD_KIND_BYTES, type RecordKind } from '../../packages/wal/src/record-kinds.ts';
import { readRepository } from './repository.ts';
import { LAYOUTS, layoutOf, layoutOfAction, layoutOfFields, RECORDS } from './wire-layouts.ts';

const files = readRepository();
const textOf = (name: string) => files.find(({ path }) => path === `docs/protocol/${name}`)?.text ?? '';

function tableOf(text: string, ...columns: readonly string[]): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => columns.every((column, i) => cellsOf(line)[i] === column));
  const rows = lines.slice(head + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return head < 0 ? [] : rows.slice(0, end < 0 ? rows.length : end).map(cellsOf);
}

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

function sectionOf(text: string, heading: string): string {
  const from = text.indexOf(`\n### ${heading}\n`);
  if (from < 0) return '';
  const end = text.indexOf('\n#', from + 1);
  return text.slice(from, end < 0 ? text.length : end);
}

const wire = textOf('wire-formats.md');

test('each frame is listed with its kind byte, name, lane and maximum', () => {
  const documented = tableOf(wire, 'kind', 'frame', 'lane').map((cells) => cells.slice(0, 4));
  const real = Object.entries(FRAMES).map(([name, { kind, lane, bytesMax }]) => [
    String(kind),
    name,
    lane,
    String(bytesMax),
  ]);
  expect(documented).toEqual(real);
});

test('each message of a broker is listed with its kind byte, name, maximum and side', () => {
  const documented = tableOf(wire, 'kind', 'message', 'bytes at most');
  const real = Object.entries({ client: CLIENT_MESSAGES, broker: BROKER_MESSAGES }).flatMap(([side, messages]) =>
    Object.entries(messages).map(([name, { kind, codec }]) => [String(kind), name, String(codec.bytesMax + 1), side]),
  );
  expect(documented).toEqual(real);
});

test('reasons of rows and ends of streams are listed with their numbers', () => {
  const text = textOf('broker.md');
  const rows = tableOf(text, 'number', 'reason of a row').map(([number, reason]) => [reason, Number(number)]);
  expect(rows).toEqual(Object.entries(ROW_REASONS));
  const ends = tableOf(text, 'number', 'reason of an end').map(([number, reason, code]) => [
    reason,
    Number(number),
    Number(code),
  ]);
  expect(ends).toEqual(
    Object.entries(END_REASONS).map(([reason, number]) => [reason, number, END_CLOSE_CODES[reason as EndReason]]),
  );
});

describe('layouts', () => {
  it.each(Object.entries(LAYOUTS))('of %s', (name, type) => {
    const documented = tableOf(sectionOf(wire, name), 'field', 'type').map(([field, text]) => ({ field, type: text }));
    expect(documented).toEqual(layoutOf(type));
  });

  it.each([...RECORDS])('of %s in actions', (name, fields) => {
    const documented = tableOf(sectionOf(wire, name), 'field', 'type').map(([field, text]) => ({ field, type: text }));
    expect(documented).toEqual(layoutOfFields(fields));
  });

  it('of each action', () => {
    const documented = tableOf(wire, 'tag', 'action', 'body');
    const real = Object.entries(ACTIONS).map(([kind, action]) => {
      const fields = layoutOfFields(layoutOfAction(action));
      return [String(action.tag), kind, fields.map(({ field, type }) => `${field}: ${type}`).join(', ')];
    });
    expect(documented).toEqual(real);
  });
});

test('each change of a proposal is listed with its body', () => {
  const documented = tableOf(wire, 'tag', 'change', 'body');
  const real = Object.entries(CHANGE_FORMS).map(([kind, { tag, codec }]) => {
    const fields = layoutOf(codec.type as (typeof LAYOUTS)[string]);
    return [String(tag), kind, fields.map(({ field, type }) => `${field}: ${type}`).join(', ')];
  });
  expect(documented).toEqual(real);
});

test('each sync query is listed with its number', () => {
  const documented = tableOf(wire, 'query', 'name').map((cells) => cells.slice(0, 2));
  expect(documented).toEqual(SYNC_QUERIES.map((name, i) => [String(i), name]));
});

test.each([
  ['Failure codes:', FAILURE_CODES],
  ['## Skip reasons', SKIP_REASONS],
])('each of "%s" is listed with its number', (begin, codes) => {
  const list = wire.slice(wire.indexOf(begin)).split('.\n')[0] ?? '';
  const documented = [...list.matchAll(/(\d+) ([a-z-]+)/g)].map(([, code = '', name = '']) => [name, Number(code)]);
  expect(Object.fromEntries(documented)).toEqual(codes);
});

test('each reason to block a peer is explained', () => {
  const documented = tableOf(textOf('signatures.md'), 'reason', 'what was seen').map(([reason]) => reason);
  expect(documented).toEqual([...BLOCK_REASONS]);
});

test('each kind of log record is listed with its durability', () => {
  const documented = tableOf(textOf('consensus.md'), 'record', 'durability').map((cells) => cells.slice(0, 2));
  const kinds = Object.keys(RECORD_KIND_BYTES) as RecordKind[];
  expect(documented).toEqual(kinds.map((kind) => [kind, durabilityOf(kind)]));
});

test('presets are those of consensus', () => {
  const documented = tableOf(textOf('consensus.md'), 'option', 'local', 'wan');
  const names = Object.keys(LOCAL_OPTIONS) as (keyof typeof LOCAL_OPTIONS)[];
  expect(documented.toSorted()).toEqual(
    names.map((name) => [name, String(LOCAL_OPTIONS[name]), String(WAN_OPTIONS[name])]).toSorted(),
  );
});

describe('units of a transaction', () => {
  const N = 130;
  const BYTES = 400;
  const rows = tableOf(textOf('dissemination.md'), 'part', 'bandwidth', 'compute');
  const documentedOf = (part: string, n = N) =>
    rows
      .find(([name]) => name === part)
      ?.slice(1)
      .map((cell) => numberOf(cell, n));

  /** A number, `n`, `1 + n`, `50 n`, `9 + 50 n`, `c(n)` or `w(n)`. */
  function numberOf(cell: string, n: number): number {
    if (cell === 'its bytes') return BYTES;
    if (cell === 'c(n)') return 5 + Math.ceil(n / 256);
    if (cell === 'w(n)') return 2 + Math.ceil(n / 64);
    const [, fixed, each] = /^(\d+) \+ (\d+) n$/.exec(cell) ?? [];
    if (fixed !== undefined) return Number(fixed) + Number(each) * n;
    const [, first = cell, operator = ''] = /^(\d+|n)( \+ n| n)?$/.exec(cell) ?? [];
    const value = first === 'n' ? n : Number(first);
    if (operator === '') return value;
    return operator === ' n' ? value * n : value + n;
  }

  /** The offsets of an issuer's members and of what follows them. */
  function proofWith(members: number): Uint8Array {
    const proof = new Uint8Array(24);
    new DataView(proof.buffer).setUint32(20, CERTIFIED_MEMBER_BYTES * members, true);
    return proof;
  }

  /** Units depend on kinds, and on lengths of lists and value. */
  function realOf(
    scheme: Transaction['auth']['scheme'],
    kind?: Action['kind'],
    changes: readonly unknown[] = [],
  ): readonly number[] {
    const action = {
      kind,
      outputs: new Array(N),
      value: new Uint8Array(N),
      changes,
      members: new Array(N),
      artifacts: new Array(N),
    };
    const credential = { root: { expiryMs: 0 }, proof: proofWith(N) };
    const transaction = { auth: { scheme, credential }, body: { actions: kind === undefined ? [] : [action] } };
    return unitsOf(transaction as unknown as Transaction, BYTES);
  }

  const base = realOf('ed25519');
  const above = (units: readonly number[]) => units.map((unit, i) => unit - (base[i] as number));

  it('of each one', () => expect(documentedOf('each transaction')).toEqual(base));

  it.each(['session', 'session-hash'] as const)('of the authority %s', (scheme) => {
    expect(documentedOf(scheme)).toEqual(above(realOf(scheme)));
  });

  it.each(Object.keys(ACTIONS) as Action['kind'][])('of %s', (kind) => {
    expect(documentedOf(kind)).toEqual(above(realOf('ed25519', kind)));
  });

  it('of a change in a proposal', () => {
    const proposal = realOf('ed25519', 'propose');
    const aboveProposal = (change: unknown) =>
      realOf('ed25519', 'propose', [change]).map((unit, i) => unit - (proposal[i] as number));
    expect(documentedOf('addValidator in it')).toEqual(aboveProposal({ kind: 'addValidator' }));
    const other: Change = { kind: 'setTrustedIssuers', trustedIssuers: new Array(5).fill(new Uint8Array(48)) };
    const parts = Math.ceil(changeToWire(other).body.length / 64);
    expect(documentedOf('another change in it', parts)).toEqual(aboveProposal(other));
  });
});
