import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { parseCount } from './parse-number.ts'
import { badReply } from './socket-error.ts'

export interface ProcessInfo {
  /** Process id, with the second of its start where HAProxy shows it (2.5 and later): in containers ids repeat. */
  readonly process: string
  /** The same with the name of the machine, so that no other process anywhere has it. Absent: before 2.5, or the name is not shown. */
  readonly onlyProcess?: string
  readonly version: string
  /** Processes of one configuration; gone with 2.5, where `Nbproc` is always 1. */
  readonly processes: number
  /** The process ends its sessions and takes no new ones: new traffic meets another process. */
  readonly stopping: boolean
}

/** `show info`: one `Name: value` a line. */
export function parseInfo(answer: string): ProcessInfo {
  const fields = new Map<string, string>()
  for (const line of answer.split('\n')) {
    const colon = line.indexOf(': ')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2))
  }
  const pid = fields.get('Pid')
  const version = fields.get('Version')
  if (pid === undefined || version === undefined) {
    throw badReply(`"show info" names no process id and version: "${escapeForeign(answer, 80)}"`)
  }
  const startedAtS = fields.get('Start_time_sec')
  const id = String(parseCount(pid, 'the process id'))
  const process = startedAtS === undefined ? id : `${id}@${parseCount(startedAtS, 'the start time')}`
  const machine = fields.get('node') ?? ''
  return {
    process,
    ...(startedAtS === undefined || machine === '' ? {} : { onlyProcess: `${process} ${machine}` }),
    version: escapeForeign(version, 64),
    processes: parseCount(fields.get('Nbproc') ?? '1', 'the number of processes'),
    stopping: fields.get('Stopping') === '1',
  }
}
