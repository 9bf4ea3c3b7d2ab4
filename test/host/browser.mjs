// Headless Chromium for the workbench.
import { chromium } from 'playwright-core';
import { ensureBrowser } from '../../scripts/lib/provision.mjs';

/** Starts a headless Chromium that asks nothing of the network by itself; returns Playwright's `Browser`. */
export async function launchBrowser() {
  return chromium.launch({
    executablePath: await ensureBrowser(),
    // the sandbox needs privileges that containers do not give, and the pages are our own
    chromiumSandbox: false,
    args: [
      ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
    ],
  });
}
