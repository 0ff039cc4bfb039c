import type { JournalEntry, JournalHeader } from '../ports/journal.ts'

const NEWLINE = 0x0a

export interface JournalLines {
  readonly entries: readonly JournalEntry[]
  /** The text up to here is valid; the rest was never synced, and so never acknowledged. */
  readonly goodBytes: number
  /** Number of a line, from 1, that is no entry although others follow: the file was damaged, not torn. */
  readonly damagedLine?: number
}

/**
 * An entry is a whole line, with its newline, that contains a JSON object with `at` and `type`. Since each append is synced
 * before the next one begins, a crash can only damage the last line, in whatever way the file system left it.
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

/** The header, if its format is known; for another version see `headerVersion`. */
export function asHeader(entry: JournalEntry): JournalHeader | undefined {
  const { at, type, v, run, cluster, tool } = entry
  if (type !== 'journal' || v !== 1) return undefined
  if (typeof run !== 'string' || typeof cluster !== 'string' || typeof tool !== 'string') return undefined
  return { at, type, v, run, cluster, tool }
}

/** The version in a first line, if this is the header of a journal. */
export const headerVersion = (entry: JournalEntry): number | undefined =>
  entry.type === 'journal' && typeof entry.v === 'number' ? entry.v : undefined
