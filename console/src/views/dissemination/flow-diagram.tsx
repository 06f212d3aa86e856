/** Draws the flow as bands as thick as their share; below, whether the sums match. */
import { Badge, ToneMark } from '../../design/badge.tsx';
import { count } from '../../design/format.ts';
import { Term } from '../../design/term.tsx';
import { type Band, type BandLayout, type FlowEnd, type FlowModel, layoutBands } from './flow.ts';

const TRUNK_PX = 132;

export function FlowDiagram({ model }: { readonly model: FlowModel }) {
  const { sources, ends, arrived } = model;
  const shown = ends.filter((end) => end.count > 0 || end.key === 'executed' || end.key === 'waiting');
  const { heightPx } = layoutBands(shown, TRUNK_PX, layoutBands(sources, TRUNK_PX).heightPx);
  const left = layoutBands(sources, TRUNK_PX, heightPx);
  const right = layoutBands(shown, TRUNK_PX, heightPx);
  return (
    <div className="stack">
      <div className="flow" style={{ height: heightPx }}>
        <Ends ends={sources} layout={left} side="left" />
        <Bands layout={left} mirrored />
        <div className="flow-trunk">
          <b>{count(arrived)}</b>
          <span className="small soft">received</span>
        </div>
        <Bands layout={right} />
        <Ends ends={shown} layout={right} side="right" />
      </div>
      <Balance model={model} />
    </div>
  );
}

interface EndsProps {
  readonly ends: readonly FlowEnd[];
  readonly layout: BandLayout;
  readonly side: 'left' | 'right';
}

function Ends({ ends, layout, side }: EndsProps) {
  return (
    <ul className="flow-ends" data-side={side}>
      {ends.map(({ key, title, means, tone, count: some }, i) => (
        <li key={key} style={{ height: layout.bands[i]?.rowPx }} data-tone={tone}>
          <span className="flow-end-name">
            <ToneMark tone={tone} />
            <Term word={title} means={means} />
          </span>
          <b>{count(some)}</b>
        </li>
      ))}
    </ul>
  );
}

interface BandsProps {
  readonly layout: BandLayout;
  readonly mirrored?: boolean;
}

function Bands({ layout: { bands, heightPx, trunkFromPx, trunkToPx }, mirrored = false }: BandsProps) {
  return (
    <svg
      className="flow-bands"
      viewBox={`0 0 100 ${heightPx}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      data-mirrored={mirrored || undefined}
    >
      {bands.map((band) => (
        <path key={band.key} d={bandPath(band)} data-tone={band.tone} />
      ))}
      <rect x="0" y={trunkFromPx} width="1.2" height={Math.max(0, trunkToPx - trunkFromPx)} data-tone="info" />
    </svg>
  );
}

/** Both edges are curves, so that thin bands stay thin. */
function bandPath({ trunkPx, endPx, thicknessPx }: Band): string {
  const half = thicknessPx / 2;
  const [a, b, c, d] = [trunkPx - half, endPx - half, endPx + half, trunkPx + half];
  return `M0 ${a}C50 ${a} 50 ${b} 100 ${b}L100 ${c}C50 ${c} 50 ${d} 0 ${d}Z`;
}

function Balance({ model: { ends, arrived, accounted } }: { readonly model: FlowModel }) {
  const terms = ends.filter((end) => end.count > 0);
  const balanced = arrived === accounted;
  return (
    <p className="flow-balance" data-balanced={balanced}>
      <Badge tone={balanced ? 'good' : 'bad'}>{balanced ? 'Adds up' : 'Does not add up'}</Badge>
      <span>
        <b>{count(arrived)}</b> received ={' '}
        {terms.map(({ key, title, count: some }, i) => (
          <span key={key}>
            {i === 0 ? '' : ' + '}
            <b>{count(some)}</b> {title.toLowerCase()}
          </span>
        ))}
        {terms.length === 0 ? '0' : null}
        {balanced ? null : `. ${count(Math.abs(arrived - accounted))} are missing: this is a defect of the node.`}
      </span>
    </p>
  );
}
