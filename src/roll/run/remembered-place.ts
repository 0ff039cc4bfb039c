import { present } from '../../ground/model/present.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { JournalEntry } from '../ports/journal.ts'

/** The kubeconfig and context of a run, so that a later command needs neither option. */
export interface RememberedPlace {
  /** In the form of $KUBECONFIG, with absolute paths. Absent: the service account of a pod. */
  readonly kubeconfig?: string
  readonly context: string
}

/** A resumed run used another kubeconfig or context: these count from then on. Earlier versions ignore this entry. */
interface MovedEntry extends JournalEntry {
  readonly type: 'moved'
  readonly place: RememberedPlace
}

export const movedEntry = (at: string, place: RememberedPlace): MovedEntry => ({ at, type: 'moved', place })

/** The latest place in a journal; undefined if the journal has none. Checks every field, because a person may have edited the file. */
export function rememberedPlace(entries: readonly JournalEntry[]): RememberedPlace | undefined {
  const entry = entries.findLast(({ type, place }) => place !== undefined && (type === 'planned' || type === 'moved'))
  const place: unknown = entry?.place
  if (typeof place !== 'object' || place === null || !('context' in place)) return undefined
  const { context } = place
  if (typeof context !== 'string') return undefined
  const kubeconfig = 'kubeconfig' in place ? place.kubeconfig : undefined
  return { context, ...(typeof kubeconfig === 'string' ? { kubeconfig } : {}) }
}

export const isSamePlace = (left: RememberedPlace | undefined, right: RememberedPlace): boolean =>
  left !== undefined && left.context === right.context && left.kubeconfig === right.kubeconfig

interface GivenPlace {
  readonly kubeconfig?: string
  readonly context?: string
}

/** Options have precedence. A context belongs to its kubeconfig: with another file its own current context counts. */
export function placeOfRun({ kubeconfig, context }: GivenPlace, remembered: RememberedPlace | undefined): GivenPlace {
  // In a pod there is no kubeconfig to choose a context from.
  if (remembered?.kubeconfig === undefined || kubeconfig !== undefined) {
    return { ...present({ kubeconfig, context }) }
  }
  return { kubeconfig: remembered.kubeconfig, context: context ?? remembered.context }
}

interface Remembered {
  readonly run: string
  readonly place: RememberedPlace
  readonly asked: GivenPlace
}

/** The error where the kubeconfig or the context of a run no longer exists; any other error is returned unchanged. */
export function goneSince(error: unknown, { run, place, asked }: Remembered): unknown {
  const { kubeconfig, context } = place
  if (!(error instanceof UserError) || kubeconfig === undefined || asked.kubeconfig !== kubeconfig) return error
  const begun = `run ${run} was begun with context ${context} of kubeconfig ${kubeconfig}`
  const { code, fix = '' } = error
  if (code === 'KUBECONFIG_MISSING') {
    const restore = `restore ${kubeconfig}, or name another kubeconfig of the same cluster with --kubeconfig`
    return new UserError(`${begun}, and that file does not exist`, { code, fix: restore, cause: error })
  }
  if (code !== 'KUBECONFIG_NO_CONTEXT' || asked.context !== context) return error
  return new UserError(`${begun}, and that file has no such context`, { code, fix, cause: error })
}
