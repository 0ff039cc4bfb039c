import type { Cluster } from '../../ground/ports/cluster.ts'
import type { JournalStore } from '../../roll/ports/journal.ts'

interface Sought {
  /** The run that has the node; absent: no run has it. */
  readonly wanted: string | undefined
  readonly cluster: Pick<Cluster, 'identity'>
}

/** The wanted run if its journal is here; otherwise the newest run of this cluster. */
export async function findJournal(
  store: Pick<JournalStore, 'runs'>,
  { wanted, cluster }: Sought,
  signal: AbortSignal,
): Promise<string | undefined> {
  const runs = await store.runs()
  if (runs.length === 0) return undefined
  const { uid } = await cluster.identity(signal)
  const ours = runs.filter(({ header }) => header?.cluster === uid)
  return (ours.find(({ run }) => run === wanted) ?? ours[0])?.run
}
