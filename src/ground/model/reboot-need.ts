import { present } from './present.ts'
/** What Debian and Ubuntu create where an update needs a reboot; `<file>.pkgs` lists the packages. */
export const REBOOT_SENTINEL = '/var/run/reboot-required'

/** How it is known whether a machine needs a reboot. Each way is optional; one that says so is enough. */
export interface RebootNeedSpec {
  /** A file on the machine: it is there where a reboot is needed. */
  readonly sentinel?: string
  /** Run on the machine, without a shell. It ends with that code where a reboot is needed, else with `otherExitCode`. */
  readonly command?: {
    readonly argv: readonly string[]
    readonly neededExitCode: number
    readonly otherExitCode: number
  }
  /** What the Node should show; another version means that a reboot is needed. */
  readonly versions: Partial<NodeVersions>
}

/** As `status.nodeInfo` of a Node has them. */
export interface NodeVersions {
  readonly kernelVersion: string
  readonly kubeletVersion: string
  readonly osImage: string
}

/** What a machine is asked; empty: nothing. */
export interface NeedQuestion {
  readonly sentinel?: string
  readonly command?: readonly string[]
}

/** What it answers, each part where it was asked for. All text is foreign, escaped. */
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
