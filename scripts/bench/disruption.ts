/**
 * The `disruption` bench: how many views a third of 1,000 validators can disrupt with invalid signatures, when votes are checked in bulk.
 *
 * One validator is real, in virtual time: consensus, vote buffers, bisection, block list, log. The other 999 are a script that sends it every
 * vote in a frame of its own. 333 of them lie, by one of three strategies; a view is DISRUPTED when a check of its votes fails, so that a
 * bisection must find the liar.
 *
 *   one by one   in each view one liar more sends invalid votes
 *   together     all liars at once
 *   ahead        one by one, and each sends invalid Nullify votes for all views that are accepted before their time; as leaders they
 *                propose nothing, so that these votes come to a check
 *
 * The source (Commonware, "buffered signatures") claims without a run: a validator is blocked by identity when its first invalid vote is
 * found, so 1,000 validators disrupt about 333 views in an epoch of 3,000,000. Signatures are stand-ins here; checks are counted, and
 * compared with one check of each vote until the quorum.
 */
import { LOCAL_OPTIONS } from '@slipstream/consensus';
import { silentTelemetry, type Telemetry, type TelemetryFields } from '@slipstream/ports';
import { createSimNetwork, createSimNode, createSimulation, type NodeWorld } from '@slipstream/simulator';
import { view as asView, createLeaderSchedule, GENESIS_EPOCH, type Subject } from '@slipstream/types';
import { createChain } from '../../test/simulation/harness/committee.ts';
import { createScheme } from '../../test/simulation/harness/signature-scheme.ts';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';
import { createBisectingVerifier } from './disruption/bisecting-verifier.ts';
import { createScriptedCommittee, type Strategy } from './disruption/scripted-committee.ts';
import { NO_COSTS } from './geo/costs.ts';
import { createThread } from './geo/machine.ts';
import { startMember } from './geo/member.ts';

/** The real node. It is honest. */
const SELF = 0;
/** Views after the last liar's turn: none may be disrupted. */
const CALM_VIEWS = 10;
/** Virtual. */
const VIEW_MS_MAX = 10_000;

interface Outcome {
  readonly name: string;
  readonly offenders: number;
  readonly views: number;
  /** Ascending. */
  readonly disrupted: readonly number[];
  readonly blocked: number;
  readonly blocksOfOneMax: number;
  readonly honestBlocked: number;
  readonly checks: number;
  /** Single checks of as many votes. */
  readonly eagerChecks: number;
}

export async function run({ smoke, draw }: BenchOptions): Promise<Claim[]> {
  const members = smoke ? 40 : 1000;
  const outcomes: Outcome[] = [];
  for (const strategy of strategiesFor(members)) outcomes.push(await play(members, strategy));
  printOutcomes(members, outcomes);
  drawOutcomes(draw, members, outcomes);
  const most = (of: (outcome: Outcome) => number) => Math.max(...outcomes.map(of));
  const views = outcomes.reduce((sum, outcome) => sum + outcome.views, 0);
  const worst = outcomes.find(({ name }) => name === 'one by one') as Outcome;
  return [
    claim(
      'disrupted_views_n1000',
      most(({ disrupted }) => disrupted.length),
      'views',
      views,
    ),
    claim(
      'blocks_per_offender_n1000',
      most(({ blocksOfOneMax }) => blocksOfOneMax),
      'blocks',
      worst.offenders,
    ),
    claim(
      'offenders_blocked_n1000',
      Math.min(...outcomes.map(({ blocked }) => blocked)),
      'validators',
      worst.offenders,
    ),
    claim('checks_ratio_disrupted_n1000', worst.eagerChecks / worst.checks, 'ratio', worst.views),
  ];
}

function strategiesFor(members: number): readonly Strategy[] {
  const count = Math.floor((members - 1) / 3);
  const offenders = Array.from({ length: count }, (_, at) => 1 + Math.floor((at * (members - 1)) / count));
  const turnOf = new Map(offenders.map((member, at) => [member, at + 1]));
  const turn = (member: number) => turnOf.get(member) ?? Number.POSITIVE_INFINITY;
  const nothing = () => [];
  const never = () => false;
  return [
    { name: 'one by one', lies: (member, view) => turn(member) <= view, ahead: nothing, isSilent: never },
    { name: 'together', lies: (member) => turnOf.has(member), ahead: nothing, isSilent: never },
    {
      name: 'ahead',
      lies: (member, view) => turn(member) <= view,
      ahead: (member, view) => (turn(member) === view ? nullifiesAfter(view) : []),
      isSilent: (leader) => turnOf.has(leader),
    },
  ];
}

function nullifiesAfter(view: number): readonly Subject[] {
  return Array.from({ length: LOCAL_OPTIONS.lookaheadViews - 1 }, (_, at) => ({
    kind: 'nullify',
    epoch: GENESIS_EPOCH,
    view: asView(view + 1 + at),
  }));
}

async function play(members: number, strategy: Strategy): Promise<Outcome> {
  const simulation = createSimulation({ seed: `disruption ${strategy.name}` });
  const scheme = createScheme('disruption', members, false);
  const chain = createChain('disruption', new Array<number>(members).fill(1), scheme.publicKeys);
  const leaderOf = createLeaderSchedule(chain.committee, chain.genesisHash) as (view: number) => number;
  const script = createScriptedCommittee(simulation, { chain, scheme, self: SELF, strategy, leaderOf });
  const record = createRecord((view) => script.entered(view));
  const node = createSimNode(simulation, {
    peer: script.transport.self,
    network: createSimNetwork(simulation),
    telemetry: () => record.telemetry,
    factory: (world: NodeWorld) =>
      startMember(
        { ...world, transport: script.transport },
        {
          chain,
          self: SELF,
          signer: scheme.signer(SELF),
          verifier: createBisectingVerifier(scheme.verifier, world.clock),
          options: { ...LOCAL_OPTIONS, minBlockIntervalMs: 0 },
          costs: NO_COSTS,
          main: createThread(simulation),
          checking: createThread(simulation),
          crashedLeader: false,
          meter: { works() {}, sending: (send) => send() },
        },
      ),
  });
  node.start();
  script.entered(1);
  const offenders = Math.floor((members - 1) / 3);
  const views = offenders + CALM_VIEWS;
  const { reason } = await simulation.run({ untilMs: views * VIEW_MS_MAX, until: () => record.view > views });
  if (reason !== 'condition')
    throw new Error(`${strategy.name}: stands in view ${record.view} ${node.exitReason ?? ''}`);
  const liars = new Set([...script.blocks.keys()].filter((member) => strategy.lies(member, views)));
  return {
    name: strategy.name,
    offenders,
    views,
    disrupted: [...record.disrupted].sort((a, b) => a - b),
    blocked: liars.size,
    blocksOfOneMax: Math.max(0, ...script.blocks.values()),
    honestBlocked: script.blocks.size - liars.size,
    checks: record.checks,
    eagerChecks: record.eagerChecks,
  };
}

interface Record {
  readonly telemetry: Telemetry;
  readonly view: number;
  readonly disrupted: ReadonlySet<number>;
  readonly checks: number;
  readonly eagerChecks: number;
}

function createRecord(onView: (view: number) => void): Record {
  const disrupted = new Set<number>();
  let view = 1;
  let checks = 0;
  let eagerChecks = 0;

  function event(type: string, fields: TelemetryFields): void {
    if (type === 'view.entered' && Number(fields.view) > view) {
      view = Number(fields.view);
      onView(view);
    }
    if (type === 'bisection') disrupted.add(Number(fields.view));
    if (type !== 'quorum.verified') return;
    checks += Number(fields.checks);
    // The own vote needs none.
    eagerChecks += Number(fields.votes) - 1;
  }

  return {
    telemetry: { ...silentTelemetry, event },
    disrupted,
    get view() {
      return view;
    },
    get checks() {
      return checks;
    },
    get eagerChecks() {
      return eagerChecks;
    },
  };
}

function printOutcomes(members: number, outcomes: readonly Outcome[]): void {
  printTable(
    `${members} validators, a third of them liars; one real validator`,
    ['strategy', 'liars', 'views', 'disrupted', 'blocked', 'blocks of one', 'honest blocked', 'checks', 'eager'],
    outcomes.map((outcome) => [
      outcome.name,
      outcome.offenders,
      outcome.views,
      outcome.disrupted.length,
      outcome.blocked,
      outcome.blocksOfOneMax,
      outcome.honestBlocked,
      outcome.checks,
      outcome.eagerChecks,
    ]),
  );
}

function drawOutcomes(draw: BenchOptions['draw'], members: number, outcomes: readonly Outcome[]): void {
  const views = Math.max(...outcomes.map((outcome) => outcome.views));
  const upTo = Array.from({ length: views }, (_, at) => at + 1);
  draw({
    title: `Views disrupted by a third of ${members} validators`,
    about: 'Views in which a check of votes failed, up to each view.',
    unit: 'views',
    x: { name: 'view', unit: '', values: upTo },
    lines: [
      ...outcomes.map(({ name, disrupted }) => ({
        name,
        values: upTo.map((view) => disrupted.filter((one) => one <= view).length),
      })),
      { name: 'the bound: each liar once', values: upTo.map(() => Math.floor((members - 1) / 3)) },
    ],
  });
}
