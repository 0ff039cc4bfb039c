import type { MachineReading } from '../model/host-pair.ts'

/** The result of a command on a machine; `text` is foreign, escaped. */
export type MachineAnswer = { readonly ok: true } | { readonly ok: false; readonly text: string }

/** Word by word. */
export interface MachineCommand {
  readonly argv: readonly string[]
  readonly limitMs: number
}

/** Machines that are no Kubernetes nodes, by their host as ssh takes it. */
export interface HostMachines {
  /** Reads and never writes. WorldError HOST_* where the machine cannot be asked. */
  read(ssh: string, signal: AbortSignal): Promise<MachineReading>
  /** Runs a command there, without a shell. Rejects only when aborted. */
  run(ssh: string, command: MachineCommand, signal: AbortSignal): Promise<MachineAnswer>
}
