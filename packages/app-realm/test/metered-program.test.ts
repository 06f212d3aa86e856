import { ABSENT, type Host } from '@slipstream/app/program';
import { describe, expect, it } from 'vitest';
import { type Artifact, loadProgram, loadScript, OutOfCompute, RealmError, TICKS_MAX } from '../src/index.ts';
import { ACTION, CONTEXT, createProbeHost, evaluate, INPUT, loadProbe, MANIFEST, probeScript } from './probe-script.ts';

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it did not throw');
}

const codeOf = (work: () => unknown): string => (errorOf(work) as RealmError).code;

describe('a call', () => {
  it('gets context and input', () => {
    const call =
      'return failed([action, context.sender[32], context.transactionId.length, context.timeMs, context.height, input.join("")].join(" "));';
    expect(loadProbe({ call }).call(ACTION, CONTEXT, INPUT)).toEqual({
      status: 'failed',
      code: '3 7 32 1700000000000 12 123',
    });
  });

  it('gives each status, as an object of this realm', () => {
    const result = (status: string) => loadProbe({ call: `return ${status};` }).call(ACTION, CONTEXT, INPUT);
    expect(result("{ status: 'success' }")).toEqual({ status: 'success' });
    expect(result("{ status: 'bad-input' }")).toEqual({ status: 'bad-input' });
    const fault = result("{ status: 'fault', message: 'TypeError: no' }");
    expect(fault).toEqual({ status: 'fault', message: 'TypeError: no' });
    expect(Object.getPrototypeOf(fault)).toBe(Object.prototype);
  });

  it('reaches the host with numbers, bytes and bigints', () => {
    const asked: unknown[] = [];
    const host: Host = {
      key: (table, bytes, length) => asked.push('key', table, Uint8Array.from(bytes), length),
      get: (key, into) => asked.push('get', key, into.length),
      put: (key, value, length) => void asked.push('put', key, value && Uint8Array.from(value), length),
      emit: (event, body, length) => void asked.push('emit', event, Uint8Array.from(body), length),
      collect: (...all) => asked.push('collect', ...all) > 0,
      pay: (...all) => asked.push('pay', ...all) < 0,
      purse: (...all) => Uint8Array.of(asked.push('purse', ...all)),
      sha256: (...all) => Uint8Array.of(asked.push('sha256', ...all)),
    };
    const call = `const bytes = new Uint8Array([1]);
      return failed([host.key(2, bytes, 1), host.get(4, bytes), host.put(5, bytes, 1), host.put(6, undefined, 0), host.emit(7, bytes, 0),
        host.collect(bytes, 8n), host.pay(bytes, bytes, 9n), host.purse(bytes)[0], host.sha256(bytes)[0]].map(String).join());`;
    const result = loadProbe({ call }, host).call(ACTION, CONTEXT, INPUT);
    const one = Uint8Array.of(1);
    expect(asked).toEqual([
      ...['key', 2, one, 1, 'get', 4, 1, 'put', 5, one, 1, 'put', 6, undefined, 0, 'emit', 7, one, 0],
      ...['collect', one, 8n, 'pay', one, one, 9n, 'purse', one, 'sha256', one],
    ]);
    expect(result).toEqual({ status: 'failed', code: '4,7,undefined,undefined,undefined,true,false,28,30' });
  });

  it('declares, answers queries, checks invariants, runs genesis', () => {
    const { host, given } = createProbeHost();
    const program = loadProbe({ query: "return { status: 'success', output: new Uint8Array([...input, 4]) };" }, host);
    expect(program.declare(ACTION, CONTEXT, INPUT)).toBe(true);
    expect(given).toEqual([INPUT]);
    const answer = program.query('ask', INPUT);
    expect(answer).toEqual({ status: 'success', output: new Uint8Array([1, 2, 3, 4]) });
    expect(answer.status === 'success' && answer.output instanceof Uint8Array).toBe(true);
    expect(program.invariants()).toEqual(['sum']);
    expect(program.genesis(new Uint8Array())).toEqual({ status: 'success' });
    expect(program.genesis(INPUT)).toEqual({ status: 'bad-input' });
  });

  it('of an action or query that the manifest lacks throws RangeError', () => {
    expect(errorOf(() => loadProbe({}).call(0, CONTEXT, INPUT))).toBeInstanceOf(RangeError);
    expect(errorOf(() => loadProbe({}).query('other', INPUT))).toBeInstanceOf(RangeError);
  });
});

describe('the border of a realm', () => {
  it.each([
    ...['host', 'host.key', 'host.get', 'host.put', 'host.sha256', 'context', 'context.sender', 'input'],
    ...[
      'host.get(0, input)',
      'host.purse(input)',
      'host.sha256(input)',
      'input.buffer',
      'globalThis',
      'program',
      'program.use',
    ],
  ])('lets no constructor of the node through: %s', (value) => {
    // The constructor of a function of the realm makes no code; the node's would.
    const own = `(() => { let at = ${value}; for (let i = 0; i < 3 && typeof at?.constructor === 'function'; i++) at = at.constructor; return at === (() => {}).constructor; })()`;
    expect(evaluate(own, createProbeHost().host)).toBe('true');
    const attempt = `(() => { try { return ${value}.constructor.constructor('return process')().version; } catch (e) { return e.message; } })()`;
    expect(evaluate(attempt)).toMatch(/Code generation from strings disallowed|is not a function/);
  });

  it('lets no error of the node through', () => {
    const get = () => {
      throw new Error('of the node');
    };
    const call = `if (seen === undefined) { try { host.get(0, input) } catch (e) { seen = e } }
      return failed([seen instanceof Object, seen.message, Object.keys(seen), seen.constructor === Object].join());`;
    const program = loadProbe({ load: 'let seen;', call }, createProbeHost({ get }).host);
    expect(() => program.call(ACTION, CONTEXT, INPUT)).toThrow('of the node');
    expect(program.call(ACTION, CONTEXT, INPUT)).toEqual({ status: 'failed', code: 'true,,interrupts,true' });
  });

  it('lets no changes of bytes through', () => {
    const { host, given, value } = createProbeHost();
    const call = `const mine = new Uint8Array([1, 3]); host.put(0, mine, 1); mine[0] = 2;
      host.get(0, mine); mine[0] = 9; input[0] = 9; return { status: 'success' };`;
    loadProbe({ call }, host).call(ACTION, CONTEXT, INPUT);
    expect(given).toEqual([Uint8Array.of(1)]);
    expect(given[0]).toBeInstanceOf(Uint8Array);
    expect(value).toEqual(new Uint8Array([5, 6]));
    expect(INPUT).toEqual(new Uint8Array([1, 2, 3]));
  });

  it.each([
    'host.key("1", input, 1)',
    'host.key(1, [1], 1)',
    'host.key(1, input, 4)',
    'host.key(1, input, -1)',
    'host.key(1, input, 0.5)',
    'host.emit(1, input)',
    'host.put(0.5, input, 1)',
    'host.get(0, "bytes")',
    'host.pay(input, input, 1)',
    'host.key({}, {}, 0)',
  ])('refuses %s', (use) => {
    expect(codeOf(() => evaluate(use))).toBe('host-misused');
  });

  it('has frozen all that the script shares with another call', () => {
    const changes = [
      'host.key = 1',
      'host.more = 1',
      'context.height = 1',
      'Object.prototype.a = 1',
      'globalThis.a = 1',
    ];
    for (const change of changes)
      expect(evaluate(`(() => { try { ${change}; return 'changed' } catch (e) { return e.name } })()`), change).toBe(
        'TypeError',
      );
  });

  it('hands nothing of the node to a function that a script gives its own array', () => {
    const into = `
      const own = new Uint8Array(2);
      let leaked = 'none';
      for (const name of ['set', 'subarray', 'slice', 'fill'])
        Object.defineProperty(own, name, { value: () => { leaked = name; return own; } });
      Object.defineProperty(own, 'length', { get: () => { leaked = 'length'; return 2; } });
      Object.defineProperty(own, 'constructor', { get: () => { leaked = 'constructor'; return Uint8Array; } });
      host.get(0, own);
      host.put(0, own, 2);
      host.emit(0, own, 2);
      return failed(leaked + ':' + own[0] + own[1]);`;
    const { host, given } = createProbeHost();
    const result = loadProbe({ call: into }, host).call(ACTION, CONTEXT, INPUT);
    expect(result).toMatchObject({ status: 'failed', code: 'none:56' });
    expect(given.map((bytes) => [...bytes])).toEqual([
      [5, 6],
      [5, 6],
    ]);
  });

  it('passes on what the host throws, unchanged, also when the script hides it, and asks the host no more', () => {
    class OutOfUnits extends Error {}
    const thrown = new OutOfUnits('reads');
    let asked = 0;
    const get = () => {
      asked++;
      throw thrown;
    };
    const call =
      "try { host.get(0, input) } catch {} try { host.get(0, input) } catch {} return { status: 'success' };";
    const program = loadProbe({ call }, createProbeHost({ get }).host);
    expect(errorOf(() => program.call(ACTION, CONTEXT, INPUT))).toBe(thrown);
    expect(asked).toBe(1);
    expect(program.query('ask', INPUT).status).toBe('success');
  });

  it('throws without a host', () => {
    const program = loadScript(probeScript({ call: 'host.get(0, input)' }), 'probe');
    program.setTicks(10);
    expect(codeOf(() => program.call(ACTION, CONTEXT, INPUT))).toBe('host-misused');
  });
});

describe('compute', () => {
  const loop = 'for (let i = 0; i < input[0]; i++) tick(); return failed(input[0]);';

  it('ends a call at the first tick too many, and no sooner', () => {
    const program = loadProbe({ call: loop });
    program.setTicks(100);
    expect(program.call(ACTION, CONTEXT, Uint8Array.of(100))).toEqual({ status: 'failed', code: '100' });
    expect(program.ticksLeft()).toBe(0);
    program.setTicks(100);
    expect(codeOf(() => program.call(ACTION, CONTEXT, Uint8Array.of(101)))).toBe('out-of-compute');
    expect(program.ticksLeft()).toBe(0);
    program.setTicks(100);
    expect(program.call(ACTION, CONTEXT, Uint8Array.of(40)).status).toBe('failed');
    expect(program.ticksLeft()).toBe(60);
  });

  it('ends an endless loop, and a script that hides its end', () => {
    const program = loadProbe({ call: "try { for (;;) tick(); } catch {} return { status: 'success' };" });
    program.setTicks(TICKS_MAX);
    expect(codeOf(() => program.call(ACTION, CONTEXT, INPUT))).toBe('out-of-compute');
  });

  it('can be taken by the host', () => {
    let program = loadProbe({});
    const get = () => {
      program.spendTicks(60);
      return ABSENT;
    };
    program = loadProbe({ call: `host.get(0, input); ${loop}` }, createProbeHost({ get }).host);
    program.setTicks(100);
    expect(program.call(ACTION, CONTEXT, Uint8Array.of(40)).status).toBe('failed');
    program.setTicks(100);
    const error = errorOf(() => program.call(ACTION, CONTEXT, Uint8Array.of(41)));
    expect(error).toBeInstanceOf(OutOfCompute);
    expect(error).toMatchObject({ code: 'out-of-compute', interrupts: true });
  });

  it('counts a full stack as want of ticks', () => {
    const call =
      "const f = () => f() + 1; try { return failed(f()); } catch (e) { return { status: 'fault', message: String(e) }; }";
    expect(codeOf(() => loadProbe({ call }).call(ACTION, CONTEXT, INPUT))).toBe('out-of-compute');
    expect(codeOf(() => loadProbe({ call: 'const f = () => f() + 1; f();' }).call(ACTION, CONTEXT, INPUT))).toBe(
      'out-of-compute',
    );
  });

  it('is none after loading', () => {
    const program = loadScript(probeScript({ call: 'tick();' }), 'probe');
    program.use(createProbeHost().host);
    expect(codeOf(() => program.call(ACTION, CONTEXT, INPUT))).toBe('out-of-compute');
  });

  it.each([-1, 0.5, 2 ** 53, Number.POSITIVE_INFINITY, Number.NaN])('is not %s ticks', (ticks) => {
    expect(errorOf(() => loadProbe({}).setTicks(ticks))).toBeInstanceOf(RangeError);
  });

  it.each(['query', 'genesis', 'declare', 'invariants'] as const)('bounds %s', (name) => {
    const script = probeScript({ query: 'for (;;) tick();' })
      .replace(/genesis\(input\) \{/, '$& for (;;) tick();')
      .replace(/declare\(action, context, input\) \{/, '$& for (;;) tick();')
      .replace(/invariants\(\) \{/, '$& for (;;) tick();');
    const program = loadScript(script, 'probe');
    program.use(createProbeHost().host);
    program.setTicks(1000);
    const runs = {
      query: () => program.query('ask', INPUT),
      genesis: () => program.genesis(INPUT),
      declare: () => program.declare(ACTION, CONTEXT, INPUT),
      invariants: () => program.invariants(),
    };
    expect(codeOf(runs[name])).toBe('out-of-compute');
  });
});

describe('loading', () => {
  const artifact = (script: string): Artifact => ({ manifest: MANIFEST, script });

  it('gives the manifest of the artifact', () => {
    expect(loadProgram(artifact(probeScript())).manifest).toEqual(MANIFEST);
  });

  it.each([
    ['script-malformed', 'const = 1'],
    ['script-malformed', '1 + 1'],
    ['script-failed', "() => { throw new TypeError('no table'); }"],
    ['script-failed', '() => ({})'],
    ['out-of-compute', probeScript({ load: 'for (;;) tick();' })],
    ['out-of-compute', probeScript({ load: 'const f = () => f() + 1; f();' })],
    ['manifest-differs', probeScript({ manifest: { ...MANIFEST, version: 2 } })],
  ])('throws %s: %s', (code, script) => {
    expect(codeOf(() => loadProgram(artifact(script)))).toBe(code);
  });

  it('makes a realm of its own for each program', () => {
    const load = 'let calls = 0;';
    const call = 'return failed(++calls);';
    const [one, two] = [loadProbe({ load, call }), loadProbe({ load, call })];
    expect(one.call(ACTION, CONTEXT, INPUT)).toEqual({ status: 'failed', code: '1' });
    expect(one.call(ACTION, CONTEXT, INPUT)).toEqual({ status: 'failed', code: '2' });
    expect(two.call(ACTION, CONTEXT, INPUT)).toEqual({ status: 'failed', code: '1' });
  });

  it('names the cause', () => {
    const error = errorOf(() => loadProgram(artifact("() => { throw new TypeError('no table'); }")));
    expect(error).toBeInstanceOf(RealmError);
    expect((error as RealmError).message).toBe('the script of probe failed: no table');
  });
});
