/** A browser page that records its errors. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Default: the path of Debian's package. */
const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'];

export const WIDTHS = { smallest: 360, narrow: 390, wide: 1440 } as const;
const HEIGHT_PX = 900;

export type Theme = 'dark' | 'light';

export interface WatchedPage {
  readonly page: Page;
  /** Console errors, exceptions, Content-Security-Policy violations, failed requests. */
  readonly faults: string[];
  close(): Promise<void>;
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

export interface PageOptions {
  readonly width?: number;
  readonly theme?: Theme;
}

export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<WatchedPage> {
  const { width = WIDTHS.wide, theme = 'dark' } = options;
  const context: BrowserContext = await browser.newContext({
    viewport: { width, height: HEIGHT_PX },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('requestfailed', (request) => {
    // The page aborts requests when a view closes.
    const reason = request.failure()?.errorText ?? '';
    if (reason !== 'net::ERR_ABORTED') faults.push(`request: ${request.url()} ${reason}`);
  });
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}
