import { present } from '../../ground/model/present.ts'
import { SLOTS_NAMESPACE } from '../../ground/model/slot.ts'
import { FlagReader, flagsRefused, parsedFlags } from '../../ground/text/flag-reader.ts'
import { type NeedSources, needSourcesOf } from '../model/need-sources.ts'

export interface RebooterOptions {
  readonly node: string
  /** Absent: it reboots nothing, and says alone whether a reboot is needed. */
  readonly door?: { readonly kind: 'path'; readonly directory: string } | { readonly kind: 'signal' }
  readonly slotsNamespace: string
  /** Absent: it does not say whether a reboot is needed. */
  readonly need?: { readonly sources: NeedSources; readonly root: string; readonly everyMs: number }
  /** Absent: the service account of the pod. */
  readonly kubeconfig?: string
}

const TEXT = { type: 'string' } as const
const FLAGS = {
  node: TEXT,
  door: TEXT,
  'door-dir': { ...TEXT, default: '/run/evenkeel-reboot' },
  'slots-namespace': { ...TEXT, default: SLOTS_NAMESPACE },
  need: TEXT,
  'need-file': { type: 'string', multiple: true },
  'need-every': { ...TEXT, default: '1min' },
  'host-root': { ...TEXT, default: '/host' },
  kubeconfig: TEXT,
  help: { type: 'boolean', short: 'h' },
} as const

const OWNER = { command: 'rebooter', code: 'REBOOTER_OPTIONS' } as const

export const REBOOTER_HELP = `Usage: evenkeel rebooter --node NAME [options]

Reboots the machine that it runs on when a roll asks for it, and says
whether the machine needs a reboot.

Options:
  --node NAME            name of the Node object            ($NODE_NAME)
  --door D               how it reboots: path or signal     (not at all)
  --door-dir DIR         of the unit evenkeel-reboot.path
                                                (/run/evenkeel-reboot)
  --slots-namespace NS   of the node budget                 (evenkeel)
  --need LIST            say whether a reboot is needed: auto, or debian,
                         suse, ostree, rpm, kernel          (not said)
  --need-file FILE       and by this file of the machine    (repeatable)
  --need-every T         how often the files are read       (1min)
  --host-root DIR        where files of the machine are mounted (/host)
  --kubeconfig FILE      to run outside a cluster    (the pod's account)

Example:
  evenkeel rebooter --node n1 --door path --need auto
`

/** Undefined where help was asked for. Throws UserError that names every fault. */
export function rebooterOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RebooterOptions | undefined {
  const values = parsedFlags(args, FLAGS, OWNER)
  if (values.help === true) return undefined
  const read = new Reader(values)
  const kubeconfig = read.text('kubeconfig')
  const door = read.optional('door', (flag) => read.door(flag))
  const need = read.need()
  if (door === undefined && need === undefined && read.wrong.length === 0)
    read.wrong.push('it has nothing to do: write --door path, --door signal or --need auto')
  const options = {
    node: read.node('node', read.text('node') ?? env.NODE_NAME ?? ''),
    slotsNamespace: read.namespace('slots-namespace'),
    ...present({ door, need, kubeconfig }),
  }
  if (read.wrong.length > 0) throw flagsRefused(read.wrong, OWNER)
  return options
}

class Reader extends FlagReader {
  door(flag: string): RebooterOptions['door'] {
    const kind = this.text(flag)
    if (kind === 'signal') return { kind }
    if (kind === 'path') return { kind, directory: this.text('door-dir') ?? '' }
    this.wrong.push(`--${flag}: "${kind}" must be path or signal`)
    return undefined
  }

  need(): RebooterOptions['need'] {
    const text = this.text('need')
    const given = this.value('need-file')
    const files = Array.isArray(given) ? given : []
    if (text === undefined && files.length === 0) return undefined
    return {
      sources: needSourcesOf(text ?? '', files),
      root: this.text('host-root') ?? '',
      everyMs: this.duration('need-every', 1_000, '1s'),
    }
  }
}
