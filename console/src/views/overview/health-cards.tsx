/** Which alert rule fired and what to do. */
import type { Alert } from '@slipstream/schema';
import { Badge, ToneMark } from '../../design/badge.tsx';
import { span } from '../../design/format.ts';
import { placeOf } from '../../node/alert-places.ts';
import { type Health, worstFirst } from '../../node/health.ts';
import { useHealth } from '../../node/use-health.ts';
import { useNow } from '../../node/use-now.ts';
import { href } from '../../shell/router.ts';
import { VIEW_TITLES } from '../../shell/view-titles.ts';
import { useStream } from '../../stream/use-stream.ts';

export function HealthCards() {
  const { node, chain } = useHealth();
  return (
    <div className="health-cards">
      <HealthCard subject="Node health" health={node} />
      <HealthCard subject="Chain health" health={chain} />
    </div>
  );
}

function HealthCard({ subject, health }: { readonly subject: string; readonly health: Health }) {
  return (
    <section className="health-card" data-tone={health.tone} aria-label={subject}>
      <h2 className="health-subject">{subject}</h2>
      <p className="health-label" data-tone={health.tone}>
        <ToneMark tone={health.tone} />
        {health.label}
      </p>
      {health.reasons.map((reason) => (
        <p key={reason} className="small alert-message">
          {reason}
        </p>
      ))}
    </section>
  );
}

export function Alerts() {
  const alerts = useStream((snapshot) => snapshot.alerts);
  const skewMs = useStream((snapshot) => snapshot.skewMs);
  const now = useNow(1_000);
  if (alerts.length === 0) return null;
  return (
    <section className="stack" aria-label="Alerts">
      {worstFirst(alerts).map((alert) => (
        <AlertCard key={alert.rule} alert={alert} forMs={Math.max(0, now - skewMs - alert.sinceMs)} />
      ))}
    </section>
  );
}

function AlertCard({ alert, forMs }: { readonly alert: Alert; readonly forMs: number }) {
  const tone = alert.severity === 'critical' ? 'bad' : 'warn';
  const place = placeOf(alert.rule);
  return (
    <article className="alert" data-tone={tone}>
      <div className="alert-head">
        <Badge tone={tone}>{alert.severity}</Badge>
        <span className="alert-message">{alert.message}</span>
      </div>
      <p className="small">
        {alert.remedy} {place === undefined ? null : <a href={href(place)}>Open {VIEW_TITLES[place].title}</a>}
      </p>
      <p className="small soft">
        Rule <code>{alert.rule}</code>: {alert.threshold}. For {span(forMs)}.
      </p>
    </article>
  );
}
