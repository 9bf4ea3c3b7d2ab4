// A Chromium for the hosted VS Code: the user's own, else one from the npm registry, else Debian's.
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { cached } from './cache.mjs';
import { hostSupported, unpack } from './host.mjs';
import { onPath, run, say, SetupError, step } from './steps.mjs';

const PACKAGE = '@sparticuz/chromium@153.0.0';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Returns the path of a Chromium or Chrome that starts. */
export async function ensureBrowser() {
  const chosen = process.env.CHROMIUM;
  if (chosen) {
    const problem = await whyNot(chosen);
    if (problem)
      throw new SetupError(
        `CHROMIUM=${chosen} does not start (${problem}): set it to a Chromium or Chrome, or unset it.`,
      );
    return chosen;
  }
  for (const name of NAMES) {
    const file = onPath(name);
    // "chromium-browser" can be a stub that only tells to install something
    if (file && !(await whyNot(file))) return file;
  }
  let reason = `there is no packaged one for ${process.platform} ${process.arch}`;
  if (hostSupported()) {
    try {
      const file = await packaged();
      reason = await whyNot(file);
      if (!reason) return file;
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      reason = error.message;
    }
    say(`The packaged Chromium does not work here: ${reason}`);
  }
  return await fromDebian(reason);
}

/** undefined when the program starts and names its version, else the reason in a few words. */
async function whyNot(file) {
  try {
    const printed = await run(file, ['--version'], { timeoutMs: 20_000 });
    return /chrom/i.test(printed) ? undefined : 'it does not answer to --version like a Chromium';
  } catch (error) {
    return (error.output || error.message).split('\n')[0].trim();
  }
}

/** The package ships brotli files for AWS Lambda: the binary, a few shared libraries, fonts. */
async function packaged() {
  const text = 'Setting up Chromium 153 (once; about 70 MB to fetch, 220 MB on disk)';
  const folder = await cached('chromium-153', { package: PACKAGE, revision: 1 }, text, async (work) => {
    await unpack(PACKAGE, work);
    const bin = path.join(work, 'package', 'bin');
    await expand(path.join(bin, 'chromium.br'), path.join(work, 'chromium'));
    fs.chmodSync(path.join(work, 'chromium'), 0o755);
    for (const name of ['al2023', 'fonts', 'swiftshader']) {
      const archive = path.join(work, `${name}.tar`);
      await expand(path.join(bin, `${name}.tar.br`), archive);
      await run('tar', ['xf', archive], { cwd: work });
      fs.rmSync(archive);
    }
    fs.rmSync(path.join(work, 'package'), { recursive: true });
    fs.writeFileSync(path.join(work, 'start'), START, { mode: 0o755 });
  });
  return path.join(folder, 'start');
}

// The system's libraries and fonts come first: the package's NSS is for Amazon Linux and its one font is proportional.
const START = `#!/bin/sh
here=$(dirname "$0")
"$here/chromium" --version >/dev/null 2>&1 || export LD_LIBRARY_PATH="\${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/lib"
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="\${FONTCONFIG_PATH:-$here}"
exec "$here/chromium" "$@"
`;

async function expand(from, to) {
  await pipeline(fs.createReadStream(from), zlib.createBrotliDecompress(), fs.createWriteStream(to));
}

async function fromDebian(reason) {
  const remedy =
    'install it with `apt-get install chromium` as root (or another Chromium or Chrome), or set CHROMIUM to one';
  if (process.getuid?.() !== 0 || !onPath('apt-get'))
    throw new SetupError(`No Chromium was found (${reason}): ${remedy}.`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await step('Installing Debian’s chromium with apt-get (as root)', async () => {
      await run('apt-get', ['update', '-qq'], { env });
      await run('apt-get', ['install', '-y', '-qq', 'chromium'], { env });
    });
  } catch (error) {
    throw new SetupError(
      `apt-get could not install chromium (${(error.output || error.message).split('\n').at(-1)}): ${remedy}.`,
    );
  }
  const file = onPath('chromium');
  const problem = file ? await whyNot(file) : 'it is not on PATH';
  if (problem)
    throw new SetupError(
      `Debian's chromium does not start (${problem}): set CHROMIUM to a Chromium or Chrome that does.`,
    );
  return file;
}
