import type { JournalEntry, JournalHeader } from '../ports/journal.ts'

const NEWLINE = 0x0a

export interface JournalLines {
  readonly entries: readonly JournalEntry[]
  /** Up to here all is well; what follows was never synced, and so never promised. */
  readonly goodBytes: number
  /** Line, counted from 1, that is no entry though others follow: the file was damaged, not torn. */
  readonly damagedLine?: number
}

/**
 * An entry is a whole line, newline included, that holds a JSON object with `at` and `type`. Since each append is
 * synced before the next one begins, a crash can spoil the last line alone, in whatever way the file system left it.
 */
export function parseJournalLines(bytes: Buffer): JournalLines {
  const entries: JournalEntry[] = []
  let goodBytes = 0
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, goodBytes)) {
    const entry = parseEntry(bytes.toString('utf8', goodBytes, end))
    if (entry === undefined) {
      const last = bytes.indexOf(NEWLINE, end + 1) < 0
      return { entries, goodBytes, ...(last ? {} : { damagedLine: entries.length + 1 }) }
    }
    entries.push(entry)
    goodBytes = end + 1
  }
  return { entries, goodBytes }
}

function parseEntry(line: string): JournalEntry | undefined {
  const value = parseJson(line)
  if (typeof value !== 'object' || value === null) return undefined
  if (!('at' in value && 'type' in value)) return undefined
  const { at, type } = value
  return typeof at === 'string' && typeof type === 'string' ? { ...value, at, type } : undefined
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The header of a format that we know; what is said of another one is for `headerVersion`. */
export function asHeader(entry: JournalEntry): JournalHeader | undefined {
  const { at, type, v, run, cluster, tool } = entry
  if (type !== 'journal' || v !== 1) return undefined
  if (typeof run !== 'string' || typeof cluster !== 'string' || typeof tool !== 'string') return undefined
  return { at, type, v, run, cluster, tool }
}

/** The version a first line claims, where it is a journal's at all. */
export const headerVersion = (entry: JournalEntry): number | undefined =>
  entry.type === 'journal' && typeof entry.v === 'number' ? entry.v : undefined
