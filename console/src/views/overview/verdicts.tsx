/** The first thing read: is my node well, is the chain well, and if not, which rule says so and what to do. */
import type { Alert } from '@slipstream/schema';
import { Badge, ToneMark } from '../../design/badge.tsx';
import { span } from '../../design/format.ts';
import { placeOf } from '../../node/alert-places.ts';
import { useNow } from '../../node/use-now.ts';
import { useVerdicts } from '../../node/use-verdicts.ts';
import { type Verdict, worstFirst } from '../../node/verdict.ts';
import { href } from '../../shell/router.ts';
import { VIEWS } from '../../shell/views.tsx';
import { useStream } from '../../stream/use-stream.ts';

export function Verdicts() {
  const { node, chain } = useVerdicts();
  return (
    <div className="verdicts">
      <VerdictCard subject="Is my node well?" verdict={node} />
      <VerdictCard subject="Is the chain well?" verdict={chain} />
    </div>
  );
}

function VerdictCard({ subject, verdict }: { readonly subject: string; readonly verdict: Verdict }) {
  return (
    <section className="verdict" data-tone={verdict.tone} aria-label={subject}>
      <h2 className="verdict-subject">{subject}</h2>
      <p className="verdict-word" data-tone={verdict.tone}>
        <ToneMark tone={verdict.tone} />
        {verdict.word}
      </p>
      {verdict.reasons.map((reason) => (
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
        {alert.remedy} {place === undefined ? null : <a href={href(place)}>Open {VIEWS[place].title}</a>}
      </p>
      <p className="small soft">
        Rule <code>{alert.rule}</code>: {alert.threshold}. For {span(forMs)}.
      </p>
    </article>
  );
}
