const LENGTH_MAX = 500

/** Text from outside made fit for a terminal and a log: one line, no control characters, of bounded length. */
export function plainText(text: string): string {
  const line = text
    .slice(0, LENGTH_MAX * 4)
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim()
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX)}…` : line
}
