import { isIP } from 'node:net'
import { isHostName } from '../../ground/machine/host-name.ts'
import { ownBootId } from '../../ground/machine/own-boot-id.ts'
import { type ProcessEnd, runProcess } from '../../ground/machine/run-process.ts'
import { ending, lastWords } from '../../ground/machine/ssh-failure.ts'
import { hasProgram } from '../../ground/machine/this-machine.ts'
import { isReportedBootId } from '../../ground/model/boot-id.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import type { HostReading, RebootAnswer } from '../../ground/model/host.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Host, HostTarget } from '../../ground/ports/host.ts'

interface CommandHostParts {
  readonly clock: Clock
  /** `{node}`, `{address}` and `{bootId}` are replaced in each word. */
  readonly command: readonly string[]
  /** Where programs are looked for, as $PATH writes it. */
  readonly searchPath: string
  readonly limitMs: number
}

/** sysexits.h: EX_DATAERR, the boot id is not the machine's; EX_TEMPFAIL, try again. */
const OTHER_BOOT_ID = 65
const NOT_KNOWN = 75
const OUTPUT_CHARS_MAX = 4_096

/**
 * Machines that a command on this machine reboots, without a shell: the client of a BMC or a cloud, a script. The command gets
 * the boot id and must act only on that one. Its exit code is the answer:
 * - 0: sent
 * - 65: the machine has another boot id, printed as the last line; nothing was done
 * - 75: not known, it may have been sent
 * - any other: refused, nothing was done.
 *
 * A killed command, also by its limit: not known.
 */
export class CommandHost implements Host {
  readonly #parts: CommandHostParts

  /** UserError where the command does not get the boot id. */
  constructor(parts: CommandHostParts) {
    if (!parts.command.some((word) => word.includes('{bootId}'))) {
      throw new UserError('the reboot command does not receive the boot id', {
        code: 'host.command-boot-id',
        fix: 'give it {bootId} as an argument, and let it do nothing where the machine has another boot id',
      })
    }
    this.#parts = parts
  }

  /** Does not run the command: only checks that the program exists, and that the target can be handed to it. */
  async check(target: HostTarget): Promise<HostReading> {
    const { command, searchPath } = this.#parts
    const [program = ''] = command
    const exists = await hasProgram(program, searchPath)
    const refusal = exists ? this.#whyNot(target) : `there is no command ${escapeForeign(program)} here`
    return refusal === undefined ? { mayReboot: true, hops: [] } : { mayReboot: false, refusal, hops: [] }
  }

  async reboot(target: HostTarget, expectedBootId: string, signal: AbortSignal): Promise<RebootAnswer> {
    const argv = this.#filledIn(target, expectedBootId)
    if (typeof argv === 'string') return { kind: 'refused', text: argv }
    const { clock, limitMs } = this.#parts
    let output = ''
    const onOutput = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARS_MAX)
    }
    return answer(await runProcess({ argv, limitMs, onOutput, clock }, signal), output)
  }

  ownBootId(signal: AbortSignal): Promise<string | undefined> {
    return ownBootId(signal)
  }

  async close(): Promise<void> {
    // Nothing is open.
  }

  #whyNot({ node, address }: HostTarget): string | undefined {
    if (!isHostName(node)) return 'the node has no name to use in a command; nothing was run'
    const needsAddress = this.#parts.command.some((word) => word.includes('{address}'))
    return needsAddress && isIP(address) === 0 ? `${node} has no IP address for {address}; nothing was run` : undefined
  }

  /** Values from the API are checked before they are filled in; a string says why one is not. */
  #filledIn(target: HostTarget, bootId: string): [string, ...string[]] | string {
    const { command } = this.#parts
    const { node, address } = target
    const refusal = this.#whyNot(target)
    if (refusal !== undefined) return refusal
    if (!isReportedBootId(bootId)) return 'the recorded boot id is malformed; nothing was run'
    const values = { node, address, bootId }
    const [program = '', ...args] = command.map((word) =>
      word.replaceAll(/\{(node|address|bootId)\}/g, (_, name: keyof typeof values) => values[name]),
    )
    return [program, ...args]
  }
}

function answer(end: ProcessEnd, output: string): RebootAnswer {
  if (end.cause === 'limit') return { kind: 'unknown', text: 'the reboot command did not end within its limit' }
  if (end.cause === 'notStarted') return { kind: 'refused', text: `it could not be started: ${lastWords(end)}` }
  const text = `the reboot command failed (${ending(end)}): ${lastWords(end)}`
  if (end.exitCode === undefined || end.cause === 'flood' || end.exitCode === NOT_KNOWN)
    return { kind: 'unknown', text }
  if (end.exitCode === 0) return { kind: 'sent' }
  const lastLine = output.trim().split('\n').at(-1)?.trim() ?? ''
  if (end.exitCode === OTHER_BOOT_ID && isReportedBootId(lastLine)) return { kind: 'otherBoot', bootId: lastLine }
  return { kind: 'refused', text }
}
