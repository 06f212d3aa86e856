/** What a chart shows: lines over a scale of numbers, or bars side by side for each value. */
export interface Line {
  readonly name: string;
  /** One for each x; undefined without a measurement. */
  readonly values: readonly (number | undefined)[];
  /** Lower and upper end of the spread at each x, such as p25 and p75. */
  readonly low?: readonly (number | undefined)[];
  readonly high?: readonly (number | undefined)[];
}

export interface Chart {
  readonly title: string;
  /** One sentence that describes the chart. */
  readonly about: string;
  /** Unit of the lines' values. */
  readonly unit: string;
  readonly x: {
    readonly name: string;
    readonly unit: string;
    /** Ascending numbers for lines; bars may stand at texts. */
    readonly values: readonly (number | string)[];
    readonly isLogarithmic?: boolean;
  };
  /** Default: lines. */
  readonly kind?: 'lines' | 'bars';
  readonly lines: readonly Line[];
  /** Upper end of the scale; default: from the data. */
  readonly top?: number;
}
