import { open } from 'node:fs/promises'

const CHUNK_BYTES = 65_536

/**
 * Reads a table of the kernel (proc(5)) line by line, never as a whole: it has some hundred bytes for each connection. Rejects
 * as open(2) and read(2) do, or with the signal's reason.
 */
export async function foldLines<T>(
  path: string,
  { from, each }: { readonly from: T; readonly each: (so: T, line: string) => T },
  signal: AbortSignal,
): Promise<T> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    let so = from
    let cut = ''
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null)
      if (bytesRead === 0) return each(so, cut)
      const lines = `${cut}${buffer.toString('latin1', 0, bytesRead)}`.split('\n')
      cut = lines.pop() ?? ''
      so = lines.reduce(each, so)
    }
  } finally {
    await file.close()
  }
}
