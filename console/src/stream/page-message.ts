export type PageMessage =
  | { readonly type: 'start'; readonly url: string; readonly node?: string | undefined }
  | { readonly type: 'visible'; readonly visible: boolean };
