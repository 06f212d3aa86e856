/** The node said something that does not verify. */
import { Badge } from '../design/badge.tsx';
import { timeOfDay } from '../design/format.ts';
import { useLive } from '../proof/live-state.ts';

const TITLES: Readonly<Record<string, string>> = {
  'false-certificate': 'Certificate refused',
  'false-handover': 'Handover refused',
};

export function RefusedBanner() {
  const lie = useLive((state) => state.lie);
  if (lie === null) return null;
  return (
    <div className="banner" data-tone="bad" role="alert">
      <Badge tone="bad">{TITLES[lie.code] ?? 'Contradiction'}</Badge>
      <span>
        This node says what does not verify in this browser: {lie.detail}. Trust nothing that it says, and compare it
        with other nodes.
        {lie.untilMs === null ? '' : ` Its heights are checked again at ${timeOfDay(lie.untilMs)}.`}
      </span>
    </div>
  );
}
