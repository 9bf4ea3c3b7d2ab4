// The page of the steering view alone, in a browser: whose text stands in the box, key by key.
import assert from 'node:assert/strict';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { after, before, beforeEach, describe, it } from 'mocha';
import { root } from '../../scripts/lib/provision.mjs';
import { launchBrowser } from '../host/browser.mjs';

const bundle = async (entry, options) => {
  const built = await esbuild.build({
    stdin: { contents: entry, resolveDir: root, loader: 'ts' },
    ...{ bundle: true, write: false, ...options },
  });
  return built.outputFiles[0].text;
};

const STATE = {
  ...{ runId: 'a', line: 'Running', tone: 'busy', control: 'agent', takesNotes: true, canSteerNow: false },
  ...{ held: false, fixed: false, canStart: false, actions: [], hint: '', notesWait: '', notes: [], decisions: [] },
};
const ENDED = {
  ...STATE,
  takesNotes: false,
  canStart: true,
  control: 'none',
  hint: 'Enter starts a run with this goal.',
};

describe('the box of the steering view', function () {
  this.timeout(60_000);
  let browser, page, html, script;

  before(async () => {
    script = await bundle(`import ${JSON.stringify(path.join(root, 'src/webview/main.ts'))}`, { format: 'iife' });
    const made = await bundle(`export { steerPage } from ${JSON.stringify(path.join(root, 'src/ui/steer/html.ts'))}`, {
      format: 'esm',
    });
    const { steerPage } = await import(`data:text/javascript,${encodeURIComponent(made)}`);
    html = steerPage({ source: 'https://steer.test', nonce: 'n', script: '/page.js', style: '/page.css' });
    browser = await launchBrowser();
  });
  beforeEach(async () => {
    await page?.close();
    page = await browser.newPage();
    await page.route('https://steer.test/**', (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === '/page.js') return route.fulfill({ contentType: 'text/javascript', body: script });
      return route.fulfill({
        contentType: pathname === '/' ? 'text/html' : 'text/css',
        body: pathname === '/' ? html : '',
      });
    });
    await page.addInitScript(() => {
      window.posted = [];
      window.acquireVsCodeApi = () => ({
        postMessage: (m) => window.posted.push(m),
        getState: () => JSON.parse(window.sessionStorage.getItem('kept') ?? 'null'),
        setState: (state) => window.sessionStorage.setItem('kept', JSON.stringify(state)),
      });
    });
    await page.goto('https://steer.test/');
  });
  after(() => browser?.close());

  const send = (message) =>
    page.evaluate((m) => new Promise((done) => (window.postMessage(m, '*'), setTimeout(done, 50))), message);
  const show = (state) => send({ type: 'state', state });
  const posted = (type) => page.evaluate((wanted) => window.posted.filter((m) => m.type === wanted), type);
  const box = () => page.locator('#text');
  const label = () => page.locator('#label').textContent();
  const buttons = () => page.locator('#send button').allTextContents();

  it('a note being typed when the run ends stays whole, and goes where the human says', async () => {
    await show(ENDED);
    await box().fill('An old goal');
    await show(STATE);
    await page.locator('body').click({ position: { x: 1, y: 1 } });
    await box().evaluate((node) => node.blur());
    await show(STATE);
    await box().click();
    await page.keyboard.type('Do not tou');
    await show(ENDED);
    await page.keyboard.type('ch the card');
    assert.equal(await box().inputValue(), 'Do not touch the card');
    assert.equal(await label(), 'Unsent note to the run that has ended');
    assert.deepEqual(await buttons(), ['Continue in a Fork', 'Start a Run with It', 'Discard…']);
    await page.keyboard.press('Enter');
    assert.deepEqual([await posted('send'), await posted('start')], [[], []]);
    await page.getByRole('button', { name: 'Continue in a Fork' }).click();
    const [forked] = await posted('fork');
    assert.deepEqual([forked.runId, forked.text], ['a', 'Do not touch the card']);
    await send({ type: 'answer', request: forked.request, clear: true, message: '' });
    assert.notEqual(await box().inputValue(), 'Do not touch the card');
  });

  it('an unsent note waits below the box of the next run, over a reload too', async () => {
    await show(STATE);
    await box().fill('For a alone');
    await box().blur();
    await show({ ...STATE, runId: 'b' });
    assert.equal(await box().inputValue(), '');
    assert.match(await page.locator('#unsent').textContent(), /For a alone/);
    await page.reload();
    await show({ ...STATE, runId: 'b' });
    assert.equal(await box().inputValue(), '');
    await page.getByRole('button', { name: 'Put in the Box' }).click();
    assert.equal(await box().inputValue(), 'For a alone');
    assert.equal(await page.locator('#unsent').textContent(), '');
  });

  it('Enter starts a run after one has ended, once, and its goal does not come back', async () => {
    await show(ENDED);
    await box().click();
    await page.keyboard.type('Read all');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    const started = await posted('start');
    assert.deepEqual(
      started.map(({ text }) => text),
      ['Read all'],
    );
    await show({ ...STATE, runId: 'b' });
    await send({ type: 'answer', request: started[0].request, clear: true, message: '' });
    assert.equal(await label(), 'Note to the agent');
    assert.equal(await box().inputValue(), '');
    await page.reload();
    await show({ ...ENDED, runId: 'b' });
    assert.equal(await box().inputValue(), '');
    assert.equal(await page.locator('#unsent').textContent(), '');
  });

  it('an opened, unchanged field is no draft; typing in a changed one goes on in the box', async () => {
    const noted = { ...STATE, notes: [{ id: 'a/n1', text: 'Use tabs' }] };
    await show(noted);
    await page.getByRole('button', { name: 'Edit' }).click();
    await show(STATE);
    assert.equal(await box().inputValue(), '');
    assert.equal(await page.locator('#unsent').textContent(), '');
    await show({ ...noted, notes: [{ id: 'a/n2', text: 'Use tabs' }] });
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' not sp');
    await show(ENDED);
    await page.keyboard.type('aces');
    assert.equal(await box().inputValue(), 'Use tabs not spaces');
    assert.equal(await label(), 'Unsent note to the run that has ended');
  });

  it('a text that is kept nowhere else is discarded only when that is said twice', async () => {
    const press = (name) => page.getByRole('button', { name, exact: true }).click();
    await show(STATE);
    await box().click();
    await page.keyboard.type('For a alone');
    await show(ENDED);
    await press('Discard…');
    assert.deepEqual(await buttons(), ['Discard It', 'Keep It']);
    assert.match(
      await page.locator('#send').textContent(),
      /Discard “For a alone”\? It was not sent and is kept nowhere else/,
    );
    await page.keyboard.press('Escape');
    assert.equal(await box().inputValue(), 'For a alone');
    await press('Discard…');
    await page.keyboard.press('Enter'); // the keyboard is on Keep It
    assert.equal(await box().inputValue(), 'For a alone');
    await press('Discard…');
    await press('Discard It');
    assert.equal(await box().inputValue(), '');
    // A text that waits below, the same way.
    await show(STATE);
    await box().fill('For a later');
    await box().blur();
    await show({ ...STATE, runId: 'b' });
    await press('Discard…');
    await press('Keep It');
    assert.match(await page.locator('#unsent').textContent(), /For a later/);
    await press('Discard…');
    await press('Discard It');
    assert.equal(await page.locator('#unsent').textContent(), '');
  });

  it('a question that comes after a press has the keyboard, read as a whole, and no Enter answers it', async () => {
    const choices = [
      { id: 'save', label: 'Save' },
      { id: 'discard', label: 'Discard' },
    ];
    const d = { id: 'a/d1', kind: 'unsaved', title: 'Unsaved changes in a.js', detail: '', choices };
    const asking = { ...STATE, line: 'Waiting for you.', decisions: [{ ...d, freeText: false, look: '' }] };
    const focused = () => page.evaluate(() => document.activeElement.dataset.name ?? document.activeElement.id);
    await show({ ...STATE, actions: ['resume'] });
    await page.getByRole('button', { name: 'Resume' }).click();
    await show(STATE);
    assert.equal(await focused(), 'text', 'the button is gone');
    await show(asking);
    assert.equal(await focused(), 'a/d1/card');
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted('decide'), []);
    assert.equal(await page.getByRole('article', { name: 'Unsaved files Unsaved changes in a.js' }).count(), 1);
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'a/d1/save');
    const about = await page.getByRole('button', { name: 'Save', exact: true }).getAttribute('aria-describedby');
    assert.equal(await page.locator(`[id="${about}"]`).textContent(), 'Unsaved changes in a.js');
    // Who writes is not taken from it; who asked from elsewhere is brought there.
    await show(STATE);
    await box().fill('A note');
    await show(asking);
    assert.equal(await focused(), 'text');
    await send({ type: 'focusQuestion' });
    assert.equal(await focused(), 'a/d1/card');
  });

  const approval = (over = {}) => ({
    ...{
      id: 'a/d1',
      kind: 'approval',
      title: 'Run this command?',
      detail: 'npm test',
      freeText: true,
      look: '',
    },
    choices: [
      { id: 'grant', label: 'Allow' },
      { id: 'reject', label: 'Reject' },
    ],
    ...over,
  });

  it('one Enter too many sends a note no second time', async () => {
    await show(STATE);
    await box().fill('Use tabs');
    await box().press('Enter');
    await box().press('Enter');
    const sends = await posted('send');
    assert.equal(sends.length, 1);
    await send({ type: 'answer', request: sends[0].request, clear: true, message: '' });
    await box().press('Enter');
    assert.deepEqual([(await posted('send')).length, await box().inputValue()], [1, '']);
    // The same words once more are meant, when the first are safe.
    await box().fill('Use tabs');
    await box().press('Enter');
    assert.equal((await posted('send')).length, 2);
  });

  it('a note in the field of an approval goes with Allow too, and never away with an answer that takes none', async () => {
    await show({ ...STATE, decisions: [approval()] });
    const field = page.locator('[data-name="a/d1/field"]');
    await field.fill('and then the docs');
    const names = await page
      .getByRole('group', { name: /^Answers/ })
      .getByRole('button')
      .allTextContents();
    assert.deepEqual(names, ['Allow with This Note', 'Reject with This Note']);
    await page.getByRole('button', { name: 'Allow with This Note' }).click();
    const [decided] = await posted('decide');
    assert.deepEqual([decided.choice, decided.text], ['grant', 'and then the docs']);
    await send({ type: 'answer', request: decided.request, clear: true, message: '' });
    await show(STATE);
    assert.equal(await page.locator('#unsent').textContent(), '');
    // An answer by hand is a text of its own: the note waits.
    const byHand = approval({ id: 'a/d2', choices: [{ id: 'edit', label: 'Edit by Hand' }] });
    await show({ ...STATE, decisions: [byHand] });
    await page.locator('[data-name="a/d2/field"]').fill('mind the tabs');
    await page.getByRole('button', { name: 'Edit by Hand' }).click();
    const edited = (await posted('decide')).at(-1);
    await send({ type: 'answer', request: edited.request, clear: true, message: '' });
    await show(STATE);
    assert.match((await page.locator('#unsent').textContent()) + (await box().inputValue()), /mind the tabs/);
  });

  it('what is typed is known outside, and goes when it was sent from there', async () => {
    await show({ ...STATE, decisions: [approval()] });
    await page.locator('[data-name="a/d1/field"]').fill('not this one');
    await box().fill('my note');
    assert.deepEqual((await posted('typed')).at(-1).texts, [
      { of: 'a', text: 'my note' },
      { of: 'a/d1', text: 'not this one' },
    ]);
    await send({ type: 'taken', of: 'a/d1', text: 'not this one' });
    await send({ type: 'taken', of: 'a', text: 'my note' });
    await show(STATE);
    assert.deepEqual([await box().inputValue(), await page.locator('#unsent').textContent()], ['', '']);
    assert.deepEqual((await posted('typed')).at(-1).texts, []);
  });

  it('the next question is seen by its beginning in a low window, and the end of a run from the top', async () => {
    await page.setViewportSize({ width: 300, height: 160 });
    const long = approval({ detail: 'line\n'.repeat(30) });
    await show({ ...STATE, decisions: [long] });
    const top = () => page.locator('.card').evaluate((node) => node.getBoundingClientRect().top);
    assert.ok((await top()) >= 0 && (await top()) < 40, `the card begins at ${await top()}`);
    await page.evaluate(() => window.scrollTo({ top: document.body.scrollHeight }));
    await show({ ...STATE, decisions: [{ ...long, id: 'a/d2' }] });
    assert.ok((await top()) >= 0 && (await top()) < 40, `the next card begins at ${await top()}`);
    await show({ ...ENDED, notes: [] });
    assert.equal(await page.evaluate(() => window.scrollY), 0);
  });

  it('of a run that another window has only the words are shown', async () => {
    await show({
      ...STATE,
      held: true,
      takesNotes: false,
      line: 'Held by another VS Code window.',
      actions: ['takeControlHere'],
    });
    assert.equal(await page.locator('#form').isVisible(), false);
    await page.getByRole('button', { name: 'Take Control Here' }).click();
    assert.deepEqual(
      (await posted('act')).map(({ action }) => action),
      ['takeControlHere'],
    );
  });
});
