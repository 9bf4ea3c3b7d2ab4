import assert from 'node:assert/strict';
import { commands, languages, Range, Selection, TextEdit, window, workspace, type Disposable } from 'vscode';
import { VscodeBuffers } from '../../../src/vscode/documents';
import { bytes, clean, eventually, open, put, setting, text, type } from './support';
import { settlesWithin } from '../../unit/pace';

const never = new AbortController().signal;

describe('open documents', () => {
  const buffers = new VscodeBuffers();
  afterEach(clean);

  const buffer = (name: string): NonNullable<ReturnType<VscodeBuffers['get']>> => {
    const state = buffers.get(name);
    assert.ok(state, `${name} is open`);
    return state;
  };

  it('an edit goes into the unsaved text, which stays unsaved', async () => {
    put('edit.txt', 'one\ntwo\nthree\n');
    const document = await open('edit.txt');
    await type(document, 0, 3, ', mine');
    const seen = buffer('edit.txt');
    assert.deepEqual([seen.text, seen.dirty, [...buffers.dirty()]], ['one, mine\ntwo\nthree\n', true, ['edit.txt']]);
    assert.equal(await buffers.edit('edit.txt', seen, 'one, mine\ntwo\nthree, theirs\n'), true);
    assert.equal(document.getText(), 'one, mine\ntwo\nthree, theirs\n');
    assert.equal(document.isDirty, true);
    assert.equal(text('edit.txt'), 'one\ntwo\nthree\n');
  });

  it('one undo takes the edit back and leaves what the human typed', async () => {
    put('undo.txt', 'one\ntwo\n');
    const document = await open('undo.txt');
    await type(document, 0, 0, 'mine ');
    assert.equal(await buffers.edit('undo.txt', buffer('undo.txt'), 'mine one\ntwo and more\n'), true);
    await commands.executeCommand('undo');
    await eventually(() => document.getText() === 'mine one\ntwo\n', 'the edit is undone');
  });

  it('an edit for an older version changes nothing', async () => {
    put('stale.txt', 'one\ntwo\n');
    const document = await open('stale.txt');
    await type(document, 0, 0, 'a');
    const seen = buffer('stale.txt');
    await type(document, 1, 0, 'b');
    assert.equal(await buffers.edit('stale.txt', seen, 'something else\n'), false);
    assert.equal(document.getText(), 'aone\nbtwo\n');
  });

  it('an edit for another text changes nothing, though the version fits: a document opened again counts anew', async () => {
    put('again.txt', 'one\ntwo\n');
    const document = await open('again.txt');
    await type(document, 1, 0, 'b');
    const { version } = buffer('again.txt');
    assert.equal(await buffers.edit('again.txt', { version, text: 'aone\ntwo\n' }, 'aone\ntwo\nagent\n'), false);
    assert.equal(document.getText(), 'one\nbtwo\n');
  });

  it('an edit that races with typing loses', async () => {
    put('race.txt', 'one\ntwo\n');
    const document = await open('race.txt');
    await type(document, 0, 0, 'a');
    const editor = await window.showTextDocument(document);
    // both are on their way before either has arrived
    const typed = editor.edit((edit) => edit.insert(document.positionAt(document.getText().length), 'typed\n'));
    const edited = buffers.edit('race.txt', buffer('race.txt'), 'aone\ntwo\nagent\n');
    assert.equal(await typed, true);
    const won = await edited;
    await eventually(() => document.getText().includes('typed\n'), 'what was typed is there');
    assert.equal(document.getText().includes('agent'), won, document.getText());
  });

  it('settle: a file that no editor shows', async () => {
    put('closed.txt', 'one\n');
    assert.equal(await buffers.settle('closed.txt', 'one\n', never), 'notOpen');
  });

  it('settle: after a write to the disk the editor shows the new text', async () => {
    put('settle.txt', 'one\ntwo\n');
    const document = await open('settle.txt');
    put('settle.txt', 'one\ntwo\nthree\n');
    assert.equal(await buffers.settle('settle.txt', 'one\ntwo\nthree\n', never), 'shown');
    assert.deepEqual([document.getText(), document.isDirty], ['one\ntwo\nthree\n', false]);
  });

  it('settle: what is typed before the editor has read the file again survives', async () => {
    put('gap.txt', 'one\ntwo\n');
    const document = await open('gap.txt');
    put('gap.txt', 'one\ntwo\nthree\n');
    await type(document, 0, 3, ', typed in the gap');
    assert.equal(await buffers.settle('gap.txt', 'one\ntwo\nthree\n', never), 'dirty');
    assert.match(document.getText(), /^one, typed in the gap\n/);
    assert.equal(text('gap.txt'), 'one\ntwo\nthree\n');
    // and the new text can still be brought in beside it
    assert.equal(await buffers.edit('gap.txt', buffer('gap.txt'), 'one, typed in the gap\ntwo\nthree\n'), true);
    assert.equal(document.isDirty, true);
  });

  it('settle: a stop ends the wait at once', async () => {
    put('cut.txt', 'one\n');
    await open('cut.txt');
    const stop = new AbortController();
    const waiting = buffers.settle('cut.txt', 'never\n', stop.signal);
    stop.abort();
    assert.ok(await settlesWithin(500, waiting));
    assert.equal(await waiting, 'late');
  });

  describe('with a formatter on save', () => {
    let formatter: Disposable;
    beforeEach(async () => {
      formatter = languages.registerDocumentFormattingEditProvider(
        { language: 'plaintext' },
        {
          provideDocumentFormattingEdits: (document): TextEdit[] => [
            TextEdit.replace(
              new Range(0, 0, document.lineCount, 0),
              document.getText().replace(/^(?!formatted: )(?=.)/gm, 'formatted: '),
            ),
          ],
        },
      );
      await setting('editor.formatOnSave', true);
    });
    afterEach(() => {
      formatter.dispose();
    });

    it('save runs none', async () => {
      put('plain.txt', 'one\n');
      put('control.txt', 'one\n');
      const control = await open('control.txt');
      await type(control, 0, 0, 'a');
      await control.save();
      assert.equal(text('control.txt'), 'formatted: aone\n', 'the formatter is at work when a human saves');

      const document = await open('plain.txt');
      await type(document, 0, 0, 'a');
      assert.equal(await buffers.save('plain.txt'), true);
      assert.deepEqual([text('plain.txt'), document.isDirty], ['aone\n', false]);
    });

    it('save of a document in the background leaves the editor in front where it is', async () => {
      put('back.txt', 'one\n');
      put('front.txt', 'one\ntwo\nthree\n');
      await type(await open('back.txt'), 0, 0, 'a');
      const front = await open('front.txt');
      assert.ok(window.activeTextEditor);
      window.activeTextEditor.selection = new Selection(1, 1, 2, 2);
      assert.equal(await buffers.save('back.txt'), true);
      assert.equal(text('back.txt'), 'aone\n');
      await eventually(() => window.activeTextEditor?.document === front, 'the front editor is in front again');
      assert.ok(window.activeTextEditor.selection.isEqual(new Selection(1, 1, 2, 2)), 'and its selection');
    });
  });

  it('discard goes back to the disk', async () => {
    put('discard.txt', 'one\n');
    const document = await open('discard.txt');
    await type(document, 0, 0, 'not wanted ');
    const seen = buffer('discard.txt');
    await type(document, 0, 0, 'typed since, ');
    assert.equal(await buffers.discard('discard.txt', seen), false);
    assert.equal(document.getText(), 'typed since, not wanted one\n');
    assert.equal(await buffers.discard('discard.txt', buffer('discard.txt')), true);
    assert.deepEqual([document.getText(), document.isDirty, text('discard.txt')], ['one\n', false, 'one\n']);
  });

  it('CRLF: the buffer and the file keep their line ends', async () => {
    put('crlf.txt', 'one\r\ntwo\r\n');
    const document = await open('crlf.txt');
    assert.deepEqual([buffer('crlf.txt').eol, buffer('crlf.txt').text], ['\r\n', 'one\r\ntwo\r\n']);
    await type(document, 0, 0, 'a');
    assert.equal(await buffers.edit('crlf.txt', buffer('crlf.txt'), 'aone\ntwo\nthree\n'), true);
    assert.equal(document.getText(), 'aone\r\ntwo\r\nthree\r\n');
    assert.equal(await buffers.save('crlf.txt'), true);
    assert.equal(text('crlf.txt'), 'aone\r\ntwo\r\nthree\r\n');
  });

  it('mixed line ends: a file written beside an editor counts as shown', async () => {
    put('mixed.txt', 'one\r\ntwo\nthree\r\n');
    const document = await open('mixed.txt');
    put('mixed.txt', 'one\r\ntwo\nthree\r\nfour\n');
    assert.equal(await buffers.settle('mixed.txt', 'one\r\ntwo\nthree\r\nfour\n', never), 'shown');
    assert.equal(document.isDirty, false);
    assert.equal(text('mixed.txt'), 'one\r\ntwo\nthree\r\nfour\n', 'nothing made them uniform on disk');
  });

  it('BOM: not part of the text, and kept in the file', async () => {
    put('bom.txt', '\uFEFFone\ntwo\n');
    const document = await open('bom.txt');
    assert.equal(buffer('bom.txt').text, 'one\ntwo\n');
    put('bom.txt', '\uFEFFone\ntwo\nthree\n');
    assert.equal(await buffers.settle('bom.txt', '\uFEFFone\ntwo\nthree\n', never), 'shown');
    await type(document, 0, 0, 'a');
    assert.equal(await buffers.edit('bom.txt', buffer('bom.txt'), '\uFEFFaone\ntwo\nthree\nfour\n'), true);
    assert.equal(document.getText(), 'aone\ntwo\nthree\nfour\n');
    assert.equal(await buffers.save('bom.txt'), true);
    assert.equal(text('bom.txt'), '\uFEFFaone\ntwo\nthree\nfour\n');
  });

  it('windows-1252: the text is read as such, and the bytes stay such', async () => {
    put('latin.txt', Buffer.from('caf\xe9\ntwo\n', 'latin1'));
    await setting('files.encoding', 'windows1252');
    const document = await open('latin.txt');
    assert.equal(buffer('latin.txt').text, 'café\ntwo\n');
    await type(document, 1, 3, ' crème');
    assert.equal(await buffers.edit('latin.txt', buffer('latin.txt'), 'café\ntwo crème\nthree\n'), true);
    assert.equal(await buffers.save('latin.txt'), true);
    assert.deepEqual(bytes('latin.txt'), Buffer.from('caf\xe9\ntwo cr\xe8me\nthree\n', 'latin1'));
    assert.equal(
      workspace.textDocuments.some((one) => one.isDirty),
      false,
    );
  });
});
