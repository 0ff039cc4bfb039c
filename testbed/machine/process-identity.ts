import { readdirSync, readFileSync } from 'node:fs'

/** A process that no later process with the same number can be taken for. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks between the machine's start and the process's (proc(5), stat field 22). */
  readonly startTicks: string
}

/** The identity of a process, or undefined where no such process runs; one that ended but is not buried yet is gone. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const fields = statFields(pid)
  const state = fields?.[0]
  const startTicks = fields?.[19]
  if (startTicks === undefined || state === 'Z' || state === 'X') return undefined
  return { pid, startTicks }
}

/** Whether the very process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.startTicks === identity.startTicks
}

/** Processes that this one has started and that have not ended, those of all its threads; none where it has ended. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return threads.flatMap((thread) => {
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim()
      return children === '' ? [] : children.split(' ').map(Number)
    })
  } catch {
    return []
  }
}

/** The fields from the third on: the name before them may hold spaces and brackets. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
