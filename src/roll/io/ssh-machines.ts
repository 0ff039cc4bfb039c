import { hostName } from '../../ground/machine/host-name.ts'
import { type ProcessEnd, runProcess } from '../../ground/machine/run-process.ts'
import { ending, lastWords, sshFailure } from '../../ground/machine/ssh-failure.ts'
import { ALONE, type SshOptions, sshArguments } from '../../ground/machine/ssh-options.ts'
import { isBootId } from '../../ground/model/boot-id.ts'
import { canonicalAddress } from '../../ground/model/ip-address.ts'
import { posixQuote } from '../../ground/model/posix-quote.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { MachineReading } from '../model/host-pair.ts'
import type { HostMachines, MachineAnswer, MachineCommand } from '../ports/host-machines.ts'

interface SshMachinesParts extends SshOptions {
  readonly clock: Clock
  readonly random: Random
  readonly readLimitMs: number
}

/** Large enough for a router with thousands of addresses. */
const OUTPUT_CHARS_MAX = 2 ** 20

/**
 * Machines of load balancers, by the system's own ssh. The script goes to standard input, as for nodes: in braces, so that a
 * connection that breaks meanwhile does nothing at all.
 */
export class SshMachines implements HostMachines {
  readonly #parts: SshMachinesParts

  constructor(parts: SshMachinesParts) {
    this.#parts = parts
  }

  async read(ssh: string, signal: AbortSignal): Promise<MachineReading> {
    const mark = this.#mark()
    const { end, output } = await this.#sh(ssh, { script: readScript(mark), limitMs: this.#parts.readLimitMs }, signal)
    const [, bootId = '', listed = ''] = output.split(`\n${mark}\n`)
    if (!output.includes(`\n${mark} end\n`)) throw sshFailure(ssh, end)
    if (!isBootId(bootId.trim()))
      throw new WorldError(`${ssh} reported no boot id`, { code: 'HOST_ANSWER', retry: 'never' })
    return { bootId: bootId.trim(), addresses: addressesOf(listed) }
  }

  async run(ssh: string, { argv, limitMs }: MachineCommand, signal: AbortSignal): Promise<MachineAnswer> {
    const mark = this.#mark()
    // Only its errors are told. What else it prints, be it megabytes, would stand before the line that says how it ended.
    const command = `${argv.map(posixQuote).join(' ')} </dev/null >/dev/null`
    const script = `{\n${PATHS}${command}\nprintf '\\n%s %s\\n' ${mark} $?\n}\n`
    const { end, output } = await this.#sh(ssh, { script, limitMs }, signal)
    const code = new RegExp(`\\n${mark} (\\d+)\\n`).exec(output)?.[1]
    if (code === '0') return { ok: true }
    if (code !== undefined) return { ok: false, text: `exit code ${code}: ${lastWords(end)}` }
    if (end.cause === 'limit') return { ok: false, text: `it did not end within ${limitMs} ms` }
    return { ok: false, text: `${ending(end)}: ${lastWords(end)}` }
  }

  async #sh(
    ssh: string,
    { script, limitMs }: { readonly script: string; readonly limitMs: number },
    signal: AbortSignal,
  ): Promise<{ readonly end: ProcessEnd; readonly output: string }> {
    let output = ''
    const end = await runProcess(
      {
        argv: ['ssh', ...sshArguments(this.#parts, ALONE), '--', hostName(ssh), 'sh -s'],
        stdin: script,
        limitMs,
        onOutput: (chunk) => {
          if (output.length < OUTPUT_CHARS_MAX) output += chunk.toString('utf8')
        },
        clock: this.#parts.clock,
      },
      signal,
    )
    return { end, output }
  }

  #mark(): string {
    return `evenkeel${this.#parts.random.hex(8)}`
  }
}

const PATHS = 'PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nexport PATH\n'

/** The last line is printed only if `ip` succeeded: a list that is cut does not count. */
const readScript = (mark: string): string =>
  `{
${PATHS}printf '\\n%s\\n' ${mark}
cat /proc/sys/kernel/random/boot_id
printf '\\n%s\\n' ${mark}
ip -o addr show </dev/null && printf '\\n%s end\\n' ${mark}
}
`

/**
 * `2: eth0 inet 10.0.0.5/24 brd … scope global eth0\ valid_lft forever …`. An address on `lo` answers no ARP: a machine may
 * keep a virtual address there for its open connections.
 */
const addressesOf = (listed: string): readonly string[] =>
  listed.split('\n').flatMap((line) => {
    const address = /^\d+:\s+(?!lo\s)\S+\s+inet6?\s+([0-9A-Fa-f.:]+)/.exec(line)?.[1]
    return address === undefined ? [] : [canonicalAddress(address)]
  })
