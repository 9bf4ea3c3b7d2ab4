// `npm run -s bench -- checkpoint --json | node bench/plot.mjs > docs/images/bench-checkpoint.svg`: ms a step at the median, on a
// logarithmic scale, one bar a row; `node bench/plot.mjs bytes`: the bytes written for a step.
import { text } from 'node:stream/consumers';

const lines = (await text(process.stdin)).split('\n').filter((line) => line.startsWith('{'));
const rows = lines.map((line) => JSON.parse(line));
if (rows.length === 0) {
  console.error('no rows of a bench on the standard input');
  process.exit(1);
}

const [unit, valueOf] =
  process.argv[2] === 'bytes' ? ['kB', (row) => row.bytes / row.steps / 1000] : ['ms', (row) => row.p50];
const [left, width, height, right] = [300, 420, 20, 90];
const least = Math.floor(Math.log10(Math.min(...rows.map(valueOf))));
const most = Math.ceil(Math.log10(Math.max(...rows.map(valueOf))));
const x = (value) => left + (width * (Math.log10(value) - least)) / Math.max(1, most - least);
const escaped = (words) => words.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const nameOf = ({ name, steps, files }) => `${name}: ${steps} steps${files > 0 ? `, ${files} files` : ''}`;
const bottom = rows.length * height + 10;
const ticks = Array.from({ length: most - least + 1 }, (_, n) => 10 ** (least + n));

console.log(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + right} ${bottom + 30}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${ticks.map((tick) => `<path d="M${x(tick)} 5V${bottom}" stroke="#ccc"/><text x="${x(tick)}" y="${bottom + 16}" text-anchor="middle">${Number(tick.toPrecision(1))} ${unit}</text>`).join('\n')}
${rows
  .map((row, n) => {
    const y = n * height + 10;
    const colour = row.name.startsWith('holdfast') ? '#1a7f5a' : '#8a8f98';
    return `<text x="${left - 8}" y="${y + 12}" text-anchor="end">${escaped(nameOf(row))}</text><rect x="${left}" y="${y}" width="${Math.max(1, x(valueOf(row)) - left)}" height="${height - 5}" fill="${colour}"/><text x="${x(valueOf(row)) + 5}" y="${y + 12}">${Number(valueOf(row).toPrecision(3))}</text>`;
  })
  .join('\n')}
</svg>`);
