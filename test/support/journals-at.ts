import { journals } from '../../bin/roll/world.ts'
import type { JournalStore } from '../../src/roll/ports/journal.ts'

/** Journals in a namespace, as a process opens them that is given `--kubeconfig` and `--state-dir`. */
export const journalsAt = (kubeconfig: string, namespace: string): JournalStore => {
  const log = { debug: () => undefined, warn: () => undefined }
  return journals({ kubeconfig, stateDir: `configmaps:${namespace}` }, { version: '0.1.0', env: {}, log })
}
