/**
 * A process of its own that writes a journal: `journal-writer.ts STATE_DIR RUN create|open COUNT`. It says `ready` when
 * it holds the journal, each entry's number once it is on disk, and `done`. What fails is said as `failed CODE` and
 * tried again.
 */

import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { FileJournalStore } from '../../src/roll/io/file-journal-store.ts'

const [stateDir = '', run = '', how = 'create', count = '0'] = process.argv.slice(2)
const store = new FileJournalStore(stateDir)
const never = new AbortController().signal
const at = '2026-01-01T00:00:00.000Z'
const cluster = 'cluster-1'

const journal =
  how === 'create' ? await store.create({ at, run, cluster, tool: '0.1.0' }) : await store.open(run, cluster)
process.stdout.write('ready\n')
for (let n = 0; n < Number(count); ) {
  try {
    await journal.append({ at, type: 'entry', n, padding: 'x'.repeat(200) })
    process.stdout.write(`${n}\n`)
    n += 1
  } catch (error) {
    process.stdout.write(`failed ${error instanceof Error && 'code' in error ? error.code : error}\n`)
    await systemClock.sleep(20, never)
  }
}
process.stdout.write('done\n')
await systemClock.sleep(60_000, never)
