import type { HostReading, RebootAnswer } from '../../ground/model/host.ts'
import { asksMachine, type NeedAnswer, type NeedQuestion, REBOOT_SENTINEL } from '../../ground/model/reboot-need.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Host } from '../../ground/ports/host.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { Machine } from '../machines/machine.ts'

/**
 * How a command by ssh fails. `unheard`: it runs, but the caller gets no answer; `lost`: it never arrives; `ignored`: it is
 * accepted, and the machine runs on; `unreached`: no connection comes about.
 */
export type SshLuck = 'well' | 'unheard' | 'lost' | 'refused' | 'ignored' | 'unreached'

interface MachineHostParts {
  readonly timers: Timers
  readonly machineOf: (node: string) => Pick<Machine, 'isOn' | 'bootId' | 'rebootRequired' | 'reboot'> | undefined
  /** What a check asks beside; absent: nothing. */
  readonly need?: NeedQuestion
  /** From the command to its answer. */
  readonly latencyMs: number
  /** After this time an ssh without an answer is given up. */
  readonly limitMs: number
  /** Of the next command to a node. */
  readonly luckOf?: (node: string) => SshLuck
}

/** They have Debian's file and no command. */
function needOf(required: Machine['rebootRequired'], { sentinel, command }: NeedQuestion): NeedAnswer {
  const isThere = sentinel === REBOOT_SENTINEL && required !== undefined
  return {
    ...(sentinel === undefined
      ? {}
      : { sentinel: isThere ? { kind: 'there', packages: required, isCut: false } : { kind: 'absent' } }),
    ...(command === undefined ? {} : { command: { kind: 'unknown', text: `there is no command ${command[0]}` } }),
  }
}

/** The machines of the embedded cluster, for a caller that may reboot them by ssh. */
export function machineHost(parts: MachineHostParts): Host {
  const { timers, machineOf, latencyMs, limitMs, luckOf = () => 'well', need = {} } = parts
  const after = <T>(ms: number, signal: AbortSignal, answer: () => T): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    if (signal.aborted) return Promise.reject(signal.reason)
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    timers.later(ms, () => {
      signal.removeEventListener('abort', onAbort)
      try {
        resolve(answer())
      } catch (error) {
        reject(error)
      }
    })
    return promise
  }
  return {
    check: ({ node }, signal) =>
      after(latencyMs, signal, (): HostReading => {
        const machine = machineOf(node)
        const bootId = machine?.bootId
        if (machine === undefined || bootId === undefined) {
          throw new WorldError(`ssh ${node}: no answer`, { code: 'HOST_UNREACHABLE', retry: 'backoff' })
        }
        const reading = { bootId, mayReboot: true, hops: [] }
        return asksMachine(need) ? { ...reading, need: needOf(machine.rebootRequired, need) } : reading
      }),
    reboot: ({ node }, expected, signal) => {
      const luck = luckOf(node)
      if (luck === 'lost' || machineOf(node)?.isOn !== true) {
        return after(limitMs, signal, () => ({ kind: 'unknown', text: `ssh ${node}: no answer` }) as const)
      }
      return after(latencyMs, signal, (): RebootAnswer => {
        const machine = machineOf(node)
        const bootId = machine?.bootId
        if (machine === undefined || bootId === undefined) return { kind: 'unknown', text: `ssh ${node}: cut off` }
        if (bootId !== expected) return { kind: 'otherBoot', bootId }
        if (luck === 'unreached') return { kind: 'unsent', text: `ssh ${node}: Connection refused` }
        if (luck === 'refused') return { kind: 'refused', text: 'a password is required' }
        if (luck !== 'ignored') machine.reboot()
        return luck === 'unheard' ? { kind: 'unknown', text: `ssh ${node}: the connection broke` } : { kind: 'sent' }
      })
    },
    ownBootId: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  }
}
