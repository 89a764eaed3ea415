// How wide columns must be for their texts, worked out without drawing them.

const WIDEST = 240; // pixels
const STEP = 4;

/** The width for a column's name and for all but the widest fiftieth of its texts. */
export function columnWidth(name: string, texts: readonly string[]): number {
  const counts: number[] = [];
  let filled = 0;
  for (const text of texts) {
    if (text === "") continue;
    const bucket = Math.min(WIDEST / STEP, Math.ceil(width(text) / STEP));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    filled += 1;
  }
  let left = filled / 50;
  let bucket = counts.length - 1;
  while (bucket > 0 && left >= (counts[bucket] ?? 0)) left -= counts[bucket--] ?? 0;
  return Math.ceil(Math.min(WIDEST, Math.max(width(name) + 26, bucket * STEP + 22)));
}

/** About how many pixels a text takes: Chinese characters are twice as wide. */
function width(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at) > 0x2e80 ? 14.5 : 7.7;
  return sum;
}
