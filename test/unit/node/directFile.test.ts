import assert from 'node:assert/strict';
import { constants, openSync, closeSync, readFileSync } from 'node:fs';
import { directly } from '../../../src/node/directFile';
import { type OpenFile, realFs } from '../../../src/node/fs';
import { bytesOf, useFolder } from './helpers';

describe('files of our own, read and written directly', () => {
  const folder = useFolder();
  const flags = constants.O_RDWR | constants.O_CREAT;
  const file = (): string => folder.at('journal');
  const large = Buffer.alloc(200_000, 'many bytes ');

  it('hold the same bytes, small or large, wherever they are written', async () => {
    const opened = await realFs.open(file(), { flags, direct: true });
    assert.equal(await opened.write(bytesOf('one two'), 0), 7);
    assert.equal(await opened.write(large, 7), large.length);
    assert.equal(await opened.write(bytesOf('ONE'), 0), 3);
    await opened.datasync();
    const whole = Buffer.concat([Buffer.from('ONE two'), large]);
    assert.deepEqual(readFileSync(file()), whole);
    const read = Buffer.alloc(whole.length + 1);
    assert.equal(await opened.read(read, 0, 3, 4), 3);
    assert.equal(read.toString('utf8', 0, 3), 'two');
    assert.equal(await opened.read(read, 0, read.length, 0), whole.length);
    assert.deepEqual(read.subarray(0, -1), whole);
    assert.equal(await opened.read(read, 0, 1, whole.length), 0);
    assert.equal((await opened.stat()).size, whole.length);
    await opened.close();
  });

  it('once closed, no other file that got its number is touched', async () => {
    const opened = await realFs.open(file(), { flags, direct: true });
    await opened.close();
    const others = Array.from({ length: 5 }, (_, n) => openSync(folder.at(`other${n}`), 'w+'));
    await assert.rejects(opened.write(bytesOf('late'), 0), { code: 'EBADF' });
    await assert.rejects(opened.read(Buffer.alloc(1), 0, 1, 0), { code: 'EBADF' });
    for (const [n, fd] of others.entries()) {
      closeSync(fd);
      assert.equal(readFileSync(folder.at(`other${n}`), 'utf8'), '');
    }
  });

  it('an error of the system is that of the call', async () => {
    const opened = await realFs.open(file(), { flags: constants.O_RDONLY | constants.O_CREAT, direct: true });
    await assert.rejects(opened.write(bytesOf('x'), 0), { code: 'EBADF' });
    await opened.close();
  });

  it('where the system is slow the next calls leave the event loop alone, and later it is tried again', async () => {
    const fd = openSync(file(), 'w+');
    let [time, step, other] = [0, 0, 0];
    const elsewhere = {
      write: (bytes: Uint8Array) => Promise.resolve(((other += 1), bytes.length)),
    } as unknown as OpenFile;
    const opened = directly(elsewhere, { fd }, () => (time += step));
    const write = (): Promise<number> => opened.write(bytesOf('x'), 0);
    for (let n = 0; n < 5; n += 1) await write();
    assert.equal(other, 0);
    step = 50; // ms a call
    await write();
    assert.equal(other, 0);
    step = 0;
    for (let n = 0; n < 200; n += 1) await write();
    assert.equal(other, 200);
    await write();
    assert.equal(other, 200);
    closeSync(fd);
  });
});
