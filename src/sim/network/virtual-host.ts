import { Blockage } from './blockage.ts'
import type { Destination, Listener } from './network.ts'

/**
 * Translates the destination of a new connection (NAT) before any listener of the host is asked: where it leads, `refuse`,
 * or nothing where the port is not translated.
 */
export type Forward = (port: number) => Destination | 'refuse' | undefined

/** A machine, or the network namespace of a pod on one. */
export class VirtualHost {
  readonly name: string
  /** The machine whose kernel routes for it. */
  readonly behind: VirtualHost | undefined
  /** What lives on this machine, and goes with its power. */
  readonly guests = new Set<VirtualHost>()
  readonly listeners = new Map<number, Listener>()
  readonly dark = new Blockage()
  forward: Forward | undefined
  isOn = true
  /** Taken from the network for good; one of the same name that joins later is another. */
  isGone = false
  /** How often it lost its power: a connection from before is unknown to it. */
  boot = 0

  constructor(name: string, behind: VirtualHost | undefined) {
    this.name = name
    this.behind = behind
    behind?.guests.add(this)
  }

  /** Everything in its memory is lost. */
  forget(): void {
    this.boot += 1
    this.listeners.clear()
    this.forward = undefined
  }
}
