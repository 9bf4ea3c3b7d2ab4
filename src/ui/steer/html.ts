/** The page of the steering view: structure only; everything that changes is made in `src/webview` with text nodes. Pure. */

export interface PageParts {
  /** `webview.cspSource` */
  source: string;
  nonce: string;
  script: string;
  style: string;
}

export function steerPage({ source, nonce, script, style }: PageParts): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}';">
  <meta name="viewport" content="width=device-width, initial-scale=1.0">
  <title>Steer</title>
  <link rel="stylesheet" href="${style}">
</head>
<body>
  <main id="main" hidden>
    <p id="line" class="line" role="status" aria-live="polite"></p>
    <section id="decisions" aria-label="Open questions" aria-live="polite"></section>
    <div id="actions" class="row" role="group" aria-label="Run"></div>
    <form id="form">
      <label id="label" for="text">Note to the agent</label>
      <textarea id="text" rows="2" spellcheck="true" aria-describedby="hint message"></textarea>
      <p id="hint" class="hint"></p>
      <p id="message" class="message" role="alert"></p>
      <div id="send" class="row" role="group" aria-label="Note"></div>
    </form>
    <section id="queue" aria-label="Queued notes"></section>
    <section id="unsent" aria-label="Unsent texts"></section>
  </main>
  <script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
