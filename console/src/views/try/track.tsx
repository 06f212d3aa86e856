/** Stages of a transfer, with the time since sending. */
import { duration } from '../../design/format.ts';
import type { Reached } from './journey.ts';

const STOPS: readonly (readonly [Reached['stage'], string, string])[] = [
  ['accepted', 'Accepted', 'accepted by this node'],
  ['attested', 'Attested', 'a quorum stored it'],
  ['ordered', 'Ordered', 'its block cannot be undone'],
  ['final', 'Final', 'a quorum certified its result'],
  ['proof', 'Proof', 'fetched from the node'],
  ['verified', 'Verified', 'checked in this browser'],
];

export function Track({ reached }: { readonly reached: readonly Reached[] }) {
  return (
    <ol className="track" aria-label="Stages of the transfer" aria-live="polite">
      {STOPS.map(([stage, name, means]) => {
        const at = reached.find((stop) => stop.stage === stage);
        return (
          <li key={stage} className="track-stop" data-stage={stage} data-reached={at !== undefined} title={means}>
            <span>{name}</span>
            <span className="track-time">{at === undefined ? '' : duration(at.atMs)}</span>
          </li>
        );
      })}
    </ol>
  );
}
