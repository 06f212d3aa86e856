/** The node showed a certificate that its committee did not sign. */
import { Badge } from '../design/badge.tsx';
import { count } from '../design/format.ts';
import { useLive } from '../proof/live-state.ts';
import { href } from './router.ts';

export function RefusedBanner() {
  const refused = useLive((state) => state.refused);
  if (refused === null) return null;
  return (
    <div className="banner" data-tone="bad" role="alert">
      <Badge tone="bad">Certificate refused</Badge>
      <span>
        This node shows a certificate for{' '}
        <a href={href('explorer', 'block', refused.height)}>block {count(refused.height)}</a> that does not verify in
        this browser. Trust nothing that it says, and compare it with other nodes.
      </span>
    </div>
  );
}
