import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

/** One header has the names of all files of its package. */
const HEADER_MAX = 32 * 2 ** 20
/** RPMTAG_INSTALLTIME, seconds since the epoch. */
const INSTALLTIME = 1008
const INT32 = 4
const ENTRY_BYTES = 16

interface Asked {
  /** Those whose time is asked for. */
  readonly names: readonly string[]
  readonly sinceSeconds: number
}

/**
 * The packages of these names that were installed after a time, from an rpmdb.sqlite (rpm 4.16 and later). It is opened as if it were
 * immutable, so that nothing is written and no lock is taken: what a transaction under way has in `-wal` is not seen.
 * Throws where it cannot be read.
 */
export function installedSince(path: string, { names, sinceSeconds }: Asked): readonly string[] {
  const url = pathToFileURL(path)
  url.search = '?immutable=1'
  const database = new DatabaseSync(url, { readOnly: true, allowExtension: false })
  try {
    const asked = database.prepare(
      'SELECT p.blob AS header FROM Name n JOIN Packages p ON p.hnum = n.hnum WHERE n.key = ? AND length(p.blob) <= ?',
    )
    const isNew = (row: Record<string, unknown>): boolean =>
      row.header instanceof Uint8Array && (installTimeOf(row.header) ?? 0) > sinceSeconds
    return names.filter((name) => asked.all(name, HEADER_MAX).some(isNew))
  } finally {
    database.close()
  }
}

/** Of a header as the database has it: two counts, an index of entries of 16 bytes, and the data, all in network byte order. */
export function installTimeOf(header: Uint8Array): number | undefined {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  if (view.byteLength < 8) return undefined
  const [entries, bytes] = [view.getUint32(0), view.getUint32(4)]
  const data = 8 + entries * ENTRY_BYTES
  if (data + bytes > view.byteLength) return undefined
  for (let at = 8; at < data; at += ENTRY_BYTES) {
    if (view.getUint32(at) !== INSTALLTIME || view.getUint32(at + 4) !== INT32) continue
    const offset = view.getUint32(at + 8)
    return offset + 4 > bytes ? undefined : view.getUint32(data + offset)
  }
  return undefined
}
