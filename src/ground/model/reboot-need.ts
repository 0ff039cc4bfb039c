import { present } from './present.ts'
/** The file that Debian and Ubuntu create where an update needs a reboot; `<file>.pkgs` lists the packages. */
export const REBOOT_SENTINEL = '/var/run/reboot-required'

/** The ways to know whether a machine needs a reboot. Each is optional; if one of them says yes, it does. */
export interface RebootNeedSpec {
  /** A file on the machine that exists where a reboot is needed. */
  readonly sentinel?: string
  /**
   * Run on the machine, without a shell. It exits with `neededExitCode` where a reboot is needed, otherwise with
   * `otherExitCode`.
   */
  readonly command?: {
    readonly argv: readonly string[]
    readonly neededExitCode: number
    readonly otherExitCode: number
  }
  /** The condition RebootRequired of the Node says it. */
  readonly condition?: true
  /** The expected versions on the Node; another version means that a reboot is needed. */
  readonly versions: Partial<NodeVersions>
}

/** Where no way is named: Debian's file where machines are reached by ssh, else the condition of the Node. */
export const needUnnamed = (isBySsh: boolean): RebootNeedSpec =>
  isBySsh ? { sentinel: REBOOT_SENTINEL, versions: {} } : { condition: true, versions: {} }

/** As `status.nodeInfo` of a Node has them. */
export interface NodeVersions {
  readonly kernelVersion: string
  readonly kubeletVersion: string
  readonly osImage: string
}

/** The questions to a machine; empty: none. */
export interface NeedQuestion {
  readonly sentinel?: string
  readonly command?: readonly string[]
}

/** The answers, one for each question. All text is foreign, escaped. */
export interface NeedAnswer {
  readonly sentinel?:
    | { readonly kind: 'there'; readonly packages: readonly string[]; readonly isCut: boolean }
    | { readonly kind: 'absent' }
    | { readonly kind: 'unknown'; readonly text: string }
  readonly command?:
    | { readonly kind: 'ended'; readonly exitCode: number; readonly errors: string }
    | { readonly kind: 'unknown'; readonly text: string }
}

export const needQuestion = ({ sentinel, command }: RebootNeedSpec): NeedQuestion => ({
  ...present({ sentinel }),
  ...(command === undefined ? {} : { command: command.argv }),
})

export const asksMachine = ({ sentinel, command }: NeedQuestion | RebootNeedSpec): boolean =>
  sentinel !== undefined || command !== undefined
