/** The part of the platform's Worker that is used. Each file declares `Worker` itself, since Node has none and bundlers look for `new Worker(new URL(...))`. */
export interface PageWorker<Request, Answer> {
  postMessage(request: Request): void;
  addEventListener(type: 'message', listener: (event: { readonly data: Answer }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  terminate(): void;
}

export type PageWorkerClass<Request, Answer> = new (
  url: URL,
  options: { readonly type: 'module'; readonly name: string },
) => PageWorker<Request, Answer>;
