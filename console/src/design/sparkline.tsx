/** The course of a number, without axes. */
import './sparkline.css';

interface SparklineProps {
  /** Oldest first; null is a gap. */
  readonly values: readonly (number | null)[];
  readonly label: string;
}

const WIDTH = 160;
const HEIGHT = 32;
const POINTS_MAX = 120;

export function Sparkline({ values, label }: SparklineProps) {
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path
        d={sparkPath(values)}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

/** The newest points, from zero to the largest, right-aligned. */
function sparkPath(values: readonly (number | null)[]): string {
  const newest = values.slice(-POINTS_MAX);
  const largest = Math.max(...newest.map((value) => value ?? 0), Number.MIN_VALUE);
  const step = WIDTH / (POINTS_MAX - 1);
  let pen = 'M';
  return newest
    .map((value, i) => {
      if (value === null) {
        pen = 'M';
        return '';
      }
      const x = WIDTH - (newest.length - 1 - i) * step;
      const y = HEIGHT - 2 - (value / largest) * (HEIGHT - 4);
      const command = `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
      pen = 'L';
      return command;
    })
    .join('');
}
