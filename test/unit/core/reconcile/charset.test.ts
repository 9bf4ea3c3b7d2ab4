/** A document's own encoding: its text is what the editor shows, and bytes outside of an edit stay as they are. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { tableCharset, utf16Charset, type Charset } from '../../../../src/core/reconcile/charset';
import { toLf } from '../../../../src/core/reconcile/lines';
import { decode, display, encode } from '../../../../src/core/reconcile/text';
import { byHand } from '../../../../src/core/tools/write';
import { patch, plan, read, there, whole } from '../tools/guard';
import { SEED, runs } from '../../chance';

const RUNS = runs();

// The upper half of Windows-1252; five of its bytes mean nothing.
const C1 = '€\uFFFD‚ƒ„…†‡ˆ‰Š‹Œ\uFFFDŽ\uFFFD\uFFFD‘’“”•–—˜™š›œ\uFFFDžŸ';
const cp1252 = (bytes: Uint8Array): Promise<string> =>
  Promise.resolve(
    [...bytes].map((b) => (b >= 0x80 && b < 0xa0 ? (C1[b - 0x80] ?? '') : String.fromCharCode(b))).join(''),
  );
const platform = (label: string) => (bytes: Uint8Array) => Promise.resolve(new TextDecoder(label).decode(bytes));
const make = async (id: string, decoder: (bytes: Uint8Array) => Promise<string>): Promise<Charset> => {
  const charset = await tableCharset(id, decoder);
  assert.ok(charset, id);
  return charset;
};
const latin = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

describe(`encodings of open documents (${RUNS} runs, seed ${SEED})`, () => {
  let windows: Charset;
  let japanese: Charset;
  let russian: Charset;
  before(async () => {
    windows = await make('windows1252', cp1252);
    japanese = await make('shiftjis', platform('shift_jis'));
    russian = await make('koi8r', platform('koi8-r'));
  });

  it('the text is the one the editor shows', () => {
    assert.equal(decode(latin('caf\xe9 \x80 \x93x\x94\n'), windows)?.text, 'café € “x”\n');
    assert.equal(decode(Uint8Array.of(0x82, 0xa0, 0x41, 0xb1), japanese)?.text, 'あAｱ');
    assert.equal(decode(Uint8Array.of(0xf0, 0xd2, 0xc9), russian)?.text, 'При');
    assert.equal(decode(Uint8Array.of(0x61, 0, 0x0a, 0), utf16Charset('utf16le'))?.text, 'a\n');
    assert.equal(decode(Uint8Array.of(0, 0x61, 0, 0x0a), utf16Charset('utf16be'))?.text, 'a\n');
  });

  it('a mark in the bytes counts more than UTF-16 that is only said', () => {
    const marked = decode(Uint8Array.of(0xff, 0xfe, 0x61, 0), utf16Charset('utf16be'));
    assert.deepEqual([marked?.text, marked?.encoding], ['a', 'utf16le']);
  });

  it('UTF-7 and EBCDIC are no superset of ASCII: not taken for a table', async () => {
    assert.equal(await tableCharset('shifted', (bytes) => cp1252(bytes.map((b) => b ^ 0x40))), undefined);
  });

  it('decode and encode are inverse for every sequence of bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    const charsets = fc.constantFrom(windows, japanese, russian, utf16Charset('utf16le'), utf16Charset('utf16be'));
    fc.assert(
      fc.property(bytes, charsets, (given, charset) => {
        const view = decode(given, charset);
        if (view) assert.deepEqual(encode(view.text, view.encoding), given);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('an edit changes the bytes of its span only', () => {
    const noise = fc.uint8Array({ min: 0x20, max: 0xff, maxLength: 20 });
    fc.assert(
      fc.property(noise, noise, (head, tail) => {
        const [from, to] = [latin('\n<<here>>\n'), latin('\nnaïve €\n'.replace('€', '\x80'))];
        const now = there(Uint8Array.of(...head, ...from, ...tail));
        const view = decode(now.bytes ?? new Uint8Array(), windows);
        assert.ok(view);
        const made = plan({ ...now, view }, read(now.bytes ?? ''), view.text, patch('<<here>>', 'naïve €'));
        assert.equal(made.kind, 'write');
        if (made.kind === 'write')
          assert.deepEqual(encode(made.text, made.encoding), Uint8Array.of(...head, ...to, ...tail));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  const open = (bytes: Uint8Array, charset: Charset): ReturnType<typeof there> => {
    const view = decode(bytes, charset);
    return there(bytes, view ? { view } : {});
  };

  it('a whole file is written in its encoding, line ends and unknown bytes kept', () => {
    const bytes = latin('caf\xe9\r\n\x81\x8d\r\ntwo\r\n');
    const now = open(bytes, windows);
    const made = plan(now, read(bytes), now.view?.text, whole('café\n\uFFFD\uFFFD\ndeux à trois\n'));
    assert.equal(made.kind, 'write');
    if (made.kind === 'write')
      assert.deepEqual(encode(made.text, made.encoding), latin('caf\xe9\r\n\x81\x8d\r\ndeux \xe0 trois\r\n'));
  });

  it('what the encoding lacks is refused, by its name', () => {
    const bytes = latin('caf\xe9\n');
    const now = open(bytes, windows);
    for (const proposal of [patch('café', 'カフェ'), whole('カフェ\n')]) {
      const made = plan(now, read(bytes), now.view?.text, proposal);
      assert.equal(made.kind, 'refused');
      if (made.kind === 'refused')
        assert.match(`${made.reason} ${made.note}`, /^encoding .*windows1252, which has no "カ"/);
    }
  });

  describe('as the codec of the editor has it', () => {
    const TABLES = [
      'shiftjis',
      'eucjp',
      'gbk',
      'gb18030',
      'gb2312',
      'cp950',
      'big5hkscs',
      'euckr',
      'windows1252',
      'windows1258',
      'koi8r',
      'cp437',
      'macroman',
    ];
    const asks = {
      decode: (id: string) => (bytes: Uint8Array) =>
        Promise.resolve(iconv.decode(Buffer.from(bytes), id, { stripBOM: false })),
      encode: (id: string) => (text: string) => Promise.resolve(iconv.encode(text, id)),
    };
    const all = new Map<string, Charset>();
    before(async function () {
      this.timeout(60_000);
      for (const id of TABLES) {
        const charset = await tableCharset(id, asks.decode(id), asks.encode(id));
        assert.ok(charset, id);
        all.set(id, charset);
      }
    });

    it('every character it saves and reads again is read so, and written with the same bytes', function () {
      this.timeout(60_000);
      for (const [id, charset] of all) {
        let count = 0;
        for (let point = 0x80; point < 0xfffd; point += 1) {
          const char = String.fromCodePoint(point);
          if (point >= 0xd800 && point < 0xe000) continue;
          const saved = iconv.encode(char, id);
          const has = iconv.decode(saved, id) === char;
          if (has !== (charset.lacks(char) === undefined))
            assert.fail(`${id} U+${point.toString(16)} has ${String(has)}`);
          if (!has) continue;
          count += 1;
          if (charset.decode(saved) !== char || !saved.equals(charset.encode(char)))
            assert.fail(`${id} U+${point.toString(16)} ${saved.toString('hex')}`);
        }
        assert.ok(count > 90, `${id} ${count}`);
      }
    });

    it('without its word on it, Shift JIS is written as it is written', async function () {
      this.timeout(60_000);
      const charset = await make('shiftjis', asks.decode('shiftjis'));
      for (const char of 'ⅰ髙﨑№∵￢')
        assert.deepEqual(Buffer.from(charset.encode(char)), iconv.encode(char, 'shiftjis'), char);
    });

    // What the table does not read, beside text: doubled spellings, four and three bytes, pairs that mean nothing.
    const strange: [string, string, string][] = [
      ['shiftjis', 'fa40', '@'],
      ['shiftjis', 'ed40', '@'],
      ['shiftjis', '8540', '@'],
      ['shiftjis', 'ed6d', 'm'],
      ['gb18030', '90308130', '0'],
      ['gb18030', 'e3329a35', '5'],
      ['big5hkscs', '8862', 'b'],
      ['big5hkscs', '8740', '@'],
    ];
    for (const [id, hex, letter] of strange) {
      it(`no part of ${hex} of ${id} is taken for "${letter}"`, () => {
        const charset = all.get(id);
        assert.ok(charset);
        const bytes = Buffer.from(`610a${hex}20${Buffer.from(letter).toString('hex')}0a`, 'hex');
        const text = charset.decode(bytes);
        assert.ok(text);
        assert.equal(text.split(letter).length - 1, 1);
        const made = charset.encode(text.replaceAll(letter, 'E'));
        assert.equal(Buffer.from(made).toString('hex'), `610a${hex}20450a`);
      });
    }

    it('a pair that means nothing takes no half of the next character along', () => {
      const eucjp = all.get('eucjp');
      assert.ok(eucjp);
      // A9 A1 is nothing; a reader that goes on at A1 sees A1A4, a comma.
      const bytes = Buffer.from('a9a1a4a20a', 'hex');
      const text = eucjp.decode(bytes);
      assert.ok(text && !/[^\udc00-\udcff\n]/.test(text), JSON.stringify(text));
    });

    it('bytes come back, and those outside of an edited span stay', function () {
      this.timeout(60_000);
      const parts = fc.array(
        fc.oneof(
          fc.uint8Array({ min: 0x20, maxLength: 6 }),
          fc.constantFrom(...strange.map(([, hex]) => Uint8Array.from(Buffer.from(hex, 'hex')))),
          fc.constantFrom(
            ...['髙橋', 'あ@ア', '中文', '한'].flatMap((text) =>
              ['shiftjis', 'eucjp', 'gb18030', 'euckr'].map((id) => Uint8Array.from(iconv.encode(text, id))),
            ),
          ),
        ),
        { maxLength: 8 },
      );
      fc.assert(
        fc.property(parts, parts, fc.constantFrom(...TABLES), (head, tail, id) => {
          const charset = all.get(id);
          assert.ok(charset);
          const [above, below] = [Buffer.concat(head), Buffer.concat(tail)];
          const bytes = Buffer.concat([above, Buffer.from('\n<here>\n'), below]);
          const text = charset.decode(bytes);
          assert.ok(text !== undefined);
          assert.deepEqual(Buffer.from(charset.encode(text)), bytes);
          const made = charset.encode(text.replace('\n<here>\n', '\n<there>\n'));
          assert.deepEqual(Buffer.from(made), Buffer.concat([above, Buffer.from('\n<there>\n'), below]));
          assert.equal(charset.decode(made), text.replace('\n<here>\n', '\n<there>\n'));
        }),
        { numRuns: RUNS, seed: SEED },
      );
    });

    it('a letter that is edited everywhere is a letter to the editor too', function () {
      this.timeout(60_000);
      fc.assert(
        fc.property(fc.uint8Array({ min: 0x30, maxLength: 40 }), fc.constantFrom(...TABLES), (bytes, id) => {
          const charset = all.get(id);
          assert.ok(charset);
          const text = charset.decode(bytes);
          assert.ok(text !== undefined);
          // As many of them, at most, as the editor shows.
          const count = (of: string): number => of.split('@').length - 1;
          assert.ok(count(text) <= count(iconv.decode(Buffer.from(bytes), id)));
        }),
        { numRuns: RUNS, seed: SEED },
      );
    });
  });

  describe('a text put together by hand', () => {
    it('gets the line ends, the final line end it has itself, and the bytes of the lines that stayed', () => {
      const view = decode(latin('caf\xe9\r\ntwo\nthree\r\n'));
      assert.ok(view);
      const mine = byHand('caf\uFFFD\ntwo\nthree\nfour', view);
      assert.ok('text' in mine);
      assert.deepEqual(encode(mine.text, view.encoding), latin('caf\xe9\r\ntwo\nthree\r\nfour'));
    });

    it('is not written where the file cannot hold it', () => {
      const view = decode(latin('caf\xe9\ntwo\n'));
      assert.ok('why' in byHand('caf\uFFFD\ndeux à\n', view));
      assert.ok('text' in byHand('café\ndeux à\n', decode(latin('caf\xe9\ntwo\n'), windows)));
      assert.ok('why' in byHand('café\n二\n', decode(latin('caf\xe9\ntwo\n'), windows)));
    });

    it('keeps the bytes of what stayed, CRs before a line end included', () => {
      const end = fc.constantFrom('\n', '\r\n', '\r\r\n', '\r\r\r\n');
      const line = fc.tuple(fc.array(fc.constantFrom('a', 'b', '\xe9', '\x81', '\x9d'), { maxLength: 3 }), end);
      fc.assert(
        fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), fc.boolean(), fc.boolean(), (rows, lf, table) => {
          const bytes = Buffer.from(latin(rows.map(([chars, eol]) => chars.join('') + eol).join('')));
          const view = decode(bytes, table ? windows : undefined);
          assert.ok(view);
          const given = lf ? toLf(display(view.text)) : display(view.text);
          const same = byHand(given, view);
          assert.ok('text' in same);
          assert.deepEqual(Buffer.from(encode(same.text, view.encoding)), bytes);
          const more = byHand(`NEW\n${given}`, view);
          assert.ok('text' in more);
          assert.ok(Buffer.from(encode(more.text, view.encoding)).includes(bytes));
        }),
        { numRuns: RUNS, seed: SEED },
      );
    });

    it('nothing said is what is there', () => {
      assert.deepEqual(byHand(undefined, decode(latin('caf\xe9\n'))), { text: 'caf\udce9\n' });
    });
  });
});
