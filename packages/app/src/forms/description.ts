/** Forms as data: in manifests, from which others make codec, JSON and schema again without the application's code. */

export type FormDescription =
  | { readonly form: ScalarName }
  | { readonly form: 'text' | 'bytes'; readonly bytesMax: number }
  | { readonly form: 'oneOf'; readonly names: readonly string[] }
  | { readonly form: 'option'; readonly of: FormDescription }
  | { readonly form: 'list'; readonly of: FormDescription; readonly itemsMax: number }
  | { readonly form: 'record'; readonly fields: readonly FieldDescription[] }
  | { readonly form: 'choice'; readonly cases: readonly CaseDescription[] };

export type ScalarName = 'u8' | 'u16' | 'u32' | 'timeMs' | 'amount' | 'account' | 'id';

/** In the order of the encoding. */
export interface FieldDescription {
  readonly name: string;
  readonly of: FormDescription;
}

/** The place in the list is the case's number in the encoding. */
export interface CaseDescription {
  readonly name: string;
  readonly fields: readonly FieldDescription[];
}
