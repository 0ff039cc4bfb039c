/** One entry of a tar archive. A path that ends in `/` is a folder. */
export interface TarEntry {
  readonly path: string
  readonly mode: number
  readonly content?: Buffer
}

const BLOCK_BYTES = 512

/** A ustar archive (POSIX.1-1988) owned by root at time zero, so that equal content gives equal bytes. */
export function tar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(entryBlocks), Buffer.alloc(2 * BLOCK_BYTES)])
}

function entryBlocks(entry: TarEntry): Buffer[] {
  const content = entry.content ?? Buffer.alloc(0)
  return [
    header(entry, content.length),
    content,
    Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES),
  ]
}

function header(entry: TarEntry, size: number): Buffer {
  if (Buffer.byteLength(entry.path) > 100) throw new Error(`too long for a tar header: ${entry.path}`)
  const block = Buffer.alloc(BLOCK_BYTES)
  block.write(entry.path, 0)
  for (const [at, width, value] of [
    [100, 8, entry.mode],
    [108, 8, 0],
    [116, 8, 0],
    [124, 12, size],
    [136, 12, 0],
  ] as const) {
    block.write(octal(value, width), at)
  }
  block.write(' '.repeat(8), 148)
  block.write(entry.path.endsWith('/') ? '5' : '0', 156)
  block.write('ustar\x0000', 257)
  // The checksum is taken with its own field full of spaces.
  block.write(
    octal(
      block.reduce((sum, byte) => sum + byte, 0),
      8,
    ),
    148,
  )
  return block
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`
}
